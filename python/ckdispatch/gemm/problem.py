# SPDX-License-Identifier: MIT
"""What a caller wants of a matrix product, independent of any kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.structure import problem_structure
from ckdispatch.native.structures import Family
from ckdispatch.problems.base import Problem, check_numbers, check_options, check_strides, check_words
from ckdispatch.whole_numbers import members
from ckdispatch.wording import quoted

_WORDS = ("dtype", "layout", "dtype_b", "dtype_c", "dtype_d", "d_layout")
_NUMBERS = ("m", "n", "k", "batch", "stride_a", "stride_b", "stride_c", "d_count")


@dataclass(frozen=True)
class GemmGroup:
    """One product of several that differ in size; strides are leading dimensions, 0 for packed."""

    m: int
    n: int
    k: int
    stride_a: int = 0
    stride_b: int = 0
    stride_c: int = 0

    def __post_init__(self) -> None:
        check_numbers("a GEMM", self, [field.name for field in fields(self)])


@dataclass(frozen=True)
class GemmProblem(Problem):
    """C[m,n] = op(A[m,k] * B[k,n], D0, …), ``batch`` times, or once for each of some ``groups``.

    ``layout`` has a letter for each of A, B and C: r if its rows are contiguous, c if its columns
    are. Strides are leading dimensions in elements, 0 for packed; batch strides are None for
    packed, and 0 shares an operand. ``split_k`` is the number of parts of K, 0 to let the
    dispatcher choose. ``alignment`` is what all addresses are multiples of, in bytes.

    ``fused_op`` takes ``d_count`` D tensors of ``dtype_d`` (C's if it is None), all of rows
    (``d_layout`` r) or all of columns (c). A stride of theirs is None for packed, and 0 repeats
    one row or one column. ``weights`` is the granule of a preshuffled B, such as 16x8, and None for
    a plain B. With ``groups``, which ``grouped()`` makes,
    the sizes and strides of the problem itself are 0.
    """

    family: ClassVar[Family] = Family.GEMM

    m: int
    n: int
    k: int
    dtype: str = "fp16"
    layout: str = "rcr"
    dtype_b: str | None = None
    dtype_c: str | None = None
    batch: int = 1
    stride_a: int = 0
    stride_b: int = 0
    stride_c: int = 0
    batch_strides: tuple[int, int, int] | None = None
    split_k: int = 1
    fused_op: str | None = None
    d_count: int = 0
    alignment: int = 16
    deterministic: bool = False
    workspace_limit: int | None = None
    dtype_d: str | None = None
    d_layout: str = "r"
    d_strides: tuple[int | None, ...] | None = None
    d_batch_strides: tuple[int | None, ...] | None = None
    weights: str | None = None
    groups: tuple[GemmGroup, ...] = ()

    def __post_init__(self) -> None:
        check_words(self, _WORDS)
        check_numbers("a GEMM", self, _NUMBERS)
        check_options("a GEMM", self)
        if not isinstance(self.groups, tuple) or not all(isinstance(group, GemmGroup) for group in self.groups):
            raise InvalidArgument(f"a GEMM was asked for with groups = {quoted(self.groups)}; GemmProblem.grouped makes them")
        check_strides("a GEMM", self, "batch_strides", len("ABC"), or_packed=False)
        for name in ("d_strides", "d_batch_strides"):
            check_strides("a GEMM", self, name, self.d_count, or_packed=True)
        self.keep(problem_structure(self))

    __hash__ = Problem.__hash__

    @classmethod
    def grouped(cls, groups: Sequence[GemmGroup | Sequence[int]], **words: Any) -> GemmProblem:
        """Products of different sizes: ``GemmProblem.grouped([(64, 64, 32), (128, 64, 96)])``."""
        given = members(groups)
        if given is None:
            raise InvalidArgument(f"a GEMM was asked for with the groups {quoted(groups)}; they are a list of m, n and k")
        if not given:
            raise InvalidArgument("a GEMM of no groups was asked for; there must be at least one")
        return cls(0, 0, 0, groups=tuple(map(_group, given)), **words)

    def products(self) -> list[GemmProblem]:
        """The groups as problems of their own."""
        return [replace(self, groups=(), **asdict(group)) for group in self.groups]

    @property
    def tensors(self) -> tuple[str, ...]:
        """What a run takes, in this order."""
        if self.groups:
            return tuple(f"{name}{i}" for i in range(len(self.groups)) for name in "ABC")
        return ("A", "B", "C", *(f"D{i}" for i in range(self.d_count)))

    def spans(self) -> tuple[int, ...]:
        """Elements of each of them in memory, from the first to the last."""
        from ckdispatch.gemm.spans import spans

        return tuple(spans(self))

    def dtypes(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """That of each of them; ``spec``, a kernel's, has what the problem leaves open."""
        c = self.dtype_c or spec["dtype_c"]
        product = (self.dtype, self.dtype_b or self.dtype, c)
        if self.groups:
            return product * len(self.groups)
        return (*product, *(self.dtype_d or c for _ in range(self.d_count)))

    @property
    def flops(self) -> float:
        one = 2.0 * self.m * self.n * self.k * self.batch
        return one + sum(2.0 * group.m * group.n * group.k for group in self.groups)

    @classmethod
    def parse(cls, text: str) -> GemmProblem:
        """The problem of a command line: ``512x256x1024 fp16 rcr split_k=2``."""
        from ckdispatch.gemm.problem_text import parse_problem

        return parse_problem(text)

    @property
    def text(self) -> str:
        """The problem as ``parse`` reads it, without what is the default."""
        from ckdispatch.gemm.problem_text import problem_text

        return problem_text(self)


def _group(given: GemmGroup | Sequence[int]) -> GemmGroup:
    if isinstance(given, GemmGroup):
        return given
    try:
        return GemmGroup(*(members(given) or ()))
    except TypeError:
        raise InvalidArgument(
            f"a GEMM was asked for with the group {quoted(given)}; a group is m, n and k, and may have "
            "the strides of A, B and C"
        ) from None
