# SPDX-License-Identifier: MIT
"""The words of problems, as a command line and rankings have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ckdispatch.errors import InvalidArgument

PARTS = "parts of the sum"
"""What ``split_k`` makes, for all families: of a GEMM's K, or of the positions of a gradient."""

_OPERATION = re.compile(r"[A-Z]\w*", re.ASCII)


def named_words(rest: str, name_of: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Names and values of ``name=value``; a word by itself is of what ``name_of`` says."""
    for word in rest.replace(",", " ").split():
        name, equals, value = word.partition("=")
        yield (name, value) if equals else (name_of(word), word)


def is_operation(word: str) -> bool:
    """Whether a word by itself is that of a fused operation."""
    return _OPERATION.fullmatch(word) is not None


def takes_ds(operation: object) -> bool:
    """Whether a fused operation, if there is one, is on D tensors too."""
    return str(operation or "").startswith("MultiD")


def whole_number(name: str, value: str, text: str) -> int:
    """The number; ``text`` is the whole problem."""
    if value.isascii() and value.isdigit():
        return int(value)
    raise InvalidArgument(f"{text!r} has {name}={value}; {name} is a whole number")


def truth(name: str, value: str, text: str) -> bool:
    """True or false."""
    if value in ("true", "false"):
        return value == "true"
    raise InvalidArgument(f"{text!r} has {name}={value}; it is true or false")


def shown(name: str, value: Any) -> str:
    """A word with its value."""
    return f"{name}={str(value).lower()}"
