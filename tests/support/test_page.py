# SPDX-License-Identifier: MIT
"""The page says what the cells and the results say, and a bad result is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckarch import load_specs
from cksupport.cells import Cell, answer_all
from cksupport.cli import main
from cksupport.page import page
from cksupport.results import Result, Results
from cksupport.tables import all_tables
from cksupport.verdicts import Outcome, Verdict

ARCH = load_specs()
TABLES = all_tables(ARCH)
DOCS = Path("docs") / "support"
RENDER = "run: ./bazelw run //tools/support:gemm -- render"
CHOSEN = ["--gpu", "gfx1100", "--table", "pads"]


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return answer_all(TABLES, ARCH)


def all_right(cells: tuple[Cell, ...], path: Path) -> Results:
    right = Result(Outcome(Verdict.RIGHT, "", ("64x64x32",), ("hot_full",)), "0123")
    results = Results(path, {cell.key: right for cell in cells if cell.key is not None})
    results.write()
    return results


def one_of(cells: tuple[Cell, ...], table: str, gpu: str) -> tuple[str, str]:
    found = (cell for cell in cells if (cell.place.table, cell.place.gpu) == (table, gpu))
    key = next(cell.key for cell in found if cell.key is not None)
    return key


def test_the_page_in_the_documentation_is_not_stale(cells: tuple[Cell, ...]) -> None:
    results = Results.read(DOCS / "gemm_results.json")
    text = (DOCS / "gemm.md").read_text(encoding="utf-8")
    assert text == page(TABLES, cells, results, ARCH), RENDER


def test_a_matrix_that_is_all_right_has_marks_and_refusals_only(
    cells: tuple[Cell, ...], tmp_path: Path
) -> None:
    text = page(TABLES, cells, all_right(cells, tmp_path / "results.json"), ARCH)
    grids = text.split("## Products", 1)[1]
    assert "✓" in grids and "– 1 |" in grids
    assert "untested" not in grids and "**" not in grids and "## Not right" not in grids


def test_every_refusal_of_the_page_is_explained(cells: tuple[Cell, ...], tmp_path: Path) -> None:
    text = page(TABLES, cells, all_right(cells, tmp_path / "results.json"), ARCH)
    explained = text.split("## Refused\n", 1)[1]
    reasons = {cell.refusal for cell in cells if cell.refusal is not None}
    assert len(reasons) == explained.count("\n") - 1
    assert all(f"`{one.rule}`: {one.sentence}." in explained for one in reasons)


def test_a_wrong_result_is_shown_and_fails(
    cells: tuple[Cell, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = all_right(cells, tmp_path / "results.json")
    arguments = ["status", *CHOSEN, "--json", "--results", str(results.path)]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True

    key = one_of(cells, "pads", "gfx1100")
    results.record(key, Result(Outcome(Verdict.WRONG, "64x64x32: 2 for 1"), "0123"))
    assert main(arguments) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["complete"] is False and said["cells"]["wrong"] == 1
    assert said["bad"] == {" ".join(key): "wrong: 64x64x32: 2 for 1"}
    text = page(TABLES, cells, results, ARCH)
    assert "**wrong**" in text.split("## Products", 1)[1]
    assert f"- `{key[1]}` on {key[0]}: wrong. 64x64x32: 2 for 1" in text


def test_an_untested_cell_is_shown_and_fails(cells: tuple[Cell, ...], tmp_path: Path) -> None:
    results = all_right(cells, tmp_path / "results.json")
    del results.known[one_of(cells, "pads", "gfx1100")]
    results.write()
    assert main(["status", *CHOSEN, "--results", str(results.path)]) == 1
    assert "untested |" in page(TABLES, cells, results, ARCH).split("## Products", 1)[1]


def test_a_stale_page_is_noticed(cells: tuple[Cell, ...], tmp_path: Path) -> None:
    results = all_right(cells, tmp_path / "results.json")
    arguments = ["render", "--results", str(results.path), "--page", str(tmp_path / "page.md")]
    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0


@pytest.mark.parametrize("option", [["--gpu", "gfx7"], ["--table", "chairs"]])
def test_what_does_not_exist_is_refused_with_what_does(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cells", *option]) == 2
    assert f"{option[1]!r} was asked for; there is " in capsys.readouterr().err
