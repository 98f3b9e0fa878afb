# SPDX-License-Identifier: MIT
"""The base of every family's problem: a key of caches that can be pickled and that C can read; and
problems in words.
"""

from __future__ import annotations

import ctypes
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from typing import Any, ClassVar, TypeVar

from ckfamilies import FAMILIES

from ckdispatch.arguments import SIZE, fits, text, whole
from ckdispatch.errors import InvalidArgument
from ckdispatch.native.structures import ProblemBase
from ckdispatch.wording import kind_of, quoted

_NUMBERS = {row.name: row.number for row in FAMILIES}


class Problem(ABC):
    """What a caller wants, independent of any kernel.

    A family's is a frozen dataclass that calls ``keep`` when it is made, and has this class's
    ``__hash__``. The C++ runtime validates the values when the problem is first used.
    """

    family: ClassVar[str]
    alignment: int
    ran: ClassVar[tuple[object, Callable[[], Any]]] = (None, lambda: None)
    """Where the dispatcher that ran this object last has what it found out, and until when that
    holds.
    """

    _hash: int
    _structure: Any

    def keep(self, structure: ctypes.Structure) -> None:
        """Keeps the problem for the C ABI, and its hash."""
        structure.base = ProblemBase(ctypes.sizeof(structure), _NUMBERS[self.family])
        # Problems are keys of caches on the path of every call.
        object.__setattr__(self, "_hash", hash(self._values()))
        object.__setattr__(self, "_structure", structure)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    @property
    def structure(self) -> Any:
        """The problem for the C ABI."""
        return self._structure

    @property
    @abstractmethod
    def tensors(self) -> tuple[str, ...]:
        """What a run takes, in this order."""

    def placed(self, addresses: Sequence[int]) -> Sequence[int]:
        """The addresses of ``tensors`` as C takes them: those that a problem may leave out have a
        place there all the same.
        """
        return addresses

    @abstractmethod
    def spans(self) -> tuple[int, ...]:
        """Elements of each of them in memory, from the first to the last."""

    @abstractmethod
    def dtypes(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """That of each of them; ``spec``, a kernel's, has what the problem leaves open."""

    @property
    @abstractmethod
    def flops(self) -> float:
        """Floating-point operations that it takes."""

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Problem:
        """The problem of a command line."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The problem as ``parse`` reads it, without what is the default."""

    def to_json(self) -> dict[str, Any]:
        """The family and every field."""
        return {"family": self.family, **asdict(self)}  # type: ignore[call-overload]  # each family's problem is a dataclass

    def _values(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return tuple([getattr(self, name) for name in _names(kind)])


P = TypeVar("P", bound=Problem)


def check_problem(given: Any) -> None:
    """Refuses what is no problem."""
    if not isinstance(given, Problem):
        known = (
            " or ".join(sorted(kind.__name__ for kind in Problem.__subclasses__()))
            or "one of a family"
        )
        raise InvalidArgument(
            f"{kind_of(given)} was given where a problem is needed, such as {known}"
        )


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


_BITS = {"alignment": 32, "d_count": 32}
"""Of numbers that the C ABI has no 64 bits for. What fits and is too large, the runtime refuses."""


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
            f"{what} was asked for with {name} = {quoted(values)}; it must be None or a tuple of "
            f"{count}, of whole numbers{' and None for packed ones' if or_packed else ''}"
        )
    object.__setattr__(given, name, strides)


def _strides(values: Sequence[object], or_packed: bool) -> tuple[int | None, ...] | None:
    strides = tuple(whole(one) for one in values)
    for one, stride in zip(values, strides, strict=True):
        if not (one is None and or_packed) and (stride is None or not fits(stride)):
            return None
    return strides


def check_words(given: object, names: Sequence[str]) -> None:
    """Refuses attributes of ``given`` that are neither words nor None, also where the C ABI has no
    use for them.
    """
    for name in names:
        c_text(getattr(given, name))


def c_text(value: str | None) -> bytes | None:
    """A word as C takes it: null for none."""
    if value is None or (isinstance(value, str) and not value):
        return None
    if not isinstance(value, str):
        raise InvalidArgument(
            f"a problem was asked for with {quoted(value)} in place of a word such as "
            "'fp16' or 'rcr'"
        )
    return text("a word of a problem", value)


_NUMBER = re.compile(r"\d{1,19}", re.ASCII)
_LONGEST = 100_000


def check_text(given: object) -> None:
    """Refuses what is no text of a problem."""
    if not isinstance(given, str) or len(given) > _LONGEST:
        raise InvalidArgument(
            f"{quoted(given)} is no problem; it is a text such as '512x256x1024 fp16 rcr'"
        )


def named_words(
    text: str, rest: str, name_of: Callable[[str], str | None], others: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Names and values of ``name=value``, each once; a word by itself is of what ``name_of`` says,
    or a dtype.

    ``rest`` is what ``text``, the whole problem, has them in; ``others`` says what stands by itself
    beside dtypes.
    """
    said: dict[str, str] = {}
    for word in rest.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals:
            name, value = name_of(word) or _dtype(word, text, others), word
        if name in said:
            raise InvalidArgument(
                f"{quoted(text)} has {said[name]} and {word}, which both say {name}; leave out one"
            )
        said[name] = word
        yield name, value


@cache
def _dtypes() -> tuple[str, ...]:
    from ckarch import load_specs

    return tuple(
        load_specs().dtypes
    )  # a file, which a list of thousands of problems need not read again


def _dtype(word: str, text: str, others: Mapping[str, str]) -> str:
    dtypes = _dtypes()
    if word in dtypes:
        return "dtype"
    listed = "; ".join(
        f"{kind}: {words}" for kind, words in {**others, "dtypes": ", ".join(dtypes)}.items()
    )
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(word)}; by themselves stand {listed}, "
        "and others are name=value"
    )


def whole_number(name: str, value: str, text: str, least: int = 0) -> int:
    """The number; ``text`` is the whole problem, and ``least`` what the number can be."""
    if _NUMBER.fullmatch(value):
        return int(value)
    raise InvalidArgument(
        f"{quoted(text)} has {name}={value}; {name} is a whole number of at least {least}"
    )


def true_or_false(name: str, value: str, text: str) -> bool:
    """What a word says that is true or false."""
    if value in ("true", "false"):
        return value == "true"
    raise InvalidArgument(f"{quoted(text)} has {name}={value}; it is true or false")


def shown(name: str, value: Any) -> str:
    """A word with its value."""
    return f"{name}={str(value).lower()}"
