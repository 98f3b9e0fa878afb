# SPDX-License-Identifier: MIT
"""GEMM as a family of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ckarch import ArchSpecs

from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.gemm.choices import ENTRY_FIELDS, MADE_OF, build_spec
from ckgen.gemm.context import template_context
from ckgen.gemm.names import parse_name
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import MAX_DS, GemmSpec, Variant
from ckgen.product.dtypes import allowed_outputs
from ckgen.product.family import ProductFamily
from ckgen.product.spec import FusedOp


class GemmFamily(ProductFamily):
    """C[m,n] = A[m,k] * B[k,n]."""

    name = "gemm"
    folder = Path(__file__).parent
    summary = "matrix products: C[m,n] = A[m,k] * B[k,n]"
    spec_type = GemmSpec
    rules = GEMM_RULES
    entry_fields = ENTRY_FIELDS
    made_of = MADE_OF
    build = staticmethod(build_spec)
    parse_name = staticmethod(parse_name)
    field_weights = MappingProxyType(
        {
            "variant": 8.0,
            "fused_op": 8.0,
            "d_count": 8.0,
            "d_layout": 8.0,
            "dtype_a": 8.0,
            "dtype_b": 6.0,
            "dtype_c": 2.0,
            "dtype_d": 2.0,
            "layout": 8.0,
            "waves": 0.5,
        }
    )
    catalogued = MappingProxyType({"pad": [[False, False, False], [True, True, True]]})
    catalogued_of_variant = MappingProxyType(
        {
            Variant.MULTI_D: {"fused_op": "MultiDAdd", "d_count": 1},
            Variant.STREAM_K: {"split_k": ["atomic", "workspace"]},
        }
    )

    def differing(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        gemm = cast(GemmSpec, spec)
        return {
            **super().differing(gemm, arch),
            "pad": (gemm.pad_m, gemm.pad_n, gemm.pad_k),
            "dtype_d": None if gemm.dtype_d is gemm.dtype_c else gemm.dtype_d,
        }

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        gemm = cast(GemmSpec, spec)
        if field == "d_count":
            return range(MAX_DS + 1)
        if field == "fused_op" and gemm.variant is not Variant.MULTI_D:
            return (FusedOp.PASS_THROUGH,)
        if field == "fused_op" and gemm.fused_op.takes_ds and gemm.d_count > MAX_DS:
            # No operation takes so many, so none is nearer to what was meant.
            return ()
        if field == "dtype_d":
            return (gemm.dtype_c,)
        if field == "dtype_b":
            return (gemm.dtype_a,)
        if field == "dtype_c":
            return allowed_outputs(gemm.dtype_a, gemm.dtype_b, target.arch)
        return super().alternatives(gemm, field, target)

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        return template_context(cast(GemmSpec, spec), arch)


FAMILY = GemmFamily()
