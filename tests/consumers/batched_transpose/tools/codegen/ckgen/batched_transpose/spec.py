# SPDX-License-Identifier: MIT
"""The spec of one kernel, its name, and what makes it legal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ckgen.core.choice import Choice
from ckgen.core.errors import SpecError
from ckgen.core.naming import EXTENTS, one_of
from ckgen.core.rules import Rule
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.core.tile import Dim3

_VECTOR_BYTES = 16


class Dtype(Choice):
    """What is moved."""

    FP16 = "fp16"
    FP32 = "fp32"


@dataclass(frozen=True)
class BatchedTransposeSpec(KernelSpec):
    """A workgroup reads a tile of so many rows and columns, and writes it transposed."""

    family: ClassVar[str] = "batched_transpose"

    dtype: Dtype
    tile: Dim3
    """Rows, columns, and matrices, of which there is one."""
    waves: int
    pad: bool
    """Whether sizes may be other than multiples of the tile; elements are then moved one by one."""

    @cached_property
    def name(self) -> str:
        return f"{self.family}_{self.dtype}_{self.tile}_w{self.waves}{'_pad' if self.pad else ''}"

    def vector(self, target: Target) -> int:
        """Elements that a lane moves at a time."""
        return 1 if self.pad else int(_VECTOR_BYTES / target.arch.dtype(self.dtype).bytes)


_NAME = re.compile(
    rf"batched_transpose_(?P<dtype>{one_of(Dtype)})_(?P<tile>{EXTENTS})_w(?P<waves>[1-9]\d*)(?P<pad>_pad)?",
    re.ASCII,
)


def parse_name(name: str) -> BatchedTransposeSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(
            f"{name!r} is not the name of a batched transpose; those have the form "
            "batched_transpose_<dtype>_<tile>_w<waves>[_pad]"
        )
    return BatchedTransposeSpec(
        Dtype(match["dtype"]), Dim3.parse(match["tile"]), int(match["waves"]), bool(match["pad"])
    )


def _one_matrix(spec: BatchedTransposeSpec, target: Target) -> str | None:
    return None if spec.tile.k == 1 else f"tile {spec.tile} is of {spec.tile.k} matrices"


def _coverage(spec: BatchedTransposeSpec, target: Target) -> str | None:
    """A wave takes whole vectors of a row side by side and as many rows as it has lanes left, in
    both orders.
    """
    vector, lanes = spec.vector(target), target.gpu.wave_size
    for along, across in ((spec.tile.n, spec.tile.m), (spec.tile.m, spec.tile.n)):
        in_row = along // vector
        if (
            along % vector
            or in_row > lanes
            or lanes % in_row
            or across % (lanes // in_row * spec.waves)
        ):
            return (
                f"{spec.waves} waves of {lanes} lanes with vectors of {vector} do not cover "
                f"tile {spec.tile}"
            )
    if spec.tile.n * vector % (spec.waves * lanes):
        return (
            f"{spec.tile.n} columns times vectors of {vector} are no multiple of "
            f"{spec.waves * lanes} lanes, as CK wants it"
        )
    return None


RULES = (
    Rule("batched_transpose_one_matrix", "A tile is of one matrix.", ("tile",), _one_matrix),
    Rule(
        "batched_transpose_coverage",
        "The lanes of all waves must cover the tile and the transposed tile evenly with whole "
        "vectors.",
        ("tile", "waves", "pad"),
        _coverage,
    ),
)
