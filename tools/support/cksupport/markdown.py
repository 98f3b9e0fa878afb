# SPDX-License-Identifier: MIT
"""Tables of the pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def heading(titles: Sequence[str]) -> tuple[str, str]:
    """The two lines that a table begins with."""
    return row(titles), "| --- " * len(titles) + "|"


def row(cells: Iterable[object]) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"
