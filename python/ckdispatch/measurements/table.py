# SPDX-License-Identifier: MIT
"""Rows that were read from a file, and what was left out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ckdispatch.families import FAMILIES
from ckdispatch.measurements.row import Row

if TYPE_CHECKING:
    from ckdispatch.problem import Problem


@dataclass(frozen=True)
class LeftOut:
    """Rows that a rule left out: why, and on which lines of the file they are."""

    why: str
    lines: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.lines)


@dataclass(frozen=True)
class Table:
    """``format`` is what its columns were taken for; ``lines`` are those of its rows."""

    path: Path
    sha256: str
    format: str
    rows: tuple[Row, ...]
    lines: tuple[int, ...]
    left_out: tuple[LeftOut, ...] = ()

    def kept(self, why_not: Callable[[Row], str | None]) -> Table:
        """The table without the rows for which there is a reason to leave them out."""
        out: dict[str, list[int]] = {}
        kept = []
        for row, line in zip(self.rows, self.lines, strict=True):
            why = why_not(row)
            if why is None:
                kept.append((row, line))
            else:
                out.setdefault(why, []).append(line)
        rows, lines = zip(*kept, strict=True) if kept else ((), ())
        return replace(self, rows=rows, lines=lines, left_out=(*self.left_out, *left_out(out)))

    def cases(self) -> dict[str, list[Row]]:
        """The rows of each problem that were measured together, in the order of the file."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.group, []).append(row)
        return found

    def kernels(self) -> list[str]:
        """The names of its kernels, in the order of the file."""
        return list(dict.fromkeys(row.kernel for row in self.rows if row.kernel))


def left_out(found: Mapping[str, Sequence[int]]) -> tuple[LeftOut, ...]:
    """What was left out, by the reason."""
    return tuple(LeftOut(why, tuple(lines)) for why, lines in found.items())


@lru_cache(maxsize=1 << 16)
def problem_of(family: str, text: str) -> Problem:
    """The problem of a row."""
    problem: Problem = FAMILIES[family].problem_type.parse(text)
    return problem
