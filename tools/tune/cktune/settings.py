# SPDX-License-Identifier: MIT
"""What docs/selection/settings.json says: the tables of the page, how they are divided, and the
bars of figures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckdispatch.errors import Damaged
from ckdispatch.user_files import read_bytes


@dataclass(frozen=True)
class TableSettings:
    """``fixed`` constants are not fitted."""

    fixed: Mapping[str, float]
    pictures: str = ""
    """What the names of its pictures begin with; without it there are none."""


@dataclass(frozen=True)
class Bar:
    """A figure of a trial that must be at least, or at most, so much."""

    table: str
    what: str
    trial: str
    strategy: str
    least: Mapping[str, float]
    most: Mapping[str, float]


@dataclass(frozen=True)
class Settings:
    """Of the whole page."""

    gpu: str
    tables: Mapping[str, TableSettings]
    bars: tuple[Bar, ...]


def read_settings(path: Path) -> Settings:
    """The settings of a file; raises ``Damaged`` if it is none such."""
    try:
        document: dict[str, Any] = json.loads(read_bytes(path, "the settings of the page"))
        tables = {
            name: TableSettings(
                {term: float(value) for term, value in one.get("fixed", {}).items()},
                one.get("pictures", ""),
            )
            for name, one in document["tables"].items()
        }
        bars = (
            Bar(
                one["table"],
                one["what"],
                one["trial"],
                one["strategy"],
                one.get("least", {}),
                one.get("most", {}),
            )
            for one in document.get("bars", ())
        )
        return Settings(str(document["gpu"]), tables, tuple(bars))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(
            f"the settings of the page {path} are not as they must be: {type(error).__name__}: "
            f"{error}"
        ) from error
