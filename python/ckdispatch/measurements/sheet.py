# SPDX-License-Identifier: MIT
"""The cells of a file under its columns, whatever the file; and sentences about those that are not
what they should be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted, several

MOST_ROWS = 1_000_000
"""Of a table; every problem of a hundred networks on every kernel of a set has a tenth of that."""

_WHOLE = re.compile(r"\d{1,19}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_LONGEST = 400
"""Characters of a number."""

Cells = Callable[[], Iterator[tuple[int, Sequence[str]]]]
"""The number of each line, and its cells."""


@dataclass(frozen=True)
class Sheet:
    """A file with a header. ``sha256`` is that of its bytes."""

    path: Path
    sha256: str
    columns: tuple[str, ...]
    cells: Cells
    places: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, name in enumerate(self.columns):
            if not name:
                raise self.wrong(
                    f"its column {place + 1} has no name; the first line has a name for each"
                )
            if name in self.places:
                raise self.wrong(f"it has two columns called {quoted(name)}; leave out one")
            self.places[name] = place

    def wrong(self, what: str) -> InvalidArgument:
        """The error about the whole file."""
        return InvalidArgument(f"the measurements {self.path} cannot be read: {what}")

    def lines(self) -> Iterator[Line]:
        """What follows the header; empty lines say nothing."""
        count = 0
        for number, cells in self.cells():
            if not any(cells):
                continue
            if len(cells) != len(self.columns):
                said = (
                    f"has {several(len(cells), 'cell')} and the header "
                    f"{several(len(self.columns), 'column')}"
                )
                raise self.wrong(f"line {number} {said}; each line has a cell for each column")
            count += 1
            if count > MOST_ROWS:
                raise self.wrong(f"it has more than {MOST_ROWS:,} rows; divide it")
            yield Line(self, number, cells)
        if not count:
            raise self.wrong("it has no row below its header")


@dataclass(frozen=True)
class Line:
    """A line of a sheet. Columns that are not there are as empty cells."""

    sheet: Sheet
    number: int
    cells: Sequence[str]

    def word(self, column: str) -> str:
        """The text of a cell."""
        place = self.sheet.places.get(column)
        return "" if place is None else self.cells[place].strip()

    def refuse(self, column: str, what: str) -> NoReturn:
        """Raises the sentence about a cell."""
        raise InvalidArgument(
            f"the measurements {self.sheet.path}, line {self.number}, column {column}: {what}"
        )

    def one_of(self, column: str, known: Sequence[str]) -> str:
        """A word that must be one of some."""
        word = self.word(column)
        if word not in known:
            self.refuse(column, f"{quoted(word)} is not known; it is one of {', '.join(known)}")
        return word

    def whole(self, column: str, least: int = 0, most: int = 2**31 - 1) -> int:
        """A whole number."""
        word = self.word(column)
        number = int(word) if _WHOLE.fullmatch(word) else -1
        if not least <= number <= most:
            self.refuse(column, f"{_told(word)} is no whole number from {least} to {most}")
        return number

    def above_zero(self, column: str, what: str) -> float:
        """A number such as a time; ``what`` says what it is, with an example."""
        word = self.word(column)
        number = float(word) if len(word) <= _LONGEST and _NUMBER.fullmatch(word) else math.nan
        if not 0 < number < math.inf:
            self.refuse(column, f"{_told(word)} is no {what}")
        return number

    def microseconds(self, column: str) -> float:
        return self.above_zero(column, "time; write microseconds above 0, such as 12.5")

    def has(self, column: str) -> bool:
        """Whether there is something in the cell."""
        return bool(self.word(column))


def _told(word: str) -> str:
    return quoted(word) if word else "an empty cell"
