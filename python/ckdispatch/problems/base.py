# SPDX-License-Identifier: MIT
"""The base of every family's problem: a key of caches that can be pickled and that C can read."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import cache
from typing import Any, ClassVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.native.structures import Family
from ckdispatch.problems.fused_ops import check_fused_op
from ckdispatch.whole_numbers import whole


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
        if number is None or not -(2**63) <= number < 2**63:
            raise InvalidArgument(
                f"{what} was asked for with {name} = {value!r}; it must be a whole number of at "
                "most 2^31-1"
            )
        if number is not value:
            object.__setattr__(given, name, number)


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


def c_text(value: str | None) -> bytes | None:
    """A word as C takes it: null for none."""
    return value.encode() if value else None


def c_parts(split_k: int) -> int:
    """Parts of a sum as C takes them: 0 is its default of 1, and -1 lets the dispatcher choose."""
    return split_k if split_k else -1
