# SPDX-License-Identifier: MIT
"""What a caller wants of a matrix product, independent of any kernel: for Python, for C, and in
words.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from ckdispatch.arguments import members
from ckdispatch.errors import InvalidArgument
from ckdispatch.native.structures import ProblemBase
from ckdispatch.problem import (
    Problem,
    c_text,
    check_numbers,
    check_strides,
    check_text,
    check_words,
    shown,
    true_or_false,
    whole_number,
)
from ckdispatch.product.fused_ops import takes_ds
from ckdispatch.product.problem import c_options, check_options, product_words
from ckdispatch.wording import quoted

MAX_DS = 4
_PACKED = -1
_EXTENTS = re.compile(r"(\d+)x(\d+)x(\d+)", re.ASCII)
_BLOCK = re.compile(r"(?P<n>\d{1,9})x(?P<k>\d{1,9})", re.ASCII)


class GemmGroupStructure(ctypes.Structure):
    """``ckd_gemm_group``."""

    _fields_ = [
        (name, ctypes.c_int64) for name in ("m", "n", "k", "stride_a", "stride_b", "stride_c")
    ]


class GemmStructure(ctypes.Structure):
    """``ckd_gemm_problem``."""

    _fields_ = [
        ("base", ProblemBase),
        *(
            (name, ctypes.c_int64)
            for name in ("m", "n", "k", "batch", "stride_a", "stride_b", "stride_c")
        ),
        *(
            (name, ctypes.c_int64)
            for name in ("batch_stride_a", "batch_stride_b", "batch_stride_c")
        ),
        ("has_batch_strides", ctypes.c_int32),
        ("d_count", ctypes.c_int32),
        *(
            (name, ctypes.c_char_p)
            for name in ("dtype_a", "dtype_b", "dtype_c", "layout", "fused_op")
        ),
        ("split_k", ctypes.c_int64),
        ("alignment", ctypes.c_int32),
        ("deterministic", ctypes.c_int32),
        ("workspace_limit", ctypes.c_uint64),
        ("dtype_d", ctypes.c_char_p),
        ("d_layout", ctypes.c_char_p),
        ("stride_d", ctypes.c_int64 * MAX_DS),
        ("batch_stride_d", ctypes.c_int64 * MAX_DS),
        *(
            (name, ctypes.c_int32)
            for name in ("has_d_strides", "weights_n", "weights_k", "reserved")
        ),
        ("groups", ctypes.POINTER(GemmGroupStructure)),
        ("group_count", ctypes.c_int64),
    ]


STRUCTURES = {"ckd_gemm_group": GemmGroupStructure, "ckd_gemm_problem": GemmStructure}
"""What the C header calls them."""


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
    one row or one column. ``weights`` is the block of a preshuffled B, such as 16x8, and None for
    a plain B. With ``groups``, which ``grouped()`` makes,
    the sizes and strides of the problem itself are 0.
    """

    family: ClassVar[str] = "gemm"

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
        check_words(self, ("dtype", "layout", "dtype_b", "dtype_c", "dtype_d", "d_layout"))
        check_numbers(
            "a GEMM", self, ("m", "n", "k", "batch", "stride_a", "stride_b", "stride_c", "d_count")
        )
        check_options("a GEMM", self)
        if not isinstance(self.groups, tuple) or not all(
            isinstance(group, GemmGroup) for group in self.groups
        ):
            raise InvalidArgument(
                f"a GEMM was asked for with groups = {quoted(self.groups)}; "
                "GemmProblem.grouped makes them"
            )
        check_strides("a GEMM", self, "batch_strides", len("ABC"), or_packed=False)
        for name in ("d_strides", "d_batch_strides"):
            check_strides("a GEMM", self, name, self.d_count, or_packed=True)
        self.keep(_structure(self))

    __hash__ = Problem.__hash__

    @classmethod
    def grouped(cls, groups: Sequence[GemmGroup | Sequence[int]], **words: Any) -> GemmProblem:
        """Products of different sizes: ``GemmProblem.grouped([(64, 64, 32), (128, 64, 96)])``."""
        given = members(groups)
        if given is None:
            raise InvalidArgument(
                f"a GEMM was asked for with the groups {quoted(groups)}; they are a list of m, "
                "n and k"
            )
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
        if self.groups:
            return tuple(span for product in self.products() for span in product.spans())
        m, n, k = self.m, self.n, self.k
        shapes = [(m, k), (k, n), (m, n), *[(m, n)] * self.d_count]
        packed = (None,) * self.d_count
        leading = [
            self.stride_a or None,
            self.stride_b or None,
            self.stride_c or None,
            *(self.d_strides or packed),
        ]
        batches = [*(self.batch_strides or (None, None, None)), *(self.d_batch_strides or packed)]
        tensors = zip(
            self.layout + self.d_layout * self.d_count, shapes, leading, batches, strict=True
        )
        return tuple(_span(self, *tensor) for tensor in tensors)

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
        check_text(text)
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise InvalidArgument(f"{quoted(text)} is no GEMM problem; write {_FORM}")
        values: dict[str, Any] = {}
        for name, value in product_words(text, match["rest"] or "", _name_of, _BY_THEMSELVES):
            values[name] = _value(name, value, text)
        if "d_count" not in values:
            # An operation on D tensors has one, unless their strides say how many there are.
            some = int(takes_ds(values.get("fused_op")))
            values["d_count"] = len(values.get("d_strides", ())) or some
        sizes = [[int(extent) for extent in one.split("x")] for one in match["sizes"].split("+")]
        if len(sizes) == 1:
            m, n, k = sizes[0]
            return cls(m, n, k, **values)
        return cls.grouped(sizes, **values)

    @property
    def text(self) -> str:
        """The problem as ``parse`` reads it, without what is the default. Strides of groups are not
        said.
        """
        shapes = self.groups or (GemmGroup(self.m, self.n, self.k),)
        words = ["+".join(f"{one.m}x{one.n}x{one.k}" for one in shapes), self.dtype, self.layout]
        for field in fields(self)[5:]:
            value = getattr(self, field.name)
            if field.name == "groups" or value == field.default:
                continue
            if field.name == "fused_op":
                words.append(str(value))
            elif field.name in _SEVERAL:
                several = _BETWEEN.join("packed" if one is None else str(one) for one in value)
                words.append(f"{field.name}={several}")
            else:
                words.append(shown(field.name, value))
        return " ".join(words)


