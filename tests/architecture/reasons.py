# SPDX-License-Identifier: MIT
"""Finds where a check is switched off and nothing says why."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORDS = "noqa|type: ignore|fmt: skip|buildifier: disable|shellcheck disable|NOLINT(?:NEXTLINE)?"
_CODES = r"(?:: |[\[(=])[\w-]+(?:, [\w-]+)*[\])]?"
_SWITCHED_OFF = re.compile(rf"(?:#|//) ?(?:{_WORDS})(?:{_CODES})?(?P<why>.*)")
_COMMENT = re.compile(r"\s*(?:#|//) ?(?!!)\w")


def without_reason(text: str) -> Iterator[int]:
    """The numbers of the lines that switch a check off without a word about it: behind the codes,
    or in a comment on a line beside it. Lines in a row share a comment.
    """
    lines = ["", *text.splitlines(), ""]
    off = {at: found for at, line in enumerate(lines) if (found := _SWITCHED_OFF.search(line))}
    for at, found in off.items():
        above = at - 1
        while above in off:
            above -= 1
        beside = (lines[above], lines[at + 1])
        if not re.search(r"\w", found["why"]) and not any(map(_COMMENT.match, beside)):
            yield at
