# SPDX-License-Identifier: MIT
"""Grouped convolution as a family of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ckarch import ArchSpecs

from ckgen.core.choice import Choice
from ckgen.core.errors import SpecError
from ckgen.core.family import Family
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.gemm import alternatives as gemm
from ckgen.gemm.dtypes import allowed_outputs, default_dtypes
from ckgen.grouped_conv.choices import (
    DIMENSIONS,
    ENTRY_FIELDS,
    MADE_OF,
    MERGED_GROUPS,
    VECTORS,
    build_spec,
)
from ckgen.grouped_conv.context import template_context
from ckgen.grouped_conv.names import parse_name
from ckgen.grouped_conv.rules import GROUPED_CONV_RULES
from ckgen.grouped_conv.spec import GroupedConvSpec, Variant, operands

_OF_PRODUCT = ("tile", "waves", "warp_tile", "pipeline", "dtype_acc")
_NUMBERS = {
    "ndim_spatial": DIMENSIONS,
    "merged_groups": MERGED_GROUPS,
    "vector_a": VECTORS,
    "vector_b": VECTORS,
    "vector_c": VECTORS,
    "d_count": (0, 1),
}


class GroupedConvFamily(Family):
    """y = x * w for each group, and the gradients of x and of w."""

    name = "grouped_conv"
    folder = Path(__file__).parent
    summary = "grouped convolutions in 1, 2 and 3 dimensions, and their gradients"
    spec_type = GroupedConvSpec
    rules = GROUPED_CONV_RULES
    entry_fields = ENTRY_FIELDS
    made_of = MADE_OF
    field_weights = MappingProxyType(
        {
            "variant": 32.0, "ndim_spatial": 32.0, "layout": 8.0, "fused_op": 8.0, "d_count": 8.0,
            "dtype_x": 8.0, "dtype_w": 8.0, "dtype_y": 8.0, "specialization": 4.0, "waves": 0.5,
        }
    )  # fmt: skip

    def build(self, choice: Mapping[str, Any], arch: ArchSpecs) -> GroupedConvSpec:
        return build_spec(choice, arch)

    def choice(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        conv = cast(GroupedConvSpec, spec)
        product = conv.implicit_gemm
        accumulator, output = default_dtypes(product.dtype_a, product.dtype_b, arch)
        if conv.dtype_acc is not accumulator:
            raise SpecError(
                f"{conv.name} accumulates in {conv.dtype_acc}, and no declaration can say so; "
                f"{product.dtype_a} x {product.dtype_b} accumulates in {accumulator}"
            )
        follows = conv.layout.ndim_spatial == conv.ndim_spatial
        differing = {
            "dtype": product.dtype_a,
            "dtype_b": None if product.dtype_b is product.dtype_a else product.dtype_b,
            "dtype_c": None if product.dtype_c is output else product.dtype_c,
            "layout": conv.layout.order if follows else conv.layout,
            "vector": conv.vectors,
        }
        names = (field.name for field in self.entry_fields)
        return {
            name: differing[name] if name in differing else getattr(conv, name) for name in names
        }

    def parse_name(self, name: str) -> GroupedConvSpec:
        return parse_name(name)

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        conv = cast(GroupedConvSpec, spec)
        if field in _OF_PRODUCT:
            return gemm.alternatives(conv.implicit_gemm, field, target)
        if field in _NUMBERS:
            return _NUMBERS[field]
        if field in ("dtype_x", "dtype_w", "dtype_y"):
            product = conv.implicit_gemm
            (_, _, written), _ = operands(conv.variant, conv.layout.order)
            if field.endswith(written):
                return allowed_outputs(product.dtype_a, product.dtype_b, target.arch)
            return (product.dtype_a,)
        kind: type[Choice] = type(getattr(conv, field))
        return tuple(kind)

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        return template_context(cast(GroupedConvSpec, spec), arch)

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        conv = cast(GroupedConvSpec, spec)
        if field == "layout":
            return conv.layout, conv.layout.order
        return (str(conv.implicit_gemm.dtype_a if field == "dtype" else getattr(conv, field)),)

    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        free = ("tile", "waves", "warp_tile", "pipeline", "scheduler", "vector")
        wanted = fields.get("variant", Variant.FORWARD)
        variants = wanted if isinstance(wanted, list) else [wanted]
        kernels = [
            {
                **{field: "*" for field in free},
                "variant": str(variant),
                **({"split_k": "*"} if variant == Variant.BACKWARD_WEIGHT else {}),
            }
            for variant in variants
        ]
        return {"family": self.name, **fields, "kernels": kernels}
