# SPDX-License-Identifier: MIT
"""GEMM as a family of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ckarch import ArchSpecs

from ckgen.core.errors import SpecError
from ckgen.core.family import Family
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.gemm.alternatives import alternatives
from ckgen.gemm.choices import ENTRY_FIELDS, MADE_OF, build_spec
from ckgen.gemm.context import template_context
from ckgen.gemm.dtypes import default_dtypes
from ckgen.gemm.names import parse_name
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import GemmSpec, Variant

_OF_VARIANT: Mapping[Variant, Mapping[str, Any]] = MappingProxyType(
    {
        Variant.MULTI_D: {"fused_op": "MultiDAdd", "d_count": 1},
        Variant.STREAM_K: {"split_k": ["atomic", "workspace"]},
    }
)
"""What kernels of a variant must have besides, in the catalogue."""


class GemmFamily(Family):
    """C[m,n] = A[m,k] * B[k,n]."""

    name = "gemm"
    folder = Path(__file__).parent
    summary = "matrix products: C[m,n] = A[m,k] * B[k,n]"
    spec_type = GemmSpec
    rules = GEMM_RULES
    entry_fields = ENTRY_FIELDS
    made_of = MADE_OF
    field_weights = MappingProxyType(
        {
            "variant": 8.0, "fused_op": 8.0, "d_count": 8.0, "d_layout": 8.0,
            "dtype_a": 8.0, "dtype_b": 6.0, "dtype_c": 2.0, "dtype_d": 2.0,
            "layout": 8.0, "waves": 0.5,
        }  # fmt: skip
    )

    def build(self, choice: Mapping[str, Any], arch: ArchSpecs) -> GemmSpec:
        return build_spec(choice, arch)

    def choice(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        gemm = cast(GemmSpec, spec)
        accumulator, output = default_dtypes(gemm.dtype_a, gemm.dtype_b, arch)
        if gemm.dtype_acc is not accumulator:
            raise SpecError(
                f"{gemm.name} accumulates in {gemm.dtype_acc}, and no declaration can say so; "
                f"{gemm.dtype_a} x {gemm.dtype_b} accumulates in {accumulator}"
            )
        differing = {
            "dtype": gemm.dtype_a,
            "dtype_a": None,
            "dtype_b": None if gemm.dtype_b is gemm.dtype_a else gemm.dtype_b,
            "dtype_c": None if gemm.dtype_c is output else gemm.dtype_c,
            "pad": (gemm.pad_m, gemm.pad_n, gemm.pad_k),
            "dtype_d": None if gemm.dtype_d is gemm.dtype_c else gemm.dtype_d,
        }
        names = (field.name for field in self.entry_fields)
        return {
            name: differing[name] if name in differing else getattr(gemm, name) for name in names
        }

    def parse_name(self, name: str) -> GemmSpec:
        return parse_name(name)

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        return alternatives(cast(GemmSpec, spec), field, target)

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        return template_context(cast(GemmSpec, spec), arch)

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        return (str(getattr(spec, "dtype_a" if field == "dtype" else field)),)

    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = fields.get("variant", Variant.STANDARD)
        variants = wanted if isinstance(wanted, list) else [wanted]
        free = ("tile", "waves", "warp_tile", "pipeline", "scheduler")
        everything = {
            **{field: "*" for field in free},
            "pad": [[False, False, False], [True, True, True]],
        }
        kernels = [
            {**everything, "variant": str(variant), **_OF_VARIANT.get(Variant(variant), {})}
            for variant in variants
        ]
        return {"family": self.name, **fields, "kernels": kernels}
