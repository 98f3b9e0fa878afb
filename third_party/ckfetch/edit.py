# SPDX-License-Identifier: MIT
"""What an edit of a downloaded header is: it fits exactly, or the headers are refused."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ckfetch.wheelhouse import FetchError


@dataclass(frozen=True)
class Edit:
    """A replacement of text that must be found exactly `count` times,
    or the headers are unknown.
    """

    path: str
    why: str
    old: str
    new: str
    count: int = 1

    def apply(self, text: str) -> str:
        found = text.count(self.old)
        if found != self.count:
            raise FetchError(_refusal(self.path, found, self.count, self.why))
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Insertion:
    """New text before a place, or after it, that must be found exactly once."""

    path: str
    why: str
    text: str
    before: str = ""
    after: str = ""

    def apply(self, text: str) -> str:
        return Edit(
            self.path, self.why, self.before or self.after, self.after + self.text + self.before
        ).apply(text)


@dataclass(frozen=True)
class Cut:
    """A replacement of a long passage, known by how it begins and ends and
    by the hash of it all.
    """

    path: str
    why: str
    first: str
    last: str
    sha256: str
    new: str

    def apply(self, text: str) -> str:
        begin = text.find(self.first)
        end = text.find(self.last, begin + len(self.first)) + len(self.last)
        while begin >= 0 and hashlib.sha256(text[begin:end].encode()).hexdigest() != self.sha256:
            begin = text.find(self.first, begin + 1)
            end = text.find(self.last, begin + len(self.first)) + len(self.last)
        if begin < 0:
            raise FetchError(_refusal(self.path, 0, 1, self.why))
        return text[:begin] + self.new + text[end:]


@dataclass(frozen=True)
class StructEdit:
    """A replacement by a regular expression inside one struct,
    for text that is too long to quote.
    """

    path: str
    why: str
    struct: str
    pattern: str
    replacement: str
    count: int

    def apply(self, text: str) -> str:
        begin = text.find(f"struct {self.struct}\n")
        end = text.find("\n};\n", begin)
        body, found = re.subn(self.pattern, self.replacement, text[begin:end], flags=re.DOTALL)
        if begin < 0 or found != self.count:
            raise FetchError(_refusal(self.path, found, self.count, self.why))
        return text[:begin] + body + text[end:]


def _refusal(path: str, found: int, wanted: int, why: str) -> str:
    return (
        f"{path} has {found} places to edit where {wanted} were expected: the edit «{why}» does "
        "not fit these headers; "
        "take the version of Composable Kernel that the lock names, "
        "or give your own headers with CKDISPATCH_CK."
    )