def computed_sizes(text: str) -> tuple[int, int, int]:
    """The M, N and K of what a plan computes, as it says that in words."""
    found = _EXTENTS.search(text)
    assert found is not None, text
    m, n, k = map(int, found.groups())
    return m, n, k


def _group(given: GemmGroup | Sequence[int]) -> GemmGroup:
    if isinstance(given, GemmGroup):
        return given
    try:
        return GemmGroup(*(members(given) or ()))
    except TypeError:
        raise InvalidArgument(
            f"a GEMM was asked for with the group {quoted(given)}; a group is m, n and k, and may "
            "have the strides of A, B and C"
        ) from None


def _structure(problem: GemmProblem) -> GemmStructure:
    """The problem for C, with all that it points to."""
    strides = problem.batch_strides or (0, 0, 0)
    structure = GemmStructure(
        m=problem.m,
        n=problem.n,
        k=problem.k,
        # A batch of 0 is the C ABI's default of 1, which was not asked for.
        batch=problem.batch or -1,
        stride_a=problem.stride_a,
        stride_b=problem.stride_b,
        stride_c=problem.stride_c,
        batch_stride_a=strides[0],
        batch_stride_b=strides[1],
        batch_stride_c=strides[2],
        has_batch_strides=problem.batch_strides is not None,
        d_count=problem.d_count,
        dtype_a=c_text(problem.dtype),
        dtype_b=c_text(problem.dtype_b),
        dtype_c=c_text(problem.dtype_c),
        **c_options(problem),
    )
    if 0 < problem.d_count <= MAX_DS:  # what is no count is refused by the runtime
        _fill_ds(structure, problem)
    if problem.weights is not None:
        structure.weights_n, structure.weights_k = block_of(problem.weights)
    if problem.groups:
        _fill_groups(structure, problem)
    return structure


