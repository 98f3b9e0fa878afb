# SPDX-License-Identifier: MIT
"""The words of problems, as a command line and rankings have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.problems.fused_ops import fused_ops
from ckdispatch.wording import quoted

PARTS = "parts of the sum"
"""What ``split_k`` makes, for all families: of a GEMM's K, or of the positions of a gradient."""

_NUMBER = re.compile(r"\d{1,19}", re.ASCII)
_OPERATION = re.compile(r"[A-Z]\w*", re.ASCII)


_LONGEST = 100_000


def check_text(given: object) -> None:
    """Refuses what is no text of a problem."""
    if not isinstance(given, str) or len(given) > _LONGEST:
        raise InvalidArgument(f"{quoted(given)} is no problem; it is a text such as '512x256x1024 fp16 rcr'")


def named_words(
    text: str, rest: str, name_of: Callable[[str], str | None], others: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Names and values of ``name=value``, each once; a word by itself is of what ``name_of`` says.

    ``rest`` is what ``text``, the whole problem, has them in. Dtypes and operations stand by
    themselves in problems of all families; ``others`` says what else does.
    """
    said: dict[str, str] = {}
    for word in rest.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals:
            name, value = name_of(word) or _common_name(word, text, others), word
        if name in said:
            raise InvalidArgument(
                f"{quoted(text)} has {said[name]} and {word}, which both say {name}; leave out one"
            )
        said[name] = word
        yield name, value


def _common_name(word: str, text: str, others: Mapping[str, str]) -> str:
    from ckarch import load_specs

    dtypes = load_specs().dtypes
    if word in dtypes:
        return "dtype"
    if is_operation(word):
        return "fused_op"
    known = {**others, "dtypes": ", ".join(dtypes), "operations": ", ".join(fused_ops())}
    listed = "; ".join(f"{kind}: {words}" for kind, words in known.items())
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(word)}; by themselves stand {listed}, and others are name=value"
    )


def is_operation(word: str) -> bool:
    """Whether a word by itself is that of a fused operation."""
    return _OPERATION.fullmatch(word) is not None


def whole_number(name: str, value: str, text: str, least: int = 0) -> int:
    """The number; ``text`` is the whole problem, and ``least`` what the number can be."""
    if _NUMBER.fullmatch(value):
        return int(value)
    raise InvalidArgument(
        f"{quoted(text)} has {name}={value}; {name} is a whole number of at least {least}"
    )


def truth(name: str, value: str, text: str) -> bool:
    """True or false."""
    if value in ("true", "false"):
        return value == "true"
    raise InvalidArgument(f"{quoted(text)} has {name}={value}; it is true or false")


def shown(name: str, value: Any) -> str:
    """A word with its value."""
    return f"{name}={str(value).lower()}"
