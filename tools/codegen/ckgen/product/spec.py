# SPDX-License-Identifier: MIT
"""What the spec of a kernel says that computes a matrix product, whatever family it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from ckgen.core.choice import Choice
from ckgen.core.spec import KernelSpec
from ckgen.core.tile import Dim3, TileConfig


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
    COMP_ASYNC = "comp_async"
    PRESHUFFLEV2 = "preshufflev2"


class Epilogue(Choice):
    """How accumulators are stored: rearranged through LDS, or as they lie."""

    CSHUFFLE = "cshuffle"
    DEFAULT = "default"


class Scheduler(Choice):
    """Whether loads and matrix instructions overlap within a wave or between waves.

    The pipeline of preshuffled weights knows only its own schedule, called ``default``.
    """

    INTRAWAVE = "intrawave"
    INTERWAVE = "interwave"
    DEFAULT = "default"


class SplitK(Choice):
    """How the parts of one tile's k, each of another workgroup, are added up, if there are any.

    ``atomic`` adds them to C in memory, in any order; ``workspace`` keeps them apart and adds them
    up in a second launch, always in the same order.
    """

    NONE = "none"
    ATOMIC = "atomic"
    WORKSPACE = "workspace"


class FusedOp(Choice):
    """What is applied to the product, and to the D tensors if it takes any."""

    PASS_THROUGH = "PassThrough"
    MULTI_D_ADD = "MultiDAdd"
    MULTI_D_MULTIPLY = "MultiDMultiply"
    RELU = "Relu"
    GELU = "Gelu"
    FAST_GELU = "FastGelu"
    SILU = "Silu"
    SIGMOID = "Sigmoid"
    TANH = "Tanh"
    MULTI_D_ADD_RELU = "MultiDAddRelu"
    MULTI_D_ADD_GELU = "MultiDAddGelu"
    MULTI_D_ADD_FAST_GELU = "MultiDAddFastGelu"
    MULTI_D_ADD_SILU = "MultiDAddSilu"
    MULTI_D_ADD_SIGMOID = "MultiDAddSigmoid"
    MULTI_D_ADD_TANH = "MultiDAddTanh"

    @property
    def takes_ds(self) -> bool:
        """Whether it needs D tensors."""
        return self.value.startswith("MultiD")

    @property
    def with_ds(self) -> FusedOp:
        """What users of CK mean by it where there are D tensors: the same of the sum with them."""
        if self.takes_ds:
            return self
        own = "" if self is FusedOp.PASS_THROUGH else self.value
        return FusedOp(f"{FusedOp.MULTI_D_ADD}{own}")

    @property
    def without_ds(self) -> FusedOp:
        """What is left of it without a D tensor."""
        if self is FusedOp.MULTI_D_MULTIPLY:
            return FusedOp.PASS_THROUGH
        return FusedOp(self.value.removeprefix(FusedOp.MULTI_D_ADD) or FusedOp.PASS_THROUGH)


class ProductSpec(KernelSpec):
    """A kernel that computes C[m,n] = A[m,k] * B[k,n], whichever of its tensors these are.

    A family's spec has these attributes as fields, or derives them from its own. With ``split_k``
    several workgroups can share the k of one tile; without, only one part of k is computed.
    ``d_count`` tensors of ``dtype_d`` enter the ``fused_op``.
    """

    dtype_acc: Dtype
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

    if TYPE_CHECKING:
        # Only read, so that a family may derive them; at run time a dataclass would take a property
        # for a field's default.
        @property
        def variant(self) -> Choice: ...
        @property
        def dtype_a(self) -> Dtype: ...
        @property
        def dtype_b(self) -> Dtype: ...
        @property
        def dtype_c(self) -> Dtype: ...
        @property
        def dtype_d(self) -> Dtype: ...
        @property
        def operand_layout(self) -> Layout: ...

    @property
    def vectors(self) -> Dim3 | None:
        """Elements of A, B and C that are moved at a time, where that is not left to CK."""
        return None

    @property
    def preshuffled(self) -> bool:
        """Whether B is given in the order of the matrix instructions."""
        return False

    @property
    def ds_by_rows(self) -> bool:
        """Whether n is contiguous in the D tensors."""
        return True

    @property
    def fused(self) -> bool:
        """Whether anything is applied to the product."""
        return self.d_count != 0 or self.fused_op is not FusedOp.PASS_THROUGH

    @cached_property
    def tiling(self) -> TileConfig:
        """The three extents together, with what follows from them."""
        return TileConfig(self.tile, self.waves, self.warp_tile)

    @cached_property
    def dtype_stored(self) -> Dtype:
        """What the epilogue stores: C, or parts of it that are added up later."""
        return self.dtype_acc if self.split_k is SplitK.WORKSPACE else self.dtype_c

    @cached_property
    def dtype_key(self) -> str:
        """The name of the dtypes in a GPU's table of warp tiles."""
        return f"{self.dtype_a}_{self.dtype_b}_{self.dtype_acc}"

    @property
    def dtype_words(self) -> tuple[str, ...]:
        """What a name says about dtypes that do not follow from that of A."""
        implied_acc, implied_c = implied_dtypes(self.dtype_a)
        differing = (
            (f"b{self.dtype_b}", self.dtype_b is not self.dtype_a),
            (f"c{self.dtype_c}", self.dtype_c is not implied_c),
            (f"acc{self.dtype_acc}", self.dtype_acc is not implied_acc),
        )
        return tuple(word for word, differs in differing if differs)


SPLIT_K_WORDS: Mapping[SplitK, str] = MappingProxyType(
    {SplitK.ATOMIC: "splitk", SplitK.WORKSPACE: "splitkws"}
)


def implied_dtypes(a: Dtype) -> tuple[Dtype, Dtype]:
    """The accumulator and the output that a name implies if it says nothing about them.

    Names depend on nothing but the spec, so this is a convention of its own; it agrees with what
    the arch table gives by default.
    """
    if a is Dtype.INT8:
        return Dtype.INT32, Dtype.INT32
    return Dtype.FP32, Dtype.FP16 if a in (Dtype.FP8, Dtype.BF8, Dtype.PK_FP4) else a
