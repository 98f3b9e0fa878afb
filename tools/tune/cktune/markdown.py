# SPDX-License-Identifier: MIT
"""Tables of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def row(cells: Iterable[object]) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def table(titles: Sequence[str], rows: Iterable[Iterable[object]], words: int = 1) -> str:
    """A table whose first columns are words and whose others are numbers."""
    return aligned(titles, rows, "w" * words + "n" * (len(titles) - words))


def aligned(titles: Sequence[str], rows: Iterable[Iterable[object]], kinds: str) -> str:
    """A table with a column of words for each w, and one of numbers for each n."""
    below = "".join("| --- " if kind == "w" else "| ---: " for kind in kinds)
    return "\n".join([row(titles), f"{below}|", *(row(one) for one in rows)])


def short_names(kernels: Iterable[str]) -> dict[str, str]:
    """Names without what all of them have, word by word, if they are made alike."""
    words = {name: name.split("_") for name in kernels}
    if len(words) < 2 or len({len(some) for some in words.values()}) != 1:
        return {name: name for name in words}
    differ = [len(set(column)) > 1 for column in zip(*words.values(), strict=True)]
    return {
        name: " ".join(word for word, other in zip(some, differ, strict=True) if other)
        for name, some in words.items()
    }
