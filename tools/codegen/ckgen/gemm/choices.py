# SPDX-License-Identifier: MIT
"""What a declaration of GEMM kernels may say, and what its wildcards stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, product
from types import MappingProxyType
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.entry_fields import any_of, choice_field, triple_field
from ckgen.core.errors import FieldError
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.gemm.dtypes import allowed_outputs, default_dtypes
from ckgen.gemm.geometry import warp_tile_tables, wave_layouts
from ckgen.gemm.spec import (
    MAX_DS,
    DLayout,
    Dtype,
    Epilogue,
    FusedOp,
    GemmSpec,
    Layout,
    Pipeline,
    Scheduler,
    SplitK,
    Variant,
)

Pads = tuple[bool, bool, bool]

TILE_TABLE: tuple[Dim3, ...] = (
    Dim3(256, 256, 32), Dim3(256, 128, 32), Dim3(128, 256, 32), Dim3(128, 128, 32),
    Dim3(128, 128, 64), Dim3(128, 64, 64), Dim3(64, 128, 64), Dim3(64, 64, 64),
    Dim3(128, 32, 64), Dim3(32, 128, 64), Dim3(64, 16, 64), Dim3(16, 64, 64),
)  # fmt: skip
"""What ``"*"`` stands for as a tile: large, square and skinny ones that fit most GPUs."""

_EITHER = (False, True)
ALL_PADS: tuple[Pads, ...] = tuple(product(_EITHER, _EITHER, _EITHER))


def build_spec(choice: Mapping[str, Any], arch: ArchSpecs) -> GemmSpec:
    """The spec that one choice for every entry field describes."""
    a = choice["dtype_a"] or choice["dtype"]
    b = choice["dtype_b"] or choice["dtype"]
    accumulator, output = default_dtypes(a, b, arch)
    pad_m, pad_n, pad_k = choice["pad"]
    c = choice["dtype_c"] or output
    return GemmSpec.made_of(
        choice,
        dtype_a=a,
        dtype_b=b,
        dtype_c=c,
        dtype_acc=accumulator,
        dtype_d=choice["dtype_d"] or c,
        pad_m=pad_m,
        pad_n=pad_n,
        pad_k=pad_k,
    )


MADE_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "dtype_a": ("dtype", "dtype_a"),
        "dtype_b": ("dtype", "dtype_b"),
        "dtype_acc": ("dtype", "dtype_a", "dtype_b"),
        "dtype_c": ("dtype", "dtype_a", "dtype_b", "dtype_c"),
        "dtype_d": ("dtype", "dtype_a", "dtype_b", "dtype_c", "dtype_d"),
        "pad_m": ("pad",),
        "pad_n": ("pad",),
        "pad_k": ("pad",),
    }
)
"""What ``build_spec`` reads for the fields that are not an entry field themselves."""


def dtypes(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    """The dtypes that the GPU multiplies with themselves."""
    combinations = target.arch.dtype_combinations
    return tuple(Dtype(c.a) for c in combinations if c.a == c.b and c.key in target.gpu.warp_tiles)


def _outputs(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    a = chosen["dtype_a"] or chosen["dtype"]
    b = chosen["dtype_b"] or chosen["dtype"]
    return allowed_outputs(a, b, target.arch)


def tiles(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    """Tiles worth trying on any GPU."""
    return TILE_TABLE


def waves(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    """The layouts of waves of all pipelines that the GPU has instructions for."""
    each = (wave_layouts(pipeline, target) for pipeline in pipelines(target, chosen))
    return tuple(dict.fromkeys(chain.from_iterable(each)))


def _warp_tiles(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    a = chosen["dtype_a"] or chosen["dtype"]
    b = chosen["dtype_b"] or chosen["dtype"]
    accumulator, _ = default_dtypes(a, b, target.arch)
    tables = warp_tile_tables(chosen["variant"], target)
    return tuple(Dim3(*tile) for tile in tables.get(f"{a}_{b}_{accumulator}", ()))


def pipelines(target: Target, chosen: Mapping[str, Any]) -> Sequence[Pipeline]:
    """The pipelines that the GPU has instructions for."""
    return tuple(p for p in Pipeline if p in target.gpu.pipelines)


def _ds(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    return _outputs(target, chosen)


def _decode_pads(value: object) -> Pads:
    if not isinstance(value, list) or len(value) != 3:
        raise FieldError(
            f"expected three of true or false such as [false, false, true], not {codec.show(value)}"
        )
    pad_m, pad_n, pad_k = (codec.decode(bool, item) for item in value)
    return pad_m, pad_n, pad_k


ENTRY_FIELDS: tuple[EntryField, ...] = (
    EntryField(
        "variant", "what is computed around the product", partial(codec.decode, Variant),
        any_of(tuple(Variant)), Variant.STANDARD, set_level=True, option="variants",
        aliases=("variant",),
    ),
    EntryField(
        "dtype", "dtype of A and B", partial(codec.decode, Dtype), dtypes,
        required=True, set_level=True, option="datatype",
    ),
    EntryField("dtype_a", "dtype of A, if not `dtype`", partial(codec.decode, Dtype), dtypes),
    EntryField("dtype_b", "dtype of B, if not `dtype`", partial(codec.decode, Dtype), dtypes),
    EntryField(
        "dtype_c", "dtype of C, if not the usual one", partial(codec.decode, Dtype), _outputs
    ),
    EntryField(
        "layout", "rows or columns for A, B and C", partial(codec.decode, Layout),
        any_of(tuple(Layout)), required=True, set_level=True,
    ),
    triple_field("tile", "m, n and k of one workgroup", tiles),
    triple_field("waves", "waves along m, n and k", waves),
    triple_field("warp_tile", "m, n and k of one matrix instruction", _warp_tiles),
    EntryField(
        "pipeline", "how tiles are loaded and consumed", partial(codec.decode, Pipeline),
        pipelines, required=True,
    ),
    choice_field("epilogue", "how C is stored", Epilogue, Epilogue.CSHUFFLE),
    choice_field("scheduler", "what overlaps with what", Scheduler, Scheduler.INTRAWAVE),
    EntryField(
        "pad", "whether m, n and k may be other than multiples of the tile", _decode_pads,
        any_of(ALL_PADS), default=(False, False, False), triple=True,
    ),
    EntryField(
        "persistent", "whether one workgroup computes several tiles", partial(codec.decode, bool),
        any_of((False, True)), default=False,
    ),
    choice_field(
        "split_k", "how workgroups that share the k of one tile add up", SplitK, SplitK.NONE
    ),
    choice_field(
        "fused_op", "what is applied to the product", FusedOp, FusedOp.PASS_THROUGH
    ),
    EntryField(
        "d_count", "D tensors that the fused operation takes", partial(codec.decode, int),
        any_of(range(MAX_DS + 1)), default=0,
    ),
    EntryField("dtype_d", "dtype of the D tensors, if not C's", partial(codec.decode, Dtype), _ds),
    choice_field("d_layout", "rows or columns for the D tensors", DLayout, DLayout.ROWS),
)  # fmt: skip
