# SPDX-License-Identifier: MIT
"""What a family exports as ``IMPORTERS`` in its module ``measurements``: tables of others that it
understands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ckdispatch.measurements.row import Row
from ckdispatch.measurements.sheet import Sheet


@dataclass(frozen=True)
class Imported:
    """Rows with the lines that they are from, and by the reason the lines that were left out."""

    rows: Sequence[tuple[int, Row]]
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Importer:
    """A format of others: files that have all of its ``columns`` are of it."""

    name: str
    columns: tuple[str, ...]
    rows: Callable[[Sheet], Imported]
