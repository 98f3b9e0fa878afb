# SPDX-License-Identifier: MIT
"""A source apart: the directives that decide which headers and lines the compiler sees, and the
text between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_COMMENT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|("[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')""", re.DOTALL
)
_REST = r"\b(?:\\\n|[^\n])*\n?"
_BRANCHES = re.compile(
    rf"^[ \t]*(#[ \t]*(?:include|if|ifdef|ifndef|elif|else|endif|error){_REST})", re.MULTILINE
)
_DIRECTIVES = re.compile(rf"^[ \t]*(#[ \t]*\w+{_REST})", re.MULTILINE)
_STRING = re.compile(r"""("[^"\\]*(?:\\.[^"\\]*)*"|'(?:\\.|[^'\\])')""")
_SPACES = re.compile(r"\s+")
_OPERATOR = r"[-+*/%&|^<>=!:.]"
# Begins with the space itself, for which the text is searched faster than for what stands before.
_NEEDLESS = re.compile(rf" (?:(?<!\w )(?!{_OPERATOR})|(?<!{_OPERATOR} )(?!\w))")
_PLACE = "ck_text_"
_OF_ITS_OWN = re.compile(rf"\s*(#|{_PLACE})")
_NUMBERED = re.compile(rf"^{_PLACE}(\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Skeleton:
    """``directives`` with a name at each place of a text; nearly all kernels of a family have the
    same.
    """

    directives: str
    texts: tuple[str, ...]

    @classmethod
    def of(cls, source: str, every_directive: bool = False) -> Skeleton:
        """The skeleton of ``source``; unless ``every_directive`` is taken out, ``#define`` and its
        like are text.
        """
        pattern = _DIRECTIVES if every_directive else _BRANCHES
        parts = pattern.split(_COMMENT.sub(lambda found: found[1] or " ", source))
        directives = ""
        texts: list[str] = []
        for text, directive in zip(
            map(in_plain_lines, parts[::2]), [*parts[1::2], ""], strict=False
        ):
            if text:
                directives += f"{_PLACE}{len(texts)}\n"
                texts.append(text)
            directives += directive
        return cls(directives, tuple(texts))


Look = Callable[[str], tuple[str, Sequence[int]]]
"""Digests what the preprocessor makes of directives, and says which places it lets through."""


def what_is_seen(source: str, look: Look) -> tuple[str, tuple[str, ...]]:
    """The digest of all that surrounds the texts of ``source`` that the compiler sees, and these
    texts.
    """
    headers, seen = _look(Skeleton.of(source), look)
    if any(_DIRECTIVES.search(text) for text in seen):
        # A macro may change the headers that are included after it.
        headers, seen = _look(Skeleton.of(source, every_directive=True), look)
    return headers, seen


def _look(skeleton: Skeleton, look: Look) -> tuple[str, tuple[str, ...]]:
    headers, places = look(skeleton.directives)
    return headers, tuple(skeleton.texts[place] for place in places)


def without_numbers(preprocessed: str) -> tuple[str, tuple[int, ...]]:
    """What the preprocessor made of directives, with the same name at every place, and the places'
    numbers.
    """
    numbers = tuple(int(found[1]) for found in _NUMBERED.finditer(preprocessed))
    return _NUMBERED.sub(_PLACE, preprocessed), numbers


def in_plain_lines(text: str) -> str:
    """The same to a compiler, however it is formatted: a line for each directive and for what
    stands between two.
    """
    lines: list[str] = []
    between: list[str] = []
    for line in [*text.replace("\\\n", " ").splitlines(), "#"]:
        if not _OF_ITS_OWN.match(line):
            between.append(line)
            continue
        lines += [_in_single_spaces(" ".join(between)), " ".join(line.split())]
        between = []
    return "\n".join(filter(None, lines[:-1]))


@lru_cache(maxsize=4096)
def _in_single_spaces(text: str) -> str:
    """``text`` with spaces only in strings, and where they part two words or two operators.

    Kept, because what is preprocessed for several GPUs is nearly the same.
    """
    return _outside_strings(_NEEDLESS, "", _outside_strings(_SPACES, " ", text.strip()))


def _outside_strings(pattern: re.Pattern[str], new: str, text: str) -> str:
    """``text`` with ``new`` for what is found of ``pattern`` in none of its strings."""
    parts = _STRING.split(text)
    for place in range(0, len(parts), 2):
        # A pattern that looks around sees the quote of the string there, which is no word's part.
        parts[place] = pattern.sub(new, f'"{parts[place]}"')[1:-1]
    return "".join(parts)
