# SPDX-License-Identifier: MIT
"""What all families have in common whose kernels compute a product."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product as combinations
from math import log2
from types import MappingProxyType
from typing import Any, ClassVar, cast

from ckarch import ArchSpecs

from ckgen.core.choice import Choice
from ckgen.core.errors import SpecError
from ckgen.core.family import Family
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.product.context import product_context
from ckgen.product.dtypes import default_dtypes
from ckgen.product.geometry import warp_tiles_of, wave_layouts
from ckgen.product.spec import Pipeline, ProductSpec

_FREE = ("tile", "waves", "warp_tile", "pipeline", "scheduler")
_PER_AXIS = 5
"""Extents that are tried along each axis of a tile."""


class ProductFamily(Family):
    """A family of the product layer; its entries name dtypes by ``dtype``, ``dtype_b`` and
    ``dtype_c``.
    """

    catalogued: ClassVar[Mapping[str, Any]]
    """What each entry of the catalogue says besides."""
    catalogued_of_variant: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    """What those of a variant must or may have besides."""

    def differing(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        product = cast(ProductSpec, spec)
        a, b, c = product.dtype_a, product.dtype_b, product.dtype_c
        accumulator, output = default_dtypes(a, b, arch)
        if product.dtype_acc is not accumulator:
            raise SpecError(
                f"{product.name} accumulates in {product.dtype_acc}, and no declaration can say "
                f"so; {a} x {b} accumulates in {accumulator}"
            )
        return {
            "dtype": a,
            "dtype_a": None,
            "dtype_b": None if b is a else b,
            "dtype_c": None if c is output else c,
        }

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        product, current = cast(ProductSpec, spec), getattr(spec, field)
        if isinstance(current, bool):
            return (not current,)
        if field == "tile":
            return _nearby_tiles(product)
        if field == "waves":
            return wave_layouts(product.pipeline, target)
        if field == "warp_tile":
            return tuple(Dim3(*tile) for tile in warp_tiles_of(product, target))
        if field == "fused_op" and product.fused_op.takes_ds is not bool(product.d_count):
            # Of all operations the one that computes what was meant.
            return (product.fused_op.with_ds if product.d_count else product.fused_op.without_ds,)
        if field == "dtype_acc":
            return (default_dtypes(product.dtype_a, product.dtype_b, target.arch)[0],)
        if field == "pipeline":
            return tuple(pipeline for pipeline in Pipeline if pipeline in target.gpu.pipelines)
        kind: type[Choice] = type(current)
        return tuple(kind)

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        return product_context(cast(ProductSpec, spec), arch)

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        return (str(getattr(spec, "dtype_a" if field == "dtype" else field)),)

    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        usual = next(field.default for field in self.entry_fields if field.name == "variant")
        wanted = fields.get("variant", usual)
        variants = map(str, wanted if isinstance(wanted, list) else [wanted])
        everything = {**dict.fromkeys(_FREE, "*"), **self.catalogued}
        kernels = [
            {**everything, "variant": variant, **self.catalogued_of_variant.get(variant, {})}
            for variant in variants
        ]
        return {"family": self.name, **fields, "kernels": kernels}


def _nearby_tiles(spec: ProductSpec) -> Iterable[Dim3]:
    covered = spec.tiling.coverage
    axes = (_nearby_extents(extent, part) for extent, part in zip(spec.tile, covered, strict=False))
    return (Dim3(*extents) for extents in combinations(*axes))


def _nearby_extents(extent: int, part: int) -> tuple[int, ...]:
    """The closest extents that are multiples of ``part``, powers of two among them."""
    power = 1 << (extent.bit_length() - 1)
    wishes = (extent, extent + part - 1, power, power * 2, extent // 2, extent // 4, extent * 2)
    multiples = {max(part, wish // part * part) for wish in wishes}
    return tuple(sorted(multiples, key=lambda value: abs(log2(value / extent))))[:_PER_AXIS]
