# SPDX-License-Identifier: MIT
"""Grouped convolution as a family of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ckarch import ArchSpecs

from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.grouped_conv.choices import (
    BLOCKS_PER_CU,
    DIMENSIONS,
    ENTRY_FIELDS,
    LDS_BUFFERS,
    MADE_OF,
    MERGED_GROUPS,
    VECTORS,
    WAVE_GROUPS,
    build_spec,
)
from ckgen.grouped_conv.foreign import FILES
from ckgen.grouped_conv.names import parse_name
from ckgen.grouped_conv.rules import GROUPED_CONV_RULES
from ckgen.grouped_conv.spec import GroupedConvSpec, Specialization, Variant, operands
from ckgen.product.dtypes import allowed_outputs, is_product
from ckgen.product.family import ProductFamily
from ckgen.product.geometry import waves_per_simd

_NUMBERS = {
    "ndim_spatial": DIMENSIONS,
    "lds_buffers": LDS_BUFFERS,
    "wave_groups": WAVE_GROUPS,
    "blocks_per_cu": BLOCKS_PER_CU,
    "merged_groups": MERGED_GROUPS,
    **dict.fromkeys(("vector_a", "vector_b", "vector_c"), VECTORS),
    "d_count": (0, 1),
}
_KEPT = ("variant", "ndim_spatial", "dtype_a")
_FILTERS = {
    Specialization.DEFAULT: "any",
    Specialization.FILTER_1X1_PAD0: "unit",
    Specialization.FILTER_1X1_STRIDE1_PAD0: "unit_stride_1",
    Specialization.FILTER_3X3: "three",
}
"""What C++ calls them."""


class GroupedConvFamily(ProductFamily):
    """y = x * w for each group, and the gradients of x and of w."""

    name = "grouped_conv"
    folder = Path(__file__).parent
    summary = "grouped convolutions in 1, 2 and 3 dimensions, and their gradients"
    spec_type = GroupedConvSpec
    rules = GROUPED_CONV_RULES
    entry_fields = ENTRY_FIELDS
    made_of = MADE_OF
    build = staticmethod(build_spec)
    parse_name = staticmethod(parse_name)
    foreign_files = FILES
    field_weights = MappingProxyType(
        {
            "variant": 32.0,
            "ndim_spatial": 32.0,
            "layout": 8.0,
            "fused_op": 8.0,
            "d_count": 8.0,
            "dtype_x": 8.0,
            "dtype_w": 8.0,
            "dtype_y": 8.0,
            "specialization": 4.0,
            "waves": 0.5,
        }
    )
    catalogued = MappingProxyType({"vector": "*"})
    catalogued_of_variant = MappingProxyType({Variant.BACKWARD_WEIGHT: {"split_k": "*"}})

    def differing(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        conv = cast(GroupedConvSpec, spec)
        follows = conv.layout.ndim_spatial == conv.ndim_spatial
        return {
            **super().differing(conv, arch),
            "layout": conv.layout.order if follows else conv.layout,
            "vector": conv.vectors,
        }

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        conv = cast(GroupedConvSpec, spec)
        if field in _NUMBERS:
            return _NUMBERS[field]
        if field.startswith("dtype"):
            (read_a, read_b, _), _ = operands(conv.variant, conv.layout.order)
            if field in (f"dtype_{read_a}", f"dtype_{read_b}"):
                return (conv.dtype_a,)
            if not is_product(conv.dtype_a, conv.dtype_b, target.arch):
                # The sums and the result follow from what is multiplied.
                return ()
            if field != "dtype_acc":
                return allowed_outputs(conv.dtype_a, conv.dtype_b, target.arch)
        return super().alternatives(conv, field, target)

    def keeps(self, wish: KernelSpec, spec: KernelSpec) -> bool:
        """The direction, the dimensions, the dtype of A, all filters, and the operation; where the
        operation and the number of its D tensors say different things, either may be meant.

        Channels stay where they are, but not in gradients, which need them last.
        """
        asked, conv = cast(GroupedConvSpec, wish), cast(GroupedConvSpec, spec)
        if any(getattr(conv, field) != getattr(asked, field) for field in _KEPT):
            return False
        if asked.variant is Variant.FORWARD and conv.layout.order is not asked.layout.order:
            return False
        if not conv.specialization.takes_all_of(asked.specialization):
            return False
        if conv.fused_op is asked.fused_op:
            return True
        if asked.fused_op.takes_ds is (asked.d_count > 0):
            return False
        counted = asked.fused_op.with_ds if asked.d_count else asked.fused_op.without_ds
        return conv.fused_op is counted

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        conv = cast(GroupedConvSpec, spec)
        return {
            **super().context(conv, arch),
            "filter": _FILTERS[conv.specialization],
            "waves_per_simd": _waves_per_simd(conv, arch),
        }

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        conv = cast(GroupedConvSpec, spec)
        if field == "layout":
            return conv.layout, conv.layout.order
        return super().set_words(conv, field)


def _waves_per_simd(spec: GroupedConvSpec, arch: ArchSpecs) -> int:
    """What the compiler is asked for: HIP's launch bounds count waves of a SIMD, not workgroups."""
    if spec.blocks_per_cu == 1:
        return 1
    gpus = arch.architectures.values()
    (waves,) = {waves_per_simd(spec, gpu, spec.blocks_per_cu) for gpu in gpus}
    return waves


FAMILY = GroupedConvFamily()
