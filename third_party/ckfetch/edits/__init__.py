# SPDX-License-Identifier: MIT
"""The edits of Composable Kernel's headers, in the order in which they are applied.

Most only spare the compiler work. CK computes with types where a constexpr function would do, and
what it computes, layouts, indices, offsets, is known before any code is made: the machine code of a
kernel is the same instruction for instruction with and without them, which
//tests/rules:straightforward_test shows. ``casts`` repairs what CK stores as bf8, and changes no
other kernel; ``attention`` repairs kernels of ``ck_tile/ops/fmha``, which no other family includes.
"""

from __future__ import annotations

from ckfetch.edit import Cut, Edit, Insertion, StructEdit
from ckfetch.edits import (
    adaptors,
    assembly,
    attention,
    attention_backward,
    attention_gfx11,
    attention_gfx950,
    casts,
    curves,
    distributions,
    elements,
    sequences,
    slices,
    windows,
)

EDITS: tuple[Cut | Edit | Insertion | StructEdit, ...] = (
    *assembly.EDITS,
    *casts.EDITS,
    *sequences.EDITS,
    *adaptors.EDITS,
    *curves.EDITS,
    *distributions.EDITS,
    *windows.EDITS,
    *slices.EDITS,
    *elements.EDITS,
    *attention.EDITS,
    *attention_backward.EDITS,
    *attention_gfx11.EDITS,
    *attention_gfx950.EDITS,
)
