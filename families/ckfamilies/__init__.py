# SPDX-License-Identifier: MIT
"""The table of kernel families, ``families.json``: what every room knows a family by."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

_ROOM = Path(__file__).parents[1]
_INSTALLED = _ROOM / "ckdispatch" / "repository"

REPOSITORY = _INSTALLED if _INSTALLED.is_dir() else _ROOM.parent
"""The folder of this repository: a clone, an unpacked archive, or its part of a runfiles tree.

A wheel has no such folder: its Python packages lie side by side, and one of them holds every other
file, laid out as here.
"""


@dataclass(frozen=True)
class FamilyRow:
    """A family's row; its name is that of its folder in each room."""

    name: str
    number: int
    """What problems and libraries say which family they are of. A number is given once and never
    again.
    """
    title: str
    """What a sentence calls it."""
    layers: tuple[str, ...]
    """Folders beside its own that it is built on, such as ``product``."""
    host_needs_ck: bool
    """Whether the host passes of its kernels include Composable Kernel's headers."""
    ck_folders: tuple[str, ...]
    """Folders of Composable Kernel's headers that no kernel of another family includes."""


def read_table(path: Path) -> tuple[FamilyRow, ...]:
    """The rows of a table, in their order."""
    rows = json.loads(path.read_text("utf-8"))["families"]
    return tuple(
        FamilyRow(**{**row, "layers": tuple(row["layers"]), "ck_folders": tuple(row["ck_folders"])})
        for row in rows
    )


FAMILIES = read_table(REPOSITORY / "families" / "families.json")
NUMBERS: Mapping[str, int] = MappingProxyType({row.name: row.number for row in FAMILIES})


def exported(module: str) -> Mapping[str, Any]:
    """What each family exports as ``FAMILY`` in a module such as ``ckgen.{}.family``, by the
    family's name.

    The module is named with ``{}`` in place of the family.
    """
    found = {row.name: importlib.import_module(module.format(row.name)).FAMILY for row in FAMILIES}
    return MappingProxyType(found)
