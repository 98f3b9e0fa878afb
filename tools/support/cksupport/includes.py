# SPDX-License-Identifier: MIT
"""Which headers a source includes, directly or through others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


class Includes:
    """The headers among those given that a source can reach.

    An include counts whatever ``#if`` it stands in: a header too many makes a result stale that
    is not, a header too few would hide a change.
    """

    def __init__(self, headers: Mapping[str, bytes]) -> None:
        self._headers = headers
        self._direct: dict[str, tuple[str, ...]] = {}
        self._known: dict[tuple[str, ...], frozenset[str]] = {}

    def of(self, source: bytes) -> frozenset[str]:
        """The names of the headers that ``source`` reaches."""
        first = self._named(source, PurePosixPath())
        if first not in self._known:
            self._known[first] = self._reached(first)
        return self._known[first]

    def _reached(self, first: tuple[str, ...]) -> frozenset[str]:
        reached: set[str] = set()
        left = list(first)
        while left:
            name = left.pop()
            if name in reached:
                continue
            reached.add(name)
            if name not in self._direct:
                self._direct[name] = self._named(self._headers[name], PurePosixPath(name).parent)
            left += self._direct[name]
        return frozenset(reached)

    def _named(self, text: bytes, folder: PurePosixPath) -> tuple[str, ...]:
        found = []
        for quoted, bracketed in _INCLUDE.findall(text):
            name = (quoted or bracketed).decode()
            beside = (folder / name).as_posix()
            if quoted and beside in self._headers:
                found.append(beside)
            elif name in self._headers:
                found.append(name)
        return tuple(found)
