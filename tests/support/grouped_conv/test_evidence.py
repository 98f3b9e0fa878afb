# SPDX-License-Identifier: MIT
"""What was tried is right, and of kernels that there are; the page says what was, and what was not
tried yet.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ckarch import load_specs
from cksupport.cells import Cell
from cksupport.digests import Digests
from cksupport.grouped_conv.family import FAMILY
from cksupport.page import page
from cksupport.results import Results
from cksupport.summary import Summary
from evidence_compiler import needs_its_compiler

ARCH = load_specs()
RESULTS = Results.read(Path("evidence") / "grouped_conv" / "results.json")


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return FAMILY.cells(FAMILY.tables(ARCH), ARCH)


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


def test_every_result_is_of_a_cell(cells: tuple[Cell, ...]) -> None:
    assert {*RESULTS.known} <= {cell.key for cell in cells}


def test_no_kernel_that_was_tried_is_bad(cells: tuple[Cell, ...], digests: Digests) -> None:
    assert Summary.of(cells, RESULTS, digests).bad == {}


@needs_its_compiler
def test_the_page_in_the_documentation_is_not_stale(
    cells: tuple[Cell, ...], digests: Digests
) -> None:
    text = (Path("docs") / "support" / "grouped_conv.md").read_text(encoding="utf-8")
    render = "run: ./bazelw run //tools/support -- grouped_conv render"
    assert text == page(FAMILY, cells, RESULTS, digests, ARCH), render
