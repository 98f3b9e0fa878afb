# SPDX-License-Identifier: MIT
"""Fills the parts of the page that are made from the record. All else in the page is written by
hand, and kept.

A part lies between `<!-- made: NAME TABLE -->` and `<!-- end -->`; the page says by these lines
which parts it has, and where.
"""

from __future__ import annotations

import re

from ckdispatch.errors import Damaged

from cktune.parts import MAKERS, Record
from cktune.settings import Settings

_PART = re.compile(
    r"(^<!-- made: (?P<name>\w+)(?: (?P<of>[^\n]*?))? -->\n).*?(^<!-- end -->$)",
    re.DOTALL | re.MULTILINE,
)


def filled(page: str, record: Record, settings: Settings) -> str:
    """The page with every part made anew."""

    def made(found: re.Match[str]) -> str:
        name, of = found["name"], (found["of"] or "").split()
        if name not in MAKERS:
            raise Damaged(f"the page has a part called {name}; there is {', '.join(MAKERS)}")
        return f"{found[1]}\n{MAKERS[name](record, settings, *of)}\n\n{found[4]}"

    return _PART.sub(made, page)
