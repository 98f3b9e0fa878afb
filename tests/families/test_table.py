# SPDX-License-Identifier: MIT
"""The table of families as Python and C++ have it, and the folders that a row promises."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from ckfamilies import FAMILIES, FamilyRow
from ckgen.families import FAMILIES as GENERATED

NAMES = {row.name: row for row in FAMILIES}


def test_python_and_cpp_have_the_same_numbers() -> None:
    header = Path(os.environ["CK_FAMILIES_H"]).read_text()
    numbers = {
        name.lower(): int(number)
        for name, number in re.findall(r"CK_FAMILY_(\w+) = (\d+),", header)
    }
    assert numbers == {name: row.number for name, row in NAMES.items()}


def test_the_generator_has_every_family_of_the_table_in_its_order() -> None:
    assert list(GENERATED) == list(NAMES)
    assert [family.row for family in GENERATED.values()] == list(FAMILIES)


@pytest.mark.parametrize("row", FAMILIES, ids=lambda row: row.name)
def test_headers_lie_in_folders_of_the_family_and_its_layers(row: FamilyRow) -> None:
    names = GENERATED[row.name].headers
    for side in ("device", "host"):
        for folder in (row.name, *row.layers):
            assert any(name.startswith(f"ck_kernel/{side}/{folder}/") for name in names), (
                side,
                folder,
            )
    includes = {
        name: re.findall(r'#include "(ck_kernel/\w+/(\w+)/[^"]+)"', path.read_text())
        for name, path in names.items()
    }
    own = [found for name, found in includes.items() if f"/{row.name}/" in name]
    assert {folder for found in own for _, folder in found} <= {row.name, *row.layers}