def block_of(text: str) -> tuple[int, int]:
    """The n and k of ``16x8``."""
    found = _BLOCK.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InvalidArgument(
            f"weights preshuffled as {quoted(text)} were asked for; it is columns and their "
            "neighbours along k that lie together, such as 16x8"
        )
    return int(found["n"]), int(found["k"])


def _fill_ds(structure: GemmStructure, problem: GemmProblem) -> None:
    structure.dtype_d = c_text(problem.dtype_d)
    structure.d_layout = c_text(problem.d_layout)
    structure.has_d_strides = True
    packed = (None,) * problem.d_count
    pairs = zip(problem.d_strides or packed, problem.d_batch_strides or packed, strict=True)
    for i, (stride, batch_stride) in enumerate(pairs):
        structure.stride_d[i] = _PACKED if stride is None else stride
        structure.batch_stride_d[i] = _PACKED if batch_stride is None else batch_stride


def _fill_groups(structure: GemmStructure, problem: GemmProblem) -> None:
    groups = (
        GemmGroupStructure(one.m, one.n, one.k, one.stride_a, one.stride_b, one.stride_c)
        for one in problem.groups
    )
    structure.groups = (GemmGroupStructure * len(problem.groups))(
        *groups
    )  # which the structure then holds
    structure.group_count = len(problem.groups)


def _span(
    problem: GemmProblem,
    letter: str,
    extents: tuple[int, int],
    leading: int | None,
    batch: int | None,
) -> int:
    lines, width = extents if letter == "r" else extents[::-1]
    leading = width if leading is None else leading
    batch = lines * leading if batch is None else batch
    return (problem.batch - 1) * batch + (lines - 1) * leading + width


_SIZES = r"\d{1,19}x\d{1,19}x\d{1,19}"
_TEXT = re.compile(
    rf"(?:gemm[\s:]+)?(?P<sizes>{_SIZES}(?:\+{_SIZES})*)(?P<rest>[\s,].*)?", re.ASCII
)
_FORM = (
    "MxNxK (or several with + between them) followed by words such as fp16, rcr, batch=2, "
    "split_k=4; for example 512x256x1024 fp16 rcr"
)
_LAYOUT = re.compile(r"[rc]{3}")
_BY_THEMSELVES = {"layouts": "three letters r or c, such as rcr"}
_BETWEEN = "/"
"""Between the numbers of one word; a comma is between words."""

_NUMBERS = (
    "batch",
    "stride_a",
    "stride_b",
    "stride_c",
    "split_k",
    "d_count",
    "alignment",
    "workspace_limit",
)
_WORDS = ("dtype", "layout", "dtype_b", "dtype_c", "dtype_d", "d_layout", "fused_op", "weights")
_SEVERAL = ("batch_strides", "d_strides", "d_batch_strides")


def _name_of(word: str) -> str | None:
    return "layout" if _LAYOUT.fullmatch(word) else None


def _value(name: str, value: str, text: str) -> Any:
    if name in _NUMBERS:
        return whole_number(name, value, text)
    if name in _SEVERAL:
        numbers = value.split(_BETWEEN)
        return tuple(None if one == "packed" else whole_number(name, one, text) for one in numbers)
    if name == "deterministic":
        return true_or_false(name, value, text)
    if name in _WORDS:
        return value
    known = ", ".join((*_WORDS, *_NUMBERS, *_SEVERAL, "deterministic"))
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(name)}; a problem is {_FORM}, "
        f"and its words are {known}"
    )
