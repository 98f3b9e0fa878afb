# SPDX-License-Identifier: MIT
"""What was tried is of kernels that there are, and the pages say what became of it, what spills,
and what was not tried yet.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ckarch import load_specs
from cksupport.cells import Cell
from cksupport.digests import Digests
from cksupport.fmha.family import FAMILY
from cksupport.page import page
from cksupport.results import Result, Results
from cksupport.set_summary import SetSummary, sets_page, shipped_sets, told_of
from cksupport.summary import SPILLS, Summary, state
from cksupport.verdicts import Outcome, Verdict
from evidence_compiler import needs_its_compiler

ARCH = load_specs()
EVIDENCE, DOCS = Path("evidence") / "fmha", Path("docs") / "support"
RESULTS = Results.read(EVIDENCE / "results.json")
OWN_SETS = Results.read(EVIDENCE / "sets.json")
SETS = OWN_SETS.beside(RESULTS)
RENDER = "run: ./bazelw run //tools/support -- fmha render"
CLEAN = {"vgprs": 128, "lds_bytes": 32768, "vgpr_spills": 0, "scratch_bytes": 0, "sgpr_spills": 0}


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return FAMILY.cells(FAMILY.tables(ARCH), ARCH)


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


def test_every_result_is_of_a_cell_or_of_a_set(cells: tuple[Cell, ...]) -> None:
    shipped = {kernel.key for own in shipped_sets(FAMILY, ARCH).values() for kernel in own}
    assert {*RESULTS.known} <= shipped | {cell.key for cell in cells}
    assert {*OWN_SETS.known} <= shipped


def test_no_kernel_that_was_tried_is_bad(cells: tuple[Cell, ...], digests: Digests) -> None:
    assert Summary.of(cells, RESULTS, digests).bad == {}
    kernels = (kernel for own in shipped_sets(FAMILY, ARCH).values() for kernel in own)
    assert SetSummary.of(kernels, SETS, digests).bad == {}


@needs_its_compiler
def test_the_pages_in_the_documentation_are_not_stale(
    cells: tuple[Cell, ...], digests: Digests
) -> None:
    text = (DOCS / "fmha.md").read_text(encoding="utf-8")
    assert text == page(FAMILY, cells, RESULTS, digests, ARCH), RENDER
    text = (DOCS / "fmha_sets.md").read_text(encoding="utf-8")
    sets = told_of(text, shipped_sets(FAMILY, ARCH))
    assert text == sets_page(FAMILY, sets, SETS, digests, ARCH), RENDER


def test_a_right_kernel_that_spills_is_told_apart(
    cells: tuple[Cell, ...], digests: Digests, tmp_path: Path
) -> None:
    one, other = [cell for cell in cells if cell.kernel is not None][:2]
    used = {one.key: {**CLEAN, "vgpr_spills": 3, "scratch_bytes": 16}, other.key: CLEAN}
    known = {}
    for cell in (one, other):
        assert cell.kernel is not None and cell.key is not None
        outcome = Outcome(Verdict.RIGHT, "", ("problem 1",), ("run",), used[cell.key])
        known[cell.key] = Result(outcome, digests.of(cell.kernel.spec, cell.kernel.gpu))
    results = Results(tmp_path / "results.json", known)
    assert [state(cell, results, digests) for cell in (one, other)] == [SPILLS, Verdict.RIGHT.value]
    text = page(FAMILY, cells, results, digests, ARCH)
    assert one.kernel is not None
    sentence = (
        f"- {one.kernel.spec.name} may not spill registers, "
        f"but on {one.kernel.gpu} it spills 3 VGPRs"
    )
    assert text.count(sentence) == 1 and "## Right, and spilling" in text
    row = next(line for line in text.splitlines() if line.startswith("| Kinds |"))
    assert row.split(" | ")[2:4] == ["1", "1"]
