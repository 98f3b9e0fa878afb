# SPDX-License-Identifier: MIT
"""What a declaration may say of a product, and what its wildcards stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.entry_fields import Choices, any_of, triple_field
from ckgen.core.errors import FieldError
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.product.dtypes import allowed_outputs, default_dtypes
from ckgen.product.geometry import warp_tile_tables, wave_layouts
from ckgen.product.spec import Dtype, Pipeline

TILE_TABLE: tuple[Dim3, ...] = (
    Dim3(256, 256, 32),
    Dim3(256, 128, 32),
    Dim3(128, 256, 32),
    Dim3(128, 128, 32),
    Dim3(128, 128, 64),
    Dim3(128, 64, 64),
    Dim3(64, 128, 64),
    Dim3(64, 64, 64),
    Dim3(128, 32, 64),
    Dim3(32, 128, 64),
    Dim3(64, 16, 64),
    Dim3(16, 64, 64),
)
"""What ``"*"`` stands for as a tile: large, square and skinny ones that fit most GPUs."""


def chosen_dtypes(choice: Mapping[str, Any], arch: ArchSpecs) -> tuple[Dtype, Dtype, Dtype, Dtype]:
    """Those of A, B and C and of the accumulator,
    where an entry may leave all but ``dtype`` open.
    """
    a, b = _operands(choice)
    accumulator, output = default_dtypes(a, b, arch)
    return a, b, choice["dtype_c"] or output, accumulator


def _operands(chosen: Mapping[str, Any]) -> tuple[Dtype, Dtype]:
    return chosen.get("dtype_a") or chosen["dtype"], chosen["dtype_b"] or chosen["dtype"]


def dtypes(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    """The dtypes that the GPU multiplies with themselves."""
    combinations = target.arch.dtype_combinations
    return tuple(Dtype(c.a) for c in combinations if c.a == c.b and c.key in target.gpu.warp_tiles)


def outputs(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dtype]:
    """The dtypes that the product of the chosen ones can be stored as."""
    return allowed_outputs(*_operands(chosen), target.arch)


def warp_tiles(
    target: Target, chosen: Mapping[str, Any], preshuffled: bool = False
) -> Sequence[Dim3]:
    """The warp tiles that the GPU has for the chosen dtypes."""
    a, b = _operands(chosen)
    accumulator, _ = default_dtypes(a, b, target.arch)
    tables = warp_tile_tables(preshuffled, target)
    return tuple(Dim3(*tile) for tile in tables.get(f"{a}_{b}_{accumulator}", ()))


def _waves(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    """The layouts of waves of all pipelines that the GPU has instructions for."""
    each = (wave_layouts(pipeline, target) for pipeline in _pipelines(target, chosen))
    return tuple(dict.fromkeys(chain.from_iterable(each)))


def _pipelines(target: Target, chosen: Mapping[str, Any]) -> Sequence[Pipeline]:
    return tuple(p for p in Pipeline if p in target.gpu.pipelines)


_NOT_OFFERED = (
    "it is not offered: with the scheduler intrawave CK multiplies registers that it has not "
    "loaded, and operands whose k is not contiguous it reads along the wrong axis; take mem, which "
    "is at least as fast"
)
_PIPELINES_OF_CK: Mapping[object, str] = MappingProxyType(
    dict.fromkeys(("compv1", "basic_v1"), _NOT_OFFERED)
)
"""Those that are known by name, and why they are no choice."""


def _decode_pipeline(value: object) -> Pipeline:
    if isinstance(value, str) and value in _PIPELINES_OF_CK:
        raise FieldError(f"of {value}, {_PIPELINES_OF_CK[value]}")
    found: Pipeline = codec.decode(Pipeline, value)
    return found


def dtype_field(name: str, description: str, choices: Choices = dtypes, **more: Any) -> EntryField:
    """A field that names a dtype."""
    return EntryField(name, description, partial(codec.decode, Dtype), choices, **more)


def loop_fields(warp_tiles: Choices = warp_tiles) -> tuple[EntryField, ...]:
    """The extents of the loop over k, and how it is run."""
    return (
        triple_field(
            "tile", "m, n and k of one workgroup", any_of(TILE_TABLE), usual=Dim3(128, 128, 32)
        ),
        triple_field("waves", "waves along m, n and k", _waves, usual=Dim3(2, 2, 1)),
        triple_field(
            "warp_tile", "m, n and k of one matrix instruction", warp_tiles, usual=Dim3(32, 32, 16)
        ),
        # Of the pipelines for large problems it takes the largest tiles, because it has one buffer.
        EntryField(
            "pipeline",
            "how tiles are loaded and consumed",
            _decode_pipeline,
            _pipelines,
            required=True,
            usual=Pipeline.COMPV3,
        ),
    )
