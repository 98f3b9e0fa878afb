# SPDX-License-Identifier: MIT
"""Our own format: a column for each field of a row, and the format's version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from ckdispatch.config.base import KernelConfig
from ckdispatch.errors import InvalidArgument
from ckdispatch.families import FAMILIES
from ckdispatch.measurements.importer import Imported, Importer
from ckdispatch.measurements.row import PROVENANCES, RESOURCES, VERSION, Row
from ckdispatch.measurements.sheet import Line, Sheet
from ckdispatch.measurements.table import problem_of
from ckdispatch.wording import quoted

NAME = "ckdispatch"
_MOST = 2**62


@dataclass(frozen=True)
class Column:
    """How the cells of a column are read; ``kind`` is the type of their values."""

    kind: type
    read: Callable[[Line, str], Any]
    needed: bool = False


def _word(line: Line, column: str) -> str:
    return line.word(column)


def _count(line: Line, column: str) -> int:
    return line.whole(column, 0, _MOST)


def _size(line: Line, column: str) -> int:
    return line.whole(column, 1, _MOST)


def _time(line: Line, column: str) -> float:
    return line.microseconds(column)


def _number(line: Line, column: str) -> float:
    return line.above_zero(column, "number above 0")


def _yes_or_no(line: Line, column: str) -> bool:
    return line.one_of(column, ("yes", "no")) == "yes"


def _family(line: Line, column: str) -> str:
    return line.one_of(column, tuple(FAMILIES))


def _provenance(line: Line, column: str) -> str:
    return line.one_of(column, PROVENANCES)


def _problem(line: Line, column: str) -> str:
    text = line.word(column)
    try:
        problem_of(line.one_of("family", tuple(FAMILIES)), text)
    except InvalidArgument as error:
        line.refuse(column, str(error))
    return text


def _kernel(line: Line, column: str) -> str:
    """By its name, or by the fields of its spec as JSON; none for a bound."""
    text = line.word(column)
    try:
        return _name(text) if text else ""
    except InvalidArgument as error:
        line.refuse(column, str(error))


@lru_cache(maxsize=1 << 14)
def _name(text: str) -> str:
    """A table has the same kernels on every problem."""
    return KernelConfig.parse(text).name


COLUMNS: dict[str, Column] = {
    "family": Column(str, _family, needed=True),
    "problem": Column(str, _problem, needed=True),
    "kernel": Column(str, _kernel, needed=True),
    "microseconds": Column(float, _time, needed=True),
    "provenance": Column(str, _provenance, needed=True),
    "case": Column(str, _word),
    "parts": Column(int, _size),
    "minimum": Column(float, _time),
    "repeats": Column(int, _size),
    "of_kernels": Column(int, _size),
    "weight": Column(float, _number),
    "gpu": Column(str, _word),
    "device": Column(str, _word),
    "compute_units": Column(int, _size),
    "clock_mhz": Column(float, _number),
    **{name: Column(int, _count) for name in RESOURCES},
    "checked": Column(bool, _yes_or_no),
    "source": Column(str, _word),
    "note": Column(str, _word),
}
"""A column for each field of a row."""

_VERSION = "version"
_DEFAULTS = {one.name: one.default for one in fields(Row)}


def _row(line: Line) -> Row:
    if line.word(_VERSION) != str(VERSION):
        said = quoted(line.word(_VERSION))
        line.refuse(_VERSION, f"the row is of version {said}; this program reads version {VERSION}")
    row = Row(
        **{
            name: one.read(line, name)
            for name, one in COLUMNS.items()
            if one.needed or line.has(name)
        }
    )
    if row.kernel and not row.kernel.startswith(f"{row.family}_"):
        line.refuse("kernel", f"{row.kernel} is no kernel of the family {row.family}")
    if row.minimum is not None and row.minimum > row.microseconds:
        line.refuse(
            "minimum", f"{row.minimum:g} is above the median, which is {row.microseconds:g}"
        )
    return row


UNTIMED = "they have no time: the result was wrong, or the clock could not tell"


def _rows(sheet: Sheet) -> Imported:
    """A row that says whether the result was right may have no time; any other needs one."""
    timed, untimed = [], []
    for line in sheet.lines():
        if line.has("checked") and not line.has("microseconds"):
            untimed.append(line.number)
        else:
            timed.append((line.number, _row(line)))
    return Imported(timed, {UNTIMED: untimed} if untimed else {})


def cells(row: Row) -> list[str]:
    """A row as CSV has it, under ``HEADER``. What is the default is left empty."""
    return [str(VERSION), *(_text(getattr(row, name), _DEFAULTS[name]) for name in COLUMNS)]


def _text(value: Any, default: Any) -> str:
    if value is None or value == default:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


def typed(rows: Iterable[Row]) -> dict[str, tuple[type, Sequence[Any]]]:
    """The columns with their values, as Parquet has them."""
    rows = list(rows)
    found: dict[str, tuple[type, Sequence[Any]]] = {_VERSION: (int, [VERSION] * len(rows))}
    return found | {
        name: (one.kind, [getattr(row, name) for row in rows]) for name, one in COLUMNS.items()
    }


HEADER = (_VERSION, *COLUMNS)
FORMAT = Importer(NAME, (_VERSION, *(name for name, one in COLUMNS.items() if one.needed)), _rows)
