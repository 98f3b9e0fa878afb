# SPDX-License-Identifier: MIT
"""The edits of Composable Kernel's headers, in the order in which they are applied.

Most only spare the compiler work. CK computes with types where a constexpr function would do, and what it computes,
layouts, indices, offsets, is known before any code is made: the machine code of a kernel is the same instruction for
instruction with and without them, which //tests/rules:straightforward_test shows. ``casts`` repairs what CK stores as
bf8, and changes no other kernel.
"""

from __future__ import annotations

from ckfetch.edit import Cut, Edit, Insertion, StructEdit
from ckfetch.edits import adaptors, assembly, casts, curves, distributions, elements, sequences, slices, windows

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
)
