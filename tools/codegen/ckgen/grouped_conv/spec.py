# SPDX-License-Identifier: MIT
"""The spec of one grouped convolution kernel, and the matrix product that it is underneath."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from ckgen.core.choice import Choice
from ckgen.core.tile import Dim3
from ckgen.product import spec as product
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Pipeline, ProductSpec, Scheduler, SplitK


class Variant(Choice):
    """Which of the three tensors is computed: y, x or w."""

    FORWARD = "forward"
    BACKWARD_DATA = "backward_data"
    BACKWARD_WEIGHT = "backward_weight"


class Order(Choice):
    """Which axis of an image is innermost: the channels, or the positions."""

    CHANNELS_LAST = "channels_last"
    CHANNELS_FIRST = "channels_first"


class Layout(Choice):
    """The order of the axes of x; those of w and y go with it."""

    NWGC = "nwgc"
    NHWGC = "nhwgc"
    NDHWGC = "ndhwgc"
    NGCW = "ngcw"
    NGCHW = "ngchw"
    NGCDHW = "ngcdhw"

    @property
    def ndim_spatial(self) -> int:
        """How many of its axes are those of an image."""
        return len(self.value) - 3

    @property
    def order(self) -> Order:
        """Which of its axes is innermost."""
        return Order.CHANNELS_LAST if self.value.endswith("c") else Order.CHANNELS_FIRST


class Specialization(Choice):
    """Which filters the kernel takes. The fewer, the simpler are its addresses."""

    DEFAULT = "default"
    FILTER_1X1_PAD0 = "filter_1x1_pad0"
    FILTER_1X1_STRIDE1_PAD0 = "filter_1x1_stride1_pad0"
    FILTER_3X3 = "filter_3x3"

    def takes_all_of(self, other: Specialization) -> bool:
        """Whether it takes every filter that ``other`` does."""
        unit, narrower = Specialization.FILTER_1X1_PAD0, Specialization.FILTER_1X1_STRIDE1_PAD0
        return self in (Specialization.DEFAULT, other) or (self, other) == (unit, narrower)


DIRECTION_WORDS: Mapping[Variant, str] = MappingProxyType(
    {
        Variant.FORWARD: "fwd",
        Variant.BACKWARD_DATA: "bwd_data",
        Variant.BACKWARD_WEIGHT: "bwd_weight",
    }
)
SPECIALIZATION_WORDS = {
    one: one.value.replace("_", "") for one in Specialization if one is not Specialization.DEFAULT
}
DEFAULT_VECTORS = Dim3(8, 8, 8)
"""What a name implies if it says nothing about vectors."""

_OPERANDS = {
    Variant.FORWARD: (("x", "w", "y"), product.Layout.RCR),
    Variant.BACKWARD_DATA: (("y", "w", "x"), product.Layout.RRR),
    Variant.BACKWARD_WEIGHT: (("y", "x", "w"), product.Layout.CRR),
}
_CHANNELS_FIRST_OPERANDS = (("w", "x", "y"), product.Layout.RRR)
"""The product is across, because positions are what lies side by side."""


def operands(variant: Variant, order: Order) -> tuple[tuple[str, str, str], product.Layout]:
    """The tensors that are A, B and C of the product, and how they lie.

    Two are read, the last is computed.
    """
    if variant is Variant.FORWARD and order is Order.CHANNELS_FIRST:
        return _CHANNELS_FIRST_OPERANDS
    return _OPERANDS[variant]


@dataclass(frozen=True)
class GroupedConvSpec(ProductSpec):
    """One kernel that convolves ``x`` with ``w`` to ``y``, or computes a gradient.

    ``vector_a``, ``vector_b`` and ``vector_c`` are the elements that are moved at a time: channels,
    or with channels first elements of a filter and positions of images. ``lds_buffers`` and
    ``wave_groups`` are those of the pipeline. ``blocks_per_cu`` workgroups are to share a compute
    unit, for which the compiler leaves them registers. With
    ``merged_groups`` a workgroup computes several groups at once. With ``split_k`` several
    workgroups can share a sum over positions. ``d_count`` is 1 if a bias enters the ``fused_op``.
    The product that is computed for each group has all of its extents padded.
    """

    family: ClassVar[str] = "grouped_conv"
    pad_m = pad_n = pad_k = True
    persistent = False

    variant: Variant
    ndim_spatial: int
    dtype_x: Dtype
    dtype_w: Dtype
    dtype_y: Dtype
    dtype_acc: Dtype
    layout: Layout
    tile: Dim3
    waves: Dim3
    warp_tile: Dim3
    pipeline: Pipeline
    epilogue: Epilogue
    scheduler: Scheduler
    vector_a: int
    vector_b: int
    vector_c: int
    lds_buffers: int
    wave_groups: int
    blocks_per_cu: int
    merged_groups: int
    specialization: Specialization
    split_k: SplitK
    fused_op: FusedOp
    d_count: int

    @cached_property
    def dtype_a(self) -> Dtype:
        return self._dtype(0)

    @cached_property
    def dtype_b(self) -> Dtype:
        return self._dtype(1)

    @cached_property
    def dtype_c(self) -> Dtype:
        return self._dtype(2)

    @property
    def dtype_d(self) -> Dtype:
        return self.dtype_c

    @cached_property
    def operand_layout(self) -> product.Layout:
        return operands(self.variant, self.layout.order)[1]

    def _dtype(self, operand: int) -> Dtype:
        tensors, _ = operands(self.variant, self.layout.order)
        found: Dtype = getattr(self, f"dtype_{tensors[operand]}")
        return found

    @cached_property
    def vectors(self) -> Dim3:
        """The elements that are moved at a time, of A, B and C."""
        return Dim3(self.vector_a, self.vector_b, self.vector_c)

    @cached_property
    def name(self) -> str:
        """The name that users of CK know, and a suffix for all that it does not imply."""
        parts = [
            f"{self.family}_{DIRECTION_WORDS[self.variant]}_{self.dtype_a}_{self.layout}",
            f"{self.ndim_spatial}d_{self.pipeline}_{self.epilogue}_{self.scheduler}",
            f"{self.tile}_{self.waves}_{self.warp_tile}",
            *self.dtype_words,
        ]
        if self.vectors != DEFAULT_VECTORS:
            parts.append(f"v{self.vectors}")
        pipeline = PIPELINE_CLASSES[self.pipeline]
        if self.lds_buffers != pipeline.lds_buffers:
            parts.append(f"lds{self.lds_buffers}")
        if self.wave_groups != pipeline.wave_groups:
            parts.append(f"wg{self.wave_groups}")
        if self.blocks_per_cu != 1:
            parts.append(f"bpc{self.blocks_per_cu}")
        if self.merged_groups != 1:
            parts.append(f"merge{self.merged_groups}")
        if self.specialization is not Specialization.DEFAULT:
            parts.append(SPECIALIZATION_WORDS[self.specialization])
        if self.split_k is not SplitK.NONE:
            parts.append(product.SPLIT_K_WORDS[self.split_k])
        if self.fused:
            parts.append(f"{self.fused_op}_d{self.d_count}")
        return "_".join(parts)
