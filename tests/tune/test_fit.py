# SPDX-License-Identifier: MIT
"""Constants of the cost model from a table of our own making: what is printed,
and what is written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ckarch.costs import costs_text, read_costs
from ckdispatch import GemmProblem
from ckdispatch.selection import Selection
from cktune.fit import main
from learning_support import CONSTANTS, GPU, KERNELS, PROBLEMS, registry, table

COSTS = Path(__file__).parents[2] / "arch" / "cost_constants.json"


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table(tmp_path_factory.mktemp("table") / "times.csv", corrected=False)


@pytest.fixture(scope="module")
def fixed() -> tuple[str, ...]:
    """All constants that the formula of the table does not have."""
    terms = Selection(registry(), GPU).costs(GemmProblem.parse(PROBLEMS[0])).terms
    return tuple(word for term in terms if term not in CONSTANTS for word in ("--fix", f"{term}=0"))


@pytest.fixture
def costs(tmp_path: Path) -> Path:
    path = tmp_path / "cost_constants.json"
    path.write_text(COSTS.read_text("utf-8"), "utf-8")
    return path


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUILD_WORKING_DIRECTORY", raising=False)
    monkeypatch.setenv("CKDISPATCH_JIT", "0")


def fit(given: Path, *words: str) -> int:
    return main(
        ["--measurements", str(given), "--gpu", GPU, "--kernels", KERNELS, "--quiet", *words]
    )


def test_constants_of_the_formula_are_found_again(
    given: Path, fixed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert fit(given, *fixed, "--json") == 0
    found: Any = json.loads(capsys.readouterr().out)
    assert (found["family"], found["gpu"], found["problems"]) == ("gemm", GPU, len(PROBLEMS))
    assert {term: found["constants"][term] for term in CONSTANTS} == pytest.approx(
        CONSTANTS, abs=2e-4
    )
    assert {value for term, value in found["constants"].items() if term not in CONSTANTS} == {0.0}
    assert 0 < found["trained_on"] < len(PROBLEMS)
    for term, (least, most) in found["spread"].items():
        assert least <= found["constants"][term] + 1e-3 and most >= found["constants"][term] - 1e-3
    for figures in (found["trial"], found["folds"]):
        assert (
            figures["mean"] == pytest.approx(100, abs=0.5) and figures["median_error_percent"] < 0.1
        )


def test_it_is_printed_for_people(
    given: Path, fixed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert fit(given, *fixed) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"gemm on {GPU}: fitted on ") and lines[0].endswith(
        f" of {len(PROBLEMS)} problems"
    )
    assert any(line.split() == ["memory", "0.0000", "fixed"] for line in lines)
    assert lines[-2].startswith("the other half: ") and lines[-1].startswith("5 folds: ")


def test_a_new_row_is_written_and_the_others_are_kept(
    given: Path, fixed: tuple[str, ...], costs: Path
) -> None:
    before = read_costs(costs)
    assert fit(given, *fixed, "--write", str(costs)) == 0
    after = read_costs(costs)
    assert costs.read_text("utf-8") == costs_text(after)
    *kept, new = after["constants"]
    assert kept == before["constants"] and {**after, "constants": kept} == before
    assert (new["family"], new["gpu"], new["values"]["launch"]) == (
        "gemm",
        GPU,
        pytest.approx(5.0, abs=2e-4),
    )
    assert new["source"].startswith("times.csv, ") and "not fitted" not in new["source"]
    assert [(one["name"], len(one["sha256"])) for one in new["tables"]] == [("times.csv", 64)]
    assert [path.name for path in costs.parent.iterdir()] == [costs.name]


def test_a_row_of_the_same_family_and_gpu_is_replaced(
    given: Path, fixed: tuple[str, ...], costs: Path
) -> None:
    for value in ("1.5", "1.25"):
        assert fit(given, *fixed, "--fix", f"matrix={value}", "--write", str(costs)) == 0
    rows = [
        row
        for row in read_costs(costs)["constants"]
        if (row["family"], row["gpu"]) == ("gemm", GPU)
    ]
    assert len(rows) == 1 and rows[0]["values"]["matrix"] == 1.25
    assert rows[0]["source"].endswith("; not fitted: matrix = 1.25")


@pytest.mark.parametrize("broken", ["no JSON", "{}", '{"schema_version": 2}'])
def test_a_broken_file_is_refused_and_left(
    given: Path,
    fixed: tuple[str, ...],
    costs: Path,
    broken: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    costs.write_text(broken, "utf-8")
    assert fit(given, *fixed, "--write", str(costs)) == 1
    assert capsys.readouterr().err.startswith("fit: ")
    assert costs.read_text("utf-8") == broken and [
        path.name for path in costs.parent.iterdir()
    ] == [costs.name]


def test_a_file_that_is_not_there_is_refused(
    given: Path, fixed: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fit(given, *fixed, "--write", str(tmp_path / "none.json")) == 1
    assert "cannot read the constants of the cost model" in capsys.readouterr().err and not list(
        tmp_path.iterdir()
    )


def test_a_file_that_cannot_take_them_is_found_out_before_anything_is_fitted(
    given: Path, costs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs.write_text("no JSON", "utf-8")
    assert fit(given, "--fix", "tea=1", "--write", str(costs)) == 1
    printed = capsys.readouterr()
    assert "not JSON" in printed.err and printed.out == ""


def test_a_file_that_cannot_be_replaced_is_said(
    given: Path,
    fixed: tuple[str, ...],
    costs: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_: Path, __: Path) -> Path:
        raise OSError(28, "No space left on device")

    before = costs.read_bytes()
    monkeypatch.setattr(Path, "replace", full)
    assert fit(given, *fixed, "--write", str(costs)) == 1
    assert capsys.readouterr().err == (
        f"fit: the constants of the cost model {costs} cannot be written: No space left on device\n"
    )
    assert costs.read_bytes() == before and [path.name for path in costs.parent.iterdir()] == [
        costs.name
    ]


def test_what_cannot_be_fitted_is_one_sentence(
    given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = table(tmp_path / "few.csv", PROBLEMS[:1])
    for path, words, said in (
        (given, ("--fix", "tea=1"), "the constant tea was to be fixed; there is launch, "),
        (given, ("--kernels", str(tmp_path / "none.json")), "none.json"),
        (tmp_path / "none.csv", (), "none.csv"),
        (few, (), "constants were to be fitted on "),
    ):
        assert fit(path, *words) != 0
        told = capsys.readouterr().err
        assert told.startswith("fit: ") and said in told and told.count("\n") == 1
    with pytest.raises(SystemExit):
        fit(given, "--fix", "matrix=-1")
    assert "is no constant" in capsys.readouterr().err
