# SPDX-License-Identifier: MIT
"""The base of every family's problem: a key of caches that can be pickled and that C can read."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import cache
from typing import Any, ClassVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.native.arguments import text, truth
from ckdispatch.native.structures import Family
from ckdispatch.problems.fused_ops import check_fused_op
from ckdispatch.whole_numbers import SIZE, fits, whole
from ckdispatch.wording import kind_of, quoted


class Problem:
    """A frozen dataclass that calls ``keep`` when it is made, and has this class's ``__hash__``.

    The C++ runtime validates the values when the problem is first used.
    """

    family: ClassVar[Family]

    def keep(self, structure: ctypes.Structure) -> None:
        """Keeps the problem for the C ABI, and its hash."""
        # Problems are keys of caches on the path of every call.
        object.__setattr__(self, "_hash", hash(self._values()))
        object.__setattr__(self, "_structure", structure)

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    @property
    def structure(self) -> Any:
        """The problem for the C ABI."""
        return self._structure  # type: ignore[attr-defined]

    def to_json(self) -> dict[str, Any]:
        """The family and every field."""
        return {"family": self.family.word, **asdict(self)}  # type: ignore[call-overload]

    def _values(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return tuple([getattr(self, name) for name in _names(kind)])


def check_problem(given: Any) -> None:
    """Refuses what is no problem."""
    if not isinstance(given, Problem):
        raise InvalidArgument(
            f"{kind_of(given)} was given where a problem is needed, such as GemmProblem(64, 64, 64) or a GroupedConvProblem"
        )


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def check_numbers(what: str, given: object, names: Sequence[str]) -> None:
    """Refuses attributes of ``given`` that are no whole numbers; ``what`` was asked for.

    Those of NumPy become Python's, so that equal problems are one key.
    """
    for name in names:
        value = getattr(given, name)
        number = value if type(value) is int else whole(value)
        if number is None or not fits(number, _BITS.get(name, 64)):
            raise InvalidArgument(
                f"{what} was asked for with {name} = {quoted(value)}; it must be {SIZE}"
            )
        if number is not value:
            object.__setattr__(given, name, number)


def check_strides(what: str, given: object, name: str, count: int, *, or_packed: bool) -> None:
    """Refuses an attribute that is neither None nor ``count`` whole numbers, or None if packed."""
    values = getattr(given, name)
    if values is None:
        return
    strides = _strides(values, or_packed) if isinstance(values, (tuple, list)) else None
    if strides is None or len(strides) != count:
        raise InvalidArgument(
            f"{what} was asked for with {name} = {quoted(values)}; it must be None or a tuple of {count}, "
            f"of whole numbers{' and None for packed ones' if or_packed else ''}"
        )
    object.__setattr__(given, name, strides)


def _strides(values: Sequence[object], or_packed: bool) -> tuple[int | None, ...] | None:
    strides = tuple(whole(one) for one in values)
    for one, stride in zip(values, strides, strict=True):
        if not (one is None and or_packed) and (stride is None or not fits(stride)):
            return None
    return strides


_BITS = {"alignment": 32, "d_count": 32}
"""Of numbers that the C ABI has no 64 bits for. What fits and is too large, the runtime refuses."""


def check_words(given: object, names: Sequence[str]) -> None:
    """Refuses attributes of ``given`` that are neither words nor None, also where the C ABI has no use for them."""
    for name in names:
        c_text(getattr(given, name))


def check_options(what: str, problem: Any) -> None:
    """Refuses what no problem of any family can have."""
    check_numbers(what, problem, ("split_k", "alignment"))
    if problem.split_k < 0:
        raise InvalidArgument(
            f"{what} was asked for with split_k = {problem.split_k}; it is the number of parts, or "
            "0 for the dispatcher to choose"
        )
    if problem.workspace_limit is not None:
        check_numbers(what, problem, ("workspace_limit",))
        if problem.workspace_limit < 0:
            raise InvalidArgument(
                f"{what} was asked for with workspace_limit = {problem.workspace_limit}; it is a "
                "number of bytes, or None"
            )
    check_fused_op(problem.fused_op)
    object.__setattr__(problem, "deterministic", truth("deterministic", problem.deterministic))


def c_text(value: str | None) -> bytes | None:
    """A word as C takes it: null for none."""
    if value is None or (isinstance(value, str) and not value):
        return None
    if not isinstance(value, str):
        raise InvalidArgument(
            f"a problem was asked for with {quoted(value)} in place of a word such as 'fp16' or 'rcr'"
        )
    return text("a word of a problem", value)


def c_parts(split_k: int) -> int:
    """Parts of a sum as C takes them: 0 is its default of 1, and -1 lets the dispatcher choose."""
    return split_k if split_k else -1
