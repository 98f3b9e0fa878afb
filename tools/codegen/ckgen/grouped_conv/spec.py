# SPDX-License-Identifier: MIT
"""The spec of one grouped convolution kernel, and the matrix product that it is underneath."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from ckgen.core.choice import Choice
from ckgen.core.spec import KernelSpec
from ckgen.core.tile import Dim3
from ckgen.gemm import spec as gemm
from ckgen.gemm.spec import (
    Dtype,
    Epilogue,
    FusedOp,
    GemmSpec,
    Pipeline,
    Scheduler,
    SplitK,
)


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


DIRECTION_WORDS: Mapping[Variant, str] = MappingProxyType(
    {
        Variant.FORWARD: "fwd",
        Variant.BACKWARD_DATA: "bwd_data",
        Variant.BACKWARD_WEIGHT: "bwd_weight",
    }
)
SPECIALIZATION_WORDS: Mapping[Specialization, str] = MappingProxyType(
    {
        Specialization.FILTER_1X1_PAD0: "filter1x1pad0",
        Specialization.FILTER_1X1_STRIDE1_PAD0: "filter1x1stride1pad0",
        Specialization.FILTER_3X3: "filter3x3",
    }
)
DEFAULT_VECTORS = Dim3(8, 8, 8)
"""What a name implies if it says nothing about vectors."""

_OPERANDS = {
    Variant.FORWARD: (("x", "w", "y"), gemm.Layout.RCR),
    Variant.BACKWARD_DATA: (("y", "w", "x"), gemm.Layout.RRR),
    Variant.BACKWARD_WEIGHT: (("y", "x", "w"), gemm.Layout.CRR),
}
_CHANNELS_FIRST_OPERANDS = (("w", "x", "y"), gemm.Layout.RRR)
"""The product is across, because positions are what lies side by side."""


def operands(variant: Variant, order: Order) -> tuple[tuple[str, str, str], gemm.Layout]:
    """The tensors that are A, B and C of the implicit GEMM, and how they lie.

    Two are read, the last is computed.
    """
    if variant is Variant.FORWARD and order is Order.CHANNELS_FIRST:
        return _CHANNELS_FIRST_OPERANDS
    return _OPERANDS[variant]


@dataclass(frozen=True)
class ImplicitGemm(GemmSpec):
    """The product that a convolution is for each group; its vectors are those of the spec."""

    given_vectors: Dim3

    @property
    def vectors(self) -> Dim3:
        return self.given_vectors


_OF_DTYPES = ("variant", "layout", "dtype_x", "dtype_w", "dtype_y")


@dataclass(frozen=True)
class GroupedConvSpec(KernelSpec):
    """One kernel that convolves ``x`` with ``w`` to ``y``, or computes a gradient.

    ``vector_a``, ``vector_b`` and ``vector_c`` are the elements that are moved at a time: channels,
    or with channels first elements of a filter and positions of images. With
    ``merged_groups`` a workgroup computes several groups at once. With ``split_k`` several
    workgroups can share a sum over positions. ``d_count`` is 1 if a bias enters the ``fused_op``.
    """

    family: ClassVar[str] = "grouped_conv"
    parts: ClassVar[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
        {
            "implicit_gemm": {
                **dict.fromkeys(("dtype_a", "dtype_b", "dtype_c", "dtype_d"), _OF_DTYPES),
                **dict.fromkeys(("pad_m", "pad_n", "pad_k", "persistent", "d_layout"), ()),
                "variant": ("fused_op", "d_count"),
                "layout": ("variant", "layout"),
                "given_vectors": ("vector_a", "vector_b", "vector_c"),
            }
        }
    )

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
    merged_groups: int
    specialization: Specialization
    split_k: SplitK
    fused_op: FusedOp
    d_count: int

    @cached_property
    def implicit_gemm(self) -> ImplicitGemm:
        """The product that is computed for each group, all of whose extents are padded."""
        tensors, layout = operands(self.variant, self.layout.order)
        a, b, c = (getattr(self, f"dtype_{tensor}") for tensor in tensors)
        fused = self.d_count != 0 or self.fused_op is not FusedOp.PASS_THROUGH
        return ImplicitGemm(
            variant=gemm.Variant.MULTI_D if fused else gemm.Variant.STANDARD,
            dtype_a=a,
            dtype_b=b,
            dtype_c=c,
            dtype_acc=self.dtype_acc,
            layout=layout,
            tile=self.tile,
            waves=self.waves,
            warp_tile=self.warp_tile,
            pipeline=self.pipeline,
            epilogue=self.epilogue,
            scheduler=self.scheduler,
            pad_m=True,
            pad_n=True,
            pad_k=True,
            persistent=False,
            split_k=self.split_k,
            fused_op=self.fused_op,
            d_count=self.d_count,
            dtype_d=c,
            d_layout=gemm.DLayout.ROWS,
            given_vectors=self.vectors,
        )

    @cached_property
    def vectors(self) -> Dim3:
        """The elements that are moved at a time, of A, B and C."""
        return Dim3(self.vector_a, self.vector_b, self.vector_c)

    @cached_property
    def name(self) -> str:
        """The name that users of CK know, and a suffix for all that it does not imply."""
        product = self.implicit_gemm
        parts = [
            f"{self.family}_{DIRECTION_WORDS[self.variant]}_{product.dtype_a}_{self.layout}",
            f"{self.ndim_spatial}d_{self.pipeline}_{self.epilogue}_{self.scheduler}",
            f"{self.tile}_{self.waves}_{self.warp_tile}",
            *product.dtype_words,
        ]
        if self.vectors != DEFAULT_VECTORS:
            parts.append(f"v{self.vectors}")
        if self.merged_groups != 1:
            parts.append(f"merge{self.merged_groups}")
        if self.specialization is not Specialization.DEFAULT:
            parts.append(SPECIALIZATION_WORDS[self.specialization])
        if self.split_k is not SplitK.NONE:
            parts.append(gemm.SPLIT_K_WORDS[self.split_k])
        if self.d_count != 0 or self.fused_op is not FusedOp.PASS_THROUGH:
            parts.append(f"{self.fused_op}_d{self.d_count}")
        return "_".join(parts)
