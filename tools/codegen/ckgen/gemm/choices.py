# SPDX-License-Identifier: MIT
"""What a declaration of GEMM kernels may say, and what its wildcards stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.choice import Choice
from ckgen.core.errors import FieldError
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.gemm.dtypes import allowed_outputs, default_dtypes
from ckgen.gemm.geometry import warp_tile_tables
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
    return GemmSpec(
        variant=choice["variant"],
        dtype_a=a,
        dtype_b=b,
        dtype_c=c,
        dtype_acc=accumulator,
        layout=choice["layout"],
        tile=choice["tile"],
        waves=choice["waves"],
        warp_tile=choice["warp_tile"],
        pipeline=choice["pipeline"],
        epilogue=choice["epilogue"],
        scheduler=choice["scheduler"],
        pad_m=pad_m,
        pad_n=pad_n,
        pad_k=pad_k,
        persistent=choice["persistent"],
        split_k=choice["split_k"],
        fused_op=choice["fused_op"],
        d_count=choice["d_count"],
        dtype_d=choice["dtype_d"] or c,
        d_layout=choice["d_layout"],
    )


def _members(kind: type[Choice], target: Target, chosen: Mapping[str, Any]) -> Sequence[Choice]:
    return tuple(kind)


def _dtypes(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    combinations = target.arch.dtype_combinations
    return tuple(Dtype(c.a) for c in combinations if c.a == c.b and c.key in target.gpu.warp_tiles)


def _outputs(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    a = chosen["dtype_a"] or chosen["dtype"]
    b = chosen["dtype_b"] or chosen["dtype"]
    return allowed_outputs(a, b, target.arch)


def _tiles(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    return TILE_TABLE


def _waves(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    return tuple(Dim3(*waves) for waves in target.gpu.wave_layouts)


def _warp_tiles(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    a = chosen["dtype_a"] or chosen["dtype"]
    b = chosen["dtype_b"] or chosen["dtype"]
    accumulator, _ = default_dtypes(a, b, target.arch)
    tables = warp_tile_tables(chosen["variant"], target)
    return tuple(Dim3(*tile) for tile in tables.get(f"{a}_{b}_{accumulator}", ()))


def _pipelines(target: Target, chosen: Mapping[str, Any]) -> Sequence[Pipeline]:
    return tuple(p for p in Pipeline if p in target.gpu.pipelines)


def _pads(target: Target, chosen: Mapping[str, Any]) -> Sequence[Pads]:
    return ALL_PADS


def _booleans(target: Target, chosen: Mapping[str, Any]) -> Sequence[bool]:
    return (False, True)


def _d_counts(target: Target, chosen: Mapping[str, Any]) -> Sequence[int]:
    return tuple(range(MAX_DS + 1))


def _ds(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    return _outputs(target, chosen)


def _decode_pads(value: object) -> Pads:
    if not isinstance(value, list) or len(value) != 3:
        raise FieldError(
            f"expected three of true or false such as [false, false, true], not {codec.show(value)}"
        )
    pad_m, pad_n, pad_k = (codec.decode(bool, item) for item in value)
    return pad_m, pad_n, pad_k


def _choice_field(
    name: str, description: str, kind: type[Choice], default: Choice
) -> EntryField:
    return EntryField(
        name, description, partial(codec.decode, kind), partial(_members, kind), default
    )


def _triple_field(name: str, description: str, choices: Any) -> EntryField:
    decode = partial(codec.decode, Dim3)
    return EntryField(name, description, decode, choices, required=True, triple=True)


ENTRY_FIELDS: tuple[EntryField, ...] = (
    EntryField(
        "variant", "what is computed around the product", partial(codec.decode, Variant),
        partial(_members, Variant), Variant.STANDARD, set_level=True, option="variants",
    ),
    EntryField(
        "dtype", "dtype of A and B", partial(codec.decode, Dtype), _dtypes,
        required=True, set_level=True, option="datatype",
    ),
    EntryField("dtype_a", "dtype of A, if not `dtype`", partial(codec.decode, Dtype), _dtypes),
    EntryField("dtype_b", "dtype of B, if not `dtype`", partial(codec.decode, Dtype), _dtypes),
    EntryField(
        "dtype_c", "dtype of C, if not the usual one", partial(codec.decode, Dtype), _outputs
    ),
    EntryField(
        "layout", "rows or columns for A, B and C", partial(codec.decode, Layout),
        partial(_members, Layout), required=True, set_level=True,
    ),
    _triple_field("tile", "m, n and k of one workgroup", _tiles),
    _triple_field("waves", "waves along m, n and k", _waves),
    _triple_field("warp_tile", "m, n and k of one matrix instruction", _warp_tiles),
    EntryField(
        "pipeline", "how tiles are loaded and consumed", partial(codec.decode, Pipeline),
        _pipelines, required=True,
    ),
    _choice_field("epilogue", "how C is stored", Epilogue, Epilogue.CSHUFFLE),
    _choice_field("scheduler", "what overlaps with what", Scheduler, Scheduler.INTRAWAVE),
    EntryField(
        "pad", "whether m, n and k may be other than multiples of the tile", _decode_pads, _pads,
        default=(False, False, False), triple=True,
    ),
    EntryField(
        "persistent", "whether one workgroup computes several tiles", partial(codec.decode, bool),
        _booleans, default=False,
    ),
    _choice_field(
        "split_k", "how workgroups that share the k of one tile add up", SplitK, SplitK.NONE
    ),
    _choice_field(
        "fused_op", "what is applied to the product", FusedOp, FusedOp.PASS_THROUGH
    ),
    EntryField(
        "d_count", "D tensors that the fused operation takes", partial(codec.decode, int),
        _d_counts, default=0,
    ),
    EntryField("dtype_d", "dtype of the D tensors, if not C's", partial(codec.decode, Dtype), _ds),
    _choice_field("d_layout", "rows or columns for the D tensors", DLayout, DLayout.ROWS),
)  # fmt: skip
