# SPDX-License-Identifier: MIT
"""What a declaration of GEMM kernels may say, and what its wildcards stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.entry_fields import any_of, choice_field
from ckgen.core.errors import FieldError
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.choices import chosen_dtypes, dtype_field, loop_fields, outputs, warp_tiles
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Scheduler, SplitK

Pads = tuple[bool, bool, bool]

_EITHER = (False, True)
ALL_PADS: tuple[Pads, ...] = tuple(product(_EITHER, _EITHER, _EITHER))


def build_spec(choice: Mapping[str, Any], arch: ArchSpecs) -> GemmSpec:
    """The spec that one choice for every entry field describes."""
    a, b, c, accumulator = chosen_dtypes(choice, arch)
    dtypes = {"dtype_a": a, "dtype_b": b, "dtype_c": c, "dtype_acc": accumulator}
    pads = dict(zip(("pad_m", "pad_n", "pad_k"), choice["pad"], strict=False))
    return GemmSpec.made_of(choice, **dtypes, dtype_d=choice["dtype_d"] or c, **pads)


MADE_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "dtype_a": ("dtype", "dtype_a"),
        "dtype_b": ("dtype", "dtype_b"),
        "dtype_acc": ("dtype", "dtype_a", "dtype_b"),
        "dtype_c": ("dtype", "dtype_a", "dtype_b", "dtype_c"),
        "dtype_d": ("dtype", "dtype_a", "dtype_b", "dtype_c", "dtype_d"),
        **dict.fromkeys(("pad_m", "pad_n", "pad_k"), ("pad",)),
    }
)
"""What ``build_spec`` reads for the fields that are not an entry field themselves."""


def _warp_tiles(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    return warp_tiles(target, chosen, preshuffled=chosen["variant"] is Variant.PRESHUFFLE)


def _decode_pads(value: object) -> Pads:
    if not isinstance(value, list) or len(value) != 3:
        raise FieldError(
            f"expected three of true or false such as [false, false, true], not {codec.show(value)}"
        )
    pad_m, pad_n, pad_k = (codec.decode(bool, item) for item in value)
    return pad_m, pad_n, pad_k


ENTRY_FIELDS: tuple[EntryField, ...] = (
    choice_field(
        "variant",
        "what is computed around the product",
        Variant,
        Variant.STANDARD,
        set_level=True,
        option="variants",
        aliases=("variant",),
    ),
    dtype_field(
        "dtype",
        "dtype of A and B",
        required=True,
        set_level=True,
        option="datatype",
        usual=Dtype.FP16,
    ),
    dtype_field("dtype_a", "dtype of A, if not `dtype`"),
    dtype_field("dtype_b", "dtype of B, if not `dtype`"),
    dtype_field("dtype_c", "dtype of C, if not the usual one", outputs),
    choice_field(
        "layout",
        "rows or columns for A, B and C",
        Layout,
        required=True,
        set_level=True,
        usual=Layout.RCR,
    ),
    *loop_fields(_warp_tiles),
    choice_field("epilogue", "how C is stored", Epilogue, Epilogue.CSHUFFLE),
    choice_field("scheduler", "what overlaps with what", Scheduler, Scheduler.INTRAWAVE),
    EntryField(
        "pad",
        "whether m, n and k may be other than multiples of the tile",
        _decode_pads,
        any_of(ALL_PADS),
        default=(False, False, False),
        triple=True,
    ),
    EntryField(
        "persistent",
        "whether one workgroup computes several tiles",
        partial(codec.decode, bool),
        any_of((False, True)),
        default=False,
    ),
    choice_field(
        "split_k", "how workgroups that share the k of one tile add up", SplitK, SplitK.NONE
    ),
    choice_field("fused_op", "what is applied to the product", FusedOp, FusedOp.PASS_THROUGH),
    EntryField(
        "d_count",
        "D tensors that the fused operation takes",
        partial(codec.decode, int),
        any_of(range(MAX_DS + 1)),
        default=0,
    ),
    dtype_field("dtype_d", "dtype of the D tensors, if not C's", outputs),
    choice_field("d_layout", "rows or columns for the D tensors", DLayout, DLayout.ROWS),
)
