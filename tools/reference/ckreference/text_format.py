# SPDX-License-Identifier: MIT
"""Reads the text form of protocol buffers, as Bazel writes it, without their schema."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

Message = dict[str, list["Value"]]
"""The values of each field in their order; a field may be repeated, and nothing but its schema
tells.
"""

Value: TypeAlias = str | Message

_TOKEN = re.compile(r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<word>[\w.+-]+)|(?P<mark>[:{}]))')


class TextFormatError(ValueError):
    """The text is not in that form."""


def parse(text: str) -> Message:
    """The message that the text is."""
    tokens = _tokens(text)
    message = _fields(tokens, end=None)
    return message


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """The kind and the text of each token."""
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise TextFormatError(
                f"{text[at : at + 20]!r} is neither a name, a string nor one of : {{ }}"
            )
        yield found.lastgroup, found.group(found.lastgroup)
        at = found.end()


def _fields(tokens: Iterator[tuple[str, str]], end: str | None) -> Message:
    fields: Message = defaultdict(list)
    for kind, name in tokens:
        if kind == "mark" and name == end:
            return dict(fields)
        if kind != "word":
            raise TextFormatError(f"{name!r} stands where a field's name should")
        fields[name].append(_value(tokens, name))
    if end is not None:
        raise TextFormatError(f"the text ends before a {end}")
    return dict(fields)


def _value(tokens: Iterator[tuple[str, str]], name: str) -> Value:
    kind, text = next(tokens, ("", ""))
    if text == "{" and kind == "mark":
        return _fields(tokens, end="}")
    if text != ":" or kind != "mark":
        raise TextFormatError(f"the field {name} has no value")
    kind, text = next(tokens, ("", ""))
    if kind == "string":
        # Escapes are those of C, of which Python's strings of bytes have all.
        return str(ast.literal_eval("b" + _ascii(text)).decode())
    if kind == "word":
        return text
    raise TextFormatError(f"the field {name} has no value")


def _ascii(text: str) -> str:
    """A literal whose characters beyond ASCII are escaped, byte by byte."""
    return "".join(
        one if one.isascii() else "".join(f"\\x{byte:02x}" for byte in one.encode()) for one in text
    )
