# SPDX-License-Identifier: MIT
"""Cuts pseudocode into tokens."""

from __future__ import annotations

import re
from typing import NamedTuple


class NotPseudocode(Exception):
    """The text is prose or holds something that the language does not have."""


class Token(NamedTuple):
    """A piece of text; `kind` is "number", "cast", "name", "operator" or "end"."""

    kind: str
    text: str


_PIECES = re.compile(
    r"""
    (?P<space>    \s+ | //[^\n]* )
  | (?P<cast>     \d+'(?:BF|[UIFB]) (?= \s*[(;\[] | \s*$ ) )
  | (?P<number>   (?:\d+')? (?: 0x[0-9a-fA-F]+ | \d+\.\d+ | \d+ ) (?:ULL|LL|U|F)? (?!\w) )
  | (?P<name>     [A-Za-z_]\w* )
  | (?P<operator> \+:|<>|==|!=|<=|>=|<<|>>|\*\*|&&|\|\||\+=|-=|[-+*/%&|^~!<>=?:;,.()\[\]{}] )
    """,
    re.VERBOSE,
)


def tokens(text: str) -> list[Token]:
    """The tokens of `text`, with one of kind "end" behind them."""
    found = []
    at = 0
    while at < len(text):
        piece = _PIECES.match(text, at)
        if not piece:
            raise NotPseudocode(f"there is no meaning in {text[at : at + 20]!r}")
        kind = piece.lastgroup
        assert kind is not None
        if kind != "space":
            found.append(Token(kind, piece.group()))
        at = piece.end()
    found.append(Token("end", ""))
    return found
