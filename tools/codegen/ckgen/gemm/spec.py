# SPDX-License-Identifier: MIT
"""The spec of one GEMM kernel: C[m,n] = A[m,k] * B[k,n]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ckgen.core.choice import Choice
from ckgen.core.spec import KernelSpec
from ckgen.core.tile import Dim3, TileConfig


class Variant(Choice):
    """What the kernel computes around the product."""

    STANDARD = "standard"


class Dtype(Choice):
    """Element types of A, B, C and of the accumulator."""

    FP16 = "fp16"
    BF16 = "bf16"
    FP32 = "fp32"
    FP8 = "fp8"
    BF8 = "bf8"
    INT8 = "int8"
    INT32 = "int32"
    PK_FP4 = "pk_fp4"


class Layout(Choice):
    """Whether A, B and C are stored by rows or by columns, in this order."""

    RCR = "rcr"
    RRR = "rrr"
    CRR = "crr"
    CCR = "ccr"

    @property
    def a_by_rows(self) -> bool:
        """Whether k is contiguous in A."""
        return self.value[0] == "r"

    @property
    def b_by_rows(self) -> bool:
        """Whether n is contiguous in B."""
        return self.value[1] == "r"

    @property
    def c_by_rows(self) -> bool:
        """Whether n is contiguous in C."""
        return self.value[2] == "r"


class Pipeline(Choice):
    """How tiles of A and B travel from memory to the matrix instructions."""

    MEM = "mem"
    COMPV3 = "compv3"
    COMPV4 = "compv4"
    COMPV5 = "compv5"
    COMPV6 = "compv6"


class Epilogue(Choice):
    """How accumulators are stored: rearranged through LDS, or as they lie."""

    CSHUFFLE = "cshuffle"
    DEFAULT = "default"


class Scheduler(Choice):
    """Whether loads and matrix instructions overlap within a wave or between waves."""

    INTRAWAVE = "intrawave"
    INTERWAVE = "interwave"


@dataclass(frozen=True)
class GemmSpec(KernelSpec):
    """One GEMM kernel. The accumulator and the output follow from A and B unless named.

    With ``split_k`` it adds to C instead of storing it, so that several workgroups can share the k
    of one tile; without, only one part of k is computed.
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
    split_k: bool = False

    @cached_property
    def tiling(self) -> TileConfig:
        """The three extents together, with what follows from them."""
        return TileConfig(self.tile, self.waves, self.warp_tile)

    @cached_property
    def dtype_key(self) -> str:
        """The name of the dtypes in a GPU's table of warp tiles."""
        return f"{self.dtype_a}_{self.dtype_b}_{self.dtype_acc}"

    @cached_property
    def name(self) -> str:
        """The name that users of CK know, and a suffix for all that it does not imply."""
        implied_acc, implied_c = implied_dtypes(self.dtype_a)
        pads = "_".join(str(pad) for pad in (self.pad_m, self.pad_n, self.pad_k))
        parts = [
            f"{self.family}_{self.dtype_a}_{self.layout}",
            f"{self.pipeline}_{self.epilogue}_{self.scheduler}_{pads}_{self.persistent}",
            f"{self.tile}_{self.waves}_{self.warp_tile}",
        ]
        if self.dtype_b is not self.dtype_a:
            parts.append(f"b{self.dtype_b}")
        if self.dtype_c is not implied_c:
            parts.append(f"c{self.dtype_c}")
        if self.dtype_acc is not implied_acc:
            parts.append(f"acc{self.dtype_acc}")
        if self.split_k:
            parts.append("splitk")
        if self.variant is not Variant.STANDARD:
            parts.append(self.variant.value)
        return "_".join(parts)


def implied_dtypes(a: Dtype) -> tuple[Dtype, Dtype]:
    """The accumulator and the output that a name implies if it says nothing about them.

    Names depend on nothing but the spec, so this is a convention of its own; it agrees with what
    the arch table gives by default.
    """
    if a is Dtype.INT8:
        return Dtype.INT32, Dtype.INT32
    return Dtype.FP32, Dtype.FP16 if a in (Dtype.FP8, Dtype.BF8, Dtype.PK_FP4) else a
