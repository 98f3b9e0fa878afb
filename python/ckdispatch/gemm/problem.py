# SPDX-License-Identifier: MIT
"""What a caller wants of a matrix product, independent of any kernel."""

from __future__ import annotations

import ctypes
import re
from dataclasses import asdict, dataclass, fields
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.native.structures import Family, GemmStructure

_TEXT = re.compile(r"(?:gemm[\s:]+)?(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)(?P<rest>.*)", re.ASCII)
_FORM = "MxNxK followed by words such as fp16, rcr, batch=2, split_k=4; for example 512x256x1024 fp16 rcr"
_LAYOUT = re.compile(r"[rc]{3}")


@dataclass(frozen=True)
class GemmProblem:
    """C[m,n] = A[m,k] * B[k,n], ``batch`` times.

    ``layout`` has a letter for each of A, B and C: r if its rows are contiguous, c if its columns are. Strides are
    leading dimensions in elements, 0 for packed; batch strides are None for packed, and 0 shares an operand.
    ``split_k`` is the number of parts of K, 0 to let the dispatcher choose. ``alignment`` is what all addresses are
    multiples of, in bytes. The C++ runtime validates the values when the problem is first used.
    """

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

    def __post_init__(self) -> None:
        for name in ("m", "n", "k", "batch", "stride_a", "stride_b", "stride_c", "split_k"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
                raise InvalidArgument(f"a GEMM was asked for with {name} = {value!r}; it must be a whole number")
        # Problems are keys of caches on the path of every call.
        object.__setattr__(self, "_hash", hash(tuple(getattr(self, name) for name in _FIELDS)))
        object.__setattr__(self, "_structure", _structure(self))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return GemmProblem, tuple(getattr(self, name) for name in _FIELDS)

    @property
    def family(self) -> Family:
        return Family.GEMM

    @property
    def structure(self) -> GemmStructure:
        """The problem for the C ABI."""
        return self._structure  # type: ignore[attr-defined, no-any-return]

    @property
    def tensors(self) -> tuple[str, ...]:
        """What a run takes, in this order."""
        return ("A", "B", "C", *(f"D{i}" for i in range(self.d_count)))

    @property
    def flops(self) -> float:
        return 2.0 * self.m * self.n * self.k * self.batch

    def to_json(self) -> dict[str, Any]:
        return {"family": "gemm", **asdict(self)}

    @classmethod
    def parse(cls, text: str) -> GemmProblem:
        """The problem of a command line: ``512x256x1024 fp16 rcr split_k=2``."""
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise InvalidArgument(f"{text!r} is no GEMM problem; write {_FORM}")
        values: dict[str, Any] = {name: int(match[name]) for name in "mnk"}
        for word in match["rest"].replace(",", " ").split():
            name, equals, value = word.partition("=")
            if not equals:
                name, value = ("layout" if _LAYOUT.fullmatch(word) else "dtype"), word
            values[name] = _value(name, value, text)
        return cls(**values)


_FIELDS = tuple(field.name for field in fields(GemmProblem))
_NUMBERS = ("batch", "stride_a", "stride_b", "stride_c", "split_k", "alignment", "workspace_limit")
_WORDS = ("dtype", "layout", "dtype_b", "dtype_c")


def _value(name: str, value: str, text: str) -> Any:
    if name in _NUMBERS:
        if value.isascii() and value.isdigit():
            return int(value)
        raise InvalidArgument(f"{text!r} has {name}={value}; {name} is a whole number")
    if name == "deterministic":
        if value in ("true", "false"):
            return value == "true"
        raise InvalidArgument(f"{text!r} has deterministic={value}; it is true or false")
    if name in _WORDS:
        return value
    known = ", ".join((*_WORDS, *_NUMBERS, "deterministic"))
    raise InvalidArgument(f"{text!r} has the word {name!r}; a problem is {_FORM}, and its words are {known}")


def _structure(problem: GemmProblem) -> GemmStructure:
    def text(value: str | None) -> bytes | None:
        return value.encode() if value else None

    strides = problem.batch_strides or (0, 0, 0)
    structure = GemmStructure(
        m=problem.m, n=problem.n, k=problem.k, batch=problem.batch,
        stride_a=problem.stride_a, stride_b=problem.stride_b, stride_c=problem.stride_c,
        batch_stride_a=strides[0], batch_stride_b=strides[1], batch_stride_c=strides[2],
        has_batch_strides=problem.batch_strides is not None,
        d_count=problem.d_count,
        dtype_a=text(problem.dtype), dtype_b=text(problem.dtype_b), dtype_c=text(problem.dtype_c),
        layout=text(problem.layout), fused_op=text(problem.fused_op),
        split_k=problem.split_k if problem.split_k else -1,
        alignment=problem.alignment,
        deterministic=problem.deterministic,
        workspace_limit=problem.workspace_limit or 0,
    )
    # 0 parts are the C ABI's default of 1, and a batch of 0 its default too: neither was asked for.
    if problem.batch == 0:
        structure.batch = -1
    structure.base.struct_size = ctypes.sizeof(GemmStructure)
    structure.base.family = Family.GEMM
    return structure
