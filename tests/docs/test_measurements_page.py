# SPDX-License-Identifier: MIT
"""docs/measurements.md: its columns, kernels, rules and figures are those of the package."""

from __future__ import annotations

import re
from pathlib import Path

from ckdispatch.evaluation import STRATEGIES
from ckdispatch.grouped_conv.measurements import GENERATED, VECTORS
from ckdispatch.judging import bounds, figures
from ckdispatch.measurements import glitches, own, row
from ckdispatch.measurements.reading import formats

from tests.docs.pages import table

PAGE = Path("docs/measurements.md")
TEXT = PAGE.read_text()
# Without the ends of its lines.
PROSE = " ".join(TEXT.split())
WORDS = set(re.findall(r"`([\w.-]+)`", TEXT))


def test_every_column_of_ours_has_its_row() -> None:
    rows = [cells for cells in table(PAGE, r"`\w+`(?:, `\w+`)*") if len(cells) == 3]
    shown = {name: cells[1] for cells in rows for name in re.findall(r"`(\w+)`", cells[0])}
    assert set(shown) == set(own.HEADER)
    assert {name for name, said in shown.items() if said == "needed"} == set(own.FORMAT.columns)
    assert set(row.PROVENANCES) <= WORDS and f"| `version` | needed | {row.VERSION} |" in TEXT


def test_every_column_of_others_is_named() -> None:
    assert [name for one in formats() for name in one.columns if name not in WORDS] == []


def test_the_kernels_of_the_generator_are_those_of_the_importer() -> None:
    lines = re.findall(r"^\| (\d+x\d+x\d+ .*)$", TEXT, flags=re.MULTILINE)
    shown = [
        tuple(map(int, cell.split("x")))
        for line in lines
        for cell in re.findall(r"\d+x\d+x\d+", line)
    ]
    assert {shown[i]: (shown[i + 1], shown[i + 2]) for i in range(0, len(shown), 3)} == GENERATED
    assert "vectors of {}, {} and {}:".format(*VECTORS) in PROSE


def test_the_rules_have_the_figures_of_the_code() -> None:
    assert f"more than {glitches.UNEXPLAINED:g} times what problem and kernel explain" in PROSE
    assert f"{glitches.UNLIKE_ITS_EQUALS:g} times the median" in PROSE
    assert f"at least {bounds.TOO_FAST:g} of the best" in PROSE
    assert f"{figures.CONFIDENCE:g} % of {figures.RESAMPLES:,} resamples" in PROSE


def test_every_strategy_is_explained() -> None:
    rows = table(PAGE, r"`\w+`(?:, `\w+`)*")
    assert [
        name for cells in rows for name in re.findall(r"`(\w+)`", cells[0]) if name in STRATEGIES
    ] == list(STRATEGIES)
