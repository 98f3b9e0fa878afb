# SPDX-License-Identifier: MIT
"""The page says what the cells and the results say, and a bad result is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckarch import load_specs
from cksupport.cells import Cell
from cksupport.cli import main
from cksupport.digests import Digests
from cksupport.gemm.family import FAMILY
from cksupport.gemm.tables import all_tables
from cksupport.page import page
from cksupport.results import Result, Results
from cksupport.sample_summary import samples_page
from cksupport.verdicts import Outcome, Verdict
from evidence_compiler import needs_its_compiler

ARCH = load_specs()
TABLES = all_tables(ARCH)
DOCS = Path("docs") / "support"
EVIDENCE = Path("evidence") / "gemm"
RENDER = "run: ./bazelw run //tools/support -- gemm render"
CHOSEN = ["--gpu", "gfx1100", "--table", "pads"]


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return FAMILY.cells(TABLES, ARCH)


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


@pytest.fixture
def all_right(cells: tuple[Cell, ...], digests: Digests, tmp_path: Path) -> Results:
    right = Outcome(Verdict.RIGHT, "", ("64x64x32",), ("hot_full",))
    kernels = (cell.kernel for cell in cells)
    known = {one.key: Result(right, digests.of(one.spec, one.gpu)) for one in kernels if one}
    results = Results(tmp_path / "results.json", known)
    results.write()
    return results


def one_of(cells: tuple[Cell, ...], table: str, gpu: str) -> tuple[str, str]:
    found = (cell for cell in cells if (cell.place.table, cell.place.gpu) == (table, gpu))
    key = next(cell.key for cell in found if cell.key is not None)
    return key


@needs_its_compiler
def test_the_page_in_the_documentation_is_not_stale(
    cells: tuple[Cell, ...], digests: Digests
) -> None:
    results = Results.read(EVIDENCE / "results.json")
    text = (DOCS / "gemm.md").read_text(encoding="utf-8")
    assert text == page(FAMILY, cells, results, digests, ARCH), RENDER


@needs_its_compiler
def test_the_page_of_samples_in_the_documentation_is_not_stale(digests: Digests) -> None:
    results = Results.read(EVIDENCE / "samples.json")
    text = (DOCS / "gemm_samples.md").read_text(encoding="utf-8")
    assert text == samples_page(FAMILY, results, digests, ARCH), RENDER


def test_a_matrix_that_is_all_right_has_marks_and_refusals_only(
    cells: tuple[Cell, ...], all_right: Results, digests: Digests
) -> None:
    text = page(FAMILY, cells, all_right, digests, ARCH)
    grids = text.split("## Products", 1)[1]
    assert "✓" in grids and "– 1 |" in grids
    assert "untested" not in grids and "**" not in grids and "## Not right" not in grids


def test_every_refusal_of_the_page_is_explained(
    cells: tuple[Cell, ...], all_right: Results, digests: Digests
) -> None:
    text = page(FAMILY, cells, all_right, digests, ARCH)
    explained = text.split("## Refused\n", 1)[1]
    reasons = {cell.refusal for cell in cells if cell.refusal is not None}
    assert len(reasons) == explained.count("\n") - 1
    assert all(f"`{one.rule}`: {one.sentence}." in explained for one in reasons)


def status(results: Results, *options: str) -> int:
    return main(["gemm", "status", *CHOSEN, *options, "--results", str(results.path)])


def test_a_wrong_result_is_shown_and_fails(
    cells: tuple[Cell, ...],
    all_right: Results,
    digests: Digests,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert status(all_right, "--json") == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True

    key = one_of(cells, "pads", "gfx1100")
    wrong = Outcome(Verdict.WRONG, "64x64x32: 2 for 1")
    all_right.record(key, Result(wrong, all_right.known[key].digest))
    assert status(all_right, "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert said["complete"] is False and said["cells"]["wrong"] == 1
    assert said["bad"] == {" ".join(key): "wrong: 64x64x32: 2 for 1"}
    text = page(FAMILY, cells, all_right, digests, ARCH)
    assert "**wrong**" in text.split("## Products", 1)[1]
    assert f"- `{key[1]}` on {key[0]}: wrong. 64x64x32: 2 for 1" in text


def test_an_untested_cell_is_shown_and_fails(
    cells: tuple[Cell, ...], all_right: Results, digests: Digests
) -> None:
    del all_right.known[one_of(cells, "pads", "gfx1100")]
    all_right.write()
    assert status(all_right) == 1
    grids = page(FAMILY, cells, all_right, digests, ARCH).split("## Products", 1)[1]
    assert "untested |" in grids


def test_a_result_of_other_sources_is_stale_and_fails(
    cells: tuple[Cell, ...], all_right: Results, digests: Digests
) -> None:
    key = one_of(cells, "pads", "gfx1100")
    all_right.record(key, Result(all_right.known[key].outcome, "another"))
    assert status(all_right) == 1
    grids = page(FAMILY, cells, all_right, digests, ARCH).split("## Products", 1)[1]
    assert "stale |" in grids


def test_samples_of_other_sources_are_told_apart(
    cells: tuple[Cell, ...], digests: Digests, tmp_path: Path
) -> None:
    kernels = dict.fromkeys(cell.kernel for cell in cells if cell.kernel is not None)
    fresh, stale = tuple(kernels)[:2]
    bad = Outcome(Verdict.WRONG, "2 for 1")
    known = {
        fresh.key: Result(bad, digests.of(fresh.spec, fresh.gpu)),
        stale.key: Result(bad, "another"),
    }
    text = samples_page(FAMILY, Results(tmp_path / "samples.json", known), digests, ARCH)
    assert "2 kernels were tried, 1 of them with other sources" in text
    assert f"- `{fresh.spec.name}` on {fresh.gpu} is wrong: 2 for 1" in text
    assert f"- `{stale.spec.name}` on {stale.gpu} was wrong: 2 for 1" in text


def test_a_stale_page_is_noticed(all_right: Results, tmp_path: Path) -> None:
    files = {
        "samples": "samples.json",
        "sets": "sets.json",
        "page": "page.md",
        "samples-page": "samples.md",
        "sets-page": "sets.md",
    }
    arguments = ["gemm", "render", "--results", str(all_right.path)]
    for option, name in files.items():
        arguments += [f"--{option}", str(tmp_path / name)]
    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0


@pytest.mark.parametrize("option", [["--gpu", "gfx7"], ["--table", "chairs"]])
def test_what_does_not_exist_is_refused_with_what_does(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gemm", "cells", *option]) == 2
    assert f"{option[1]!r} was asked for; there is " in capsys.readouterr().err
