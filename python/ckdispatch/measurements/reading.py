# SPDX-License-Identifier: MIT
"""Reading a table in any format that is known."""

from __future__ import annotations

import os

from ckdispatch.arguments import checked_path
from ckdispatch.families import FAMILIES
from ckdispatch.measurements import own
from ckdispatch.measurements.files import open_sheet
from ckdispatch.measurements.importer import Importer
from ckdispatch.measurements.sheet import Sheet
from ckdispatch.measurements.table import Table, left_out


def read(path: str | os.PathLike[str]) -> Table:
    """The table of a file, by whichever format its columns are of. What cannot be meant is one
    sentence.
    """
    sheet = open_sheet(checked_path("a table of measurements", path))
    format = _format(sheet)
    found = format.rows(sheet)
    if not found.rows:
        told = "; ".join(
            f"{len(lines)} were left out because {why}" for why, lines in found.left_out.items()
        )
        raise sheet.wrong(f"no row of it is of use: {told}")
    lines, rows = zip(*found.rows, strict=True)
    return Table(sheet.path, sheet.sha256, format.name, rows, lines, left_out(found.left_out))


def formats() -> tuple[Importer, ...]:
    """Ours, and those of others that families understand."""
    return (own.FORMAT, *(one for family in FAMILIES.values() for one in family.importers))


def _format(sheet: Sheet) -> Importer:
    """The format whose columns are all there."""
    there = set(sheet.columns)
    known = formats()
    for one in known:
        if there.issuperset(one.columns):
            return one
    nearest = max(known, key=lambda one: len(there.intersection(one.columns)) / len(one.columns))
    missing = [name for name in nearest.columns if name not in there]
    raise sheet.wrong(
        f"its columns are of no format that is known; for {nearest.name} it lacks "
        f"{', '.join(missing)} "
        "(docs/measurements.md has the formats)"
    )
