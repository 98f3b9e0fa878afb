# SPDX-License-Identifier: MIT
"""docs/selection.md says what its record has, and its pictures are small. The tables are not needed
for that.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cktune.page import check_page, places, read_record
from cktune.parts import value_of
from cktune.settings import read_settings

AT = places(Path("docs"))
SETTINGS = read_settings(AT.settings)
RECORD = read_record(AT)
TEXT = AT.page.read_text("utf-8")


def test_the_page_says_what_its_record_has() -> None:
    assert check_page(AT, SETTINGS, RECORD) == []


def test_every_bar_of_a_table_that_was_judged_has_its_figure() -> None:
    for bar in SETTINGS.bars:
        if "skipped" not in RECORD["tables"][bar.table]:
            assert [
                figure
                for figure in (*bar.least, *bar.most)
                if value_of(RECORD, bar, figure) is None
            ] == [], bar.what


def test_tables_are_named_by_their_hash() -> None:
    assert set(RECORD["tables"]) == set(SETTINGS.tables)
    assert [name for name, one in RECORD["tables"].items() if one["sha256"] not in TEXT] == []


@pytest.mark.parametrize("picture", re.findall(r"\]\((selection/[^)]+\.svg)\)", TEXT))
def test_pictures_are_small(picture: str) -> None:
    assert 1_000 < len((AT.page.parent / picture).read_bytes()) < 60_000
