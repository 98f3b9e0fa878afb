# SPDX-License-Identifier: MIT
"""The variables of the GEMM template, and the device functions that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.tile import Dim3
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.context import product_context
from ckgen.product.pipelines import loop_variants
from ckgen.product.spec import SplitK

_ONE_FUNCTION = {Variant.GROUPED: "groups", Variant.STREAM_K: "share"}


def template_context(spec: GemmSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """What ``kernel.cpp.j2`` sees: what any product has, and what only GEMM has."""
    return {
        **product_context(spec, arch),
        "spec": in_objects(spec, arch),
        "one_function": one_function(spec),
    }


def one_function(spec: GemmSpec) -> str | None:
    """The suffix of the device function that chooses among the loop variants itself,
    if one does.
    """
    return _ONE_FUNCTION.get(spec.variant)


def device_functions(spec: GemmSpec, arch: ArchSpecs) -> tuple[str, ...]:
    """The suffixes of all device functions of the kernel."""
    only = one_function(spec)
    loops = (only,) if only else tuple(variant.suffix for variant in loop_variants(spec, arch))
    return (*loops, "add_parts") if spec.split_k is SplitK.WORKSPACE else loops


def in_objects(spec: GemmSpec, arch: ArchSpecs) -> GemmSpec:
    """The spec with k counted in C++ objects, of which one holds several packed elements.

    CK's pipelines then move bytes, and only the matrix instruction knows what is in them.
    """
    pack = arch.dtype(spec.dtype_a).pack
    if pack == 1:
        return spec
    tile, warp_tile = spec.tile, spec.warp_tile
    return replace(
        spec,
        tile=Dim3(tile.m, tile.n, tile.k // pack),
        warp_tile=Dim3(warp_tile.m, warp_tile.n, warp_tile.k // pack),
    )
