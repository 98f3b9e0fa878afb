# SPDX-License-Identifier: MIT
"""Batched transposes as a family of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ckarch import ArchSpecs
from ckgen.batched_transpose.spec import RULES, BatchedTransposeSpec, Dtype, parse_name
from ckgen.core import codec
from ckgen.core.entry_fields import any_of, triple_field
from ckgen.core.family import EntryField, Family
from ckgen.core.spec import KernelSpec, canonical_json
from ckgen.core.target import Target
from ckgen.core.tile import Dim3

_TILES = (Dim3(64, 64, 1), Dim3(32, 64, 1), Dim3(64, 32, 1), Dim3(32, 32, 1))
_WAVES = (1, 2, 4)


class BatchedTransposeFamily(Family):
    """y[i, w, h] = x[i, h, w]."""

    name = "batched_transpose"
    folder = Path(__file__).parent
    summary = "transposes of many matrices: y[i,w,h] = x[i,h,w]"
    spec_type = BatchedTransposeSpec
    rules = RULES
    entry_fields = (
        EntryField(
            "dtype",
            "what is moved",
            partial(codec.decode, Dtype),
            any_of(tuple(Dtype)),
            required=True,
            set_level=True,
            option="datatype",
        ),
        triple_field("tile", "rows and columns of one workgroup, and 1", any_of(_TILES)),
        EntryField(
            "waves", "waves of one workgroup", partial(codec.decode, int), any_of(_WAVES), default=1
        ),
        EntryField(
            "pad",
            "whether sizes may be other than multiples of the tile",
            partial(codec.decode, bool),
            any_of((False, True)),
            default=False,
        ),
    )
    field_weights = MappingProxyType({"dtype": 8.0})

    def build(self, choice: Mapping[str, Any], arch: ArchSpecs) -> BatchedTransposeSpec:
        return BatchedTransposeSpec.made_of(choice)

    def parse_name(self, name: str) -> BatchedTransposeSpec:
        return parse_name(name)

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        return next(entry for entry in self.entry_fields if entry.name == field).choices(target, {})

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        dtype = arch.dtype(cast(BatchedTransposeSpec, spec).dtype)
        return {
            "spec": spec,
            "name": spec.name,
            "spec_json": canonical_json({**spec.to_json(), "name": spec.name}),
            "type": dtype.cxx_type,
            "bytes": int(dtype.bytes),
        }

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        return (str(getattr(spec, field)),)

    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"family": self.name, **fields, "kernels": [{"tile": "*", "waves": "*", "pad": "*"}]}


FAMILY = BatchedTransposeFamily()
