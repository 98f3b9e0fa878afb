# SPDX-License-Identifier: MIT
"""The spec of one GEMM kernel: C[m,n] = A[m,k] * B[k,n]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ckgen.core.choice import Choice
from ckgen.core.tile import Dim3
from ckgen.product.spec import (
    SPLIT_K_WORDS,
    Dtype,
    Epilogue,
    FusedOp,
    Layout,
    Pipeline,
    ProductSpec,
    Scheduler,
    SplitK,
)


class Variant(Choice):
    """What the kernel computes around the product."""

    STANDARD = "standard"
    BATCHED = "batched"
    GROUPED = "grouped"
    MULTI_D = "multi_d"
    PRESHUFFLE = "preshuffle"
    STREAM_K = "stream_k"


MAX_DS = 4
"""The most D tensors that a kernel takes."""


class DLayout(Choice):
    """Whether D tensors are stored by rows or by columns.

    One row that is repeated is a D tensor by rows, one column that is repeated one by columns.
    """

    ROWS = "r"
    COLUMNS = "c"


@dataclass(frozen=True)
class GemmSpec(ProductSpec):
    """One GEMM kernel. The accumulator and the output follow from A and B unless named.

    Where there are no D tensors their dtype is C's and their layout by rows.
    """

    family: ClassVar[str] = "gemm"

    variant: Variant
    dtype_a: Dtype
    dtype_b: Dtype
    dtype_c: Dtype
    dtype_acc: Dtype
    layout: Layout
    tile: Dim3
    waves: Dim3
    warp_tile: Dim3
    pipeline: Pipeline
    epilogue: Epilogue
    scheduler: Scheduler
    pad_m: bool
    pad_n: bool
    pad_k: bool
    persistent: bool
    split_k: SplitK
    fused_op: FusedOp
    d_count: int
    dtype_d: Dtype
    d_layout: DLayout

    @property
    def operand_layout(self) -> Layout:
        """How A, B and C lie, which is all that a layout of GEMM says."""
        return self.layout

    @property
    def preshuffled(self) -> bool:
        return self.variant is Variant.PRESHUFFLE

    @property
    def ds_by_rows(self) -> bool:
        return self.d_layout is DLayout.ROWS

    @cached_property
    def name(self) -> str:
        """The name that users of CK know, and a suffix for all that it does not imply."""
        pads = "_".join(str(pad) for pad in (self.pad_m, self.pad_n, self.pad_k))
        with_d = self.d_count != 0 or self.d_layout is not DLayout.ROWS
        layout = f"{self.layout}{self.d_layout}" if with_d else self.layout
        parts = [
            f"{self.family}_{self.dtype_a}_{layout}",
            f"{self.pipeline}_{self.epilogue}_{self.scheduler}_{pads}_{self.persistent}",
            f"{self.tile}_{self.waves}_{self.warp_tile}",
            *self.dtype_words,
        ]
        if self.dtype_d is not self.dtype_c:
            parts.append(f"d{self.dtype_d}")
        if self.split_k is not SplitK.NONE:
            parts.append(SPLIT_K_WORDS[self.split_k])
        if self.fused:
            parts.append(f"multid_{self.fused_op}_d{self.d_count}")
        if self.variant is not (Variant.MULTI_D if self.fused else Variant.STANDARD):
            parts.append(VARIANT_WORDS[self.variant])
        return "_".join(parts)


VARIANT_WORDS = {variant: variant.value.replace("_", "") for variant in Variant}
