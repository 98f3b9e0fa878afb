# SPDX-License-Identifier: MIT
"""The page is made from tables and keeps what is written by hand; its check finds what is worse or
old. The times are made up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ckdispatch import GemmProblem
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.measurements import Row, write
from ckdispatch.selection import Selection
from cktune.page import main

KERNELS = "gemm_fp16_rcr_essential"
GPU = "gfx942"
PROBLEMS = [
    f"{m}x{n}x{k}"
    for m in (128, 2048)
    for n in (256, 512, 1024, 3072, 5120)
    for k in (128, 512, 1024, 4096)
]
OF_ALL = ("unseen", "shipped", "transfers", "constants", "kernels", "worst rules", "worst model")
PARTS = (
    "tables",
    "bars",
    *(f"{name} all.csv" for name in OF_ALL),
    "times some.csv",
    "bounds best.csv",
)
PAGE = "# By hand\n\nBefore.\n\n" + "\nBetween.\n\n".join(
    f"<!-- made: {name} -->\n<!-- end -->\n" for name in PARTS
)
SETTINGS: dict[str, Any] = {
    "gpu": GPU,
    "tables": {
        "all.csv": {"fixed": {"first": 0}, "pictures": "all"},
        "some.csv": {"fixed": {"first": 0}},
        "best.csv": {},
    },
    "bars": [
        {
            "table": "all.csv",
            "what": "a bar",
            "trial": "unseen",
            "strategy": "rules",
            "least": {"mean": 1, "min": 101},
        }
    ],
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Times that the cost model nearly has: of all kernels, of two of each problem,
    and the best.
    """
    folder = tmp_path_factory.mktemp("tables")
    selection = Selection(load_kernels([KERNELS]), GPU)
    rows: list[list[Row]] = [[], [], []]
    for place, text in enumerate(PROBLEMS):
        ways = [one for one in selection.rank(GemmProblem.parse(text)).fit if one.parts == 1]
        times = [
            round(one.microseconds * (1 + 0.03 * ((place + 3 * number) % 7)), 3)
            for number, one in enumerate(ways)
        ]
        some = [
            Row("gemm", text, one.kernel, time, "simulated", gpu=GPU)
            for one, time in zip(ways, times, strict=True)
        ]
        rows[0] += some
        rows[1] += [
            Row("gemm", text, one.kernel, one.microseconds, "simulated", gpu=GPU, of_kernels=1000)
            for one in some[:2]
        ]
        rows[2].append(Row("gemm", text, "", min(times), "simulated", gpu=GPU))
    for name, some in zip(SETTINGS["tables"], rows, strict=True):
        write(some, folder / name)
    return folder


def begun(folder: Path) -> Path:
    """A page with nothing in it."""
    (folder / "selection").mkdir()
    (folder / "selection.md").write_text(PAGE)
    (folder / "selection/settings.json").write_text(json.dumps(SETTINGS))
    return folder


def run(tables: Path, docs: Path, *words: str) -> int:
    return main(
        [
            "--measurements",
            str(tables),
            "--kernels",
            KERNELS,
            "--output",
            str(docs),
            "--quiet",
            *words,
        ]
    )


@pytest.fixture(scope="module")
def made(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = begun(tmp_path_factory.mktemp("docs"))
    assert run(tables, docs) == 0
    return docs


@pytest.fixture
def docs(made: Path, tmp_path: Path) -> Path:
    """A copy that may be spoiled."""
    begun(tmp_path)
    for path in (
        "selection.md",
        *(f"selection/{one.name}" for one in (made / "selection").iterdir()),
    ):
        (tmp_path / path).write_bytes((made / path).read_bytes())
    return tmp_path


def record(docs: Path) -> Any:
    return json.loads((docs / "selection/figures.json").read_text())


def test_what_is_written_by_hand_is_kept(made: Path) -> None:
    text = (made / "selection.md").read_text()
    assert text.startswith("# By hand\n\nBefore.\n") and text.count("Between.") == PAGE.count(
        "Between."
    )
    for name in PARTS:
        assert f"<!-- made: {name} -->\n\n|" in text, name


def test_figures_are_of_the_tables(made: Path) -> None:
    found = record(made)["tables"]
    unseen = found["all.csv"]["unseen"]
    assert list(unseen) == ["random", "best_single", "first_fit", "rules", "model"]
    assert (
        unseen["random"]["mean"] < unseen["rules"]["mean"] <= 100
        and unseen["rules"]["error_median"] < 20
    )
    assert len(found["all.csv"]["worst"]["rules"]) == 10 and len(found["all.csv"]["transfers"]) >= 2
    assert (
        found["some.csv"]["folds"] == "5 folds by N and K"
        and "mean" not in found["some.csv"]["unseen"]["rules"]
    )
    # There is no model for these kernels, and nothing that bounds of this kind do besides ours.
    assert list(found["best.csv"]["bounds"]) == ["rules_as_predicted", "rules"] and list(
        found["all.csv"]["shipped"]
    ) == ["rules"]
    assert found["best.csv"]["bounds"]["rules"]["shapes"] == len(PROBLEMS)
    assert found["best.csv"]["bounds"]["rules"] == found["best.csv"]["bounds"]["rules_as_predicted"]
    text = (made / "selection.md").read_text()
    assert "| a bar | rules | mean | ≥ 1 |" in text and "| **no** |" in text


def test_the_check_is_content_with_what_was_made(tables: Path, docs: Path) -> None:
    before = {path: path.read_bytes() for path in sorted(docs.rglob("*.*"))}
    assert run(tables, docs, "--check") == 0
    assert {path: path.read_bytes() for path in sorted(docs.rglob("*.*"))} == before


def test_the_check_fails_if_a_figure_was_better(
    tables: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = docs / "selection/figures.json"
    document = record(docs)
    document["tables"]["all.csv"]["unseen"]["rules"]["p10"] += 0.1
    path.write_text(json.dumps(document))
    assert run(tables, docs, "--check") == 1
    told = capsys.readouterr().out
    assert "figures that got worse:" in told and "all.csv, unseen, rules, p10" in told


def test_elsewhere_bars_are_checked_in_place_of_figures(
    tables: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = docs / "selection/figures.json"
    document = {**record(docs), "machine": "abacus"}
    document["tables"]["all.csv"]["unseen"]["rules"]["p10"] += 0.1
    path.write_text(json.dumps(document))
    capsys.readouterr()
    assert run(tables, docs, "--check") == 1
    told = capsys.readouterr().out
    assert "figures that got worse:" not in told
    assert "a bar, rules: min is" in told and "and the bar is 101" in told and "mean is" not in told


@pytest.mark.parametrize(
    "spoiled", ["selection.md", "selection/all_predicted.svg", "selection/all_losses.svg"]
)
def test_the_check_fails_if_something_is_old(
    tables: Path, docs: Path, spoiled: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = docs / spoiled
    path.write_text(path.read_text().replace("error, %", "error").replace("</svg>", "<g/></svg>"))
    assert run(tables, docs, "--check") == 1
    assert path.name in capsys.readouterr().out


def test_a_table_whose_kernels_are_not_given_is_said_to_be_not_judged(
    tables: Path, tmp_path: Path
) -> None:
    for name in SETTINGS["tables"]:
        (tmp_path / name).write_bytes((tables / name).read_bytes())
    other = (
        "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_32x32x32_1x1x1_32x32x16"
    )
    write(
        [Row("gemm", PROBLEMS[0], other, 1.0, "simulated", gpu=GPU, of_kernels=9)],
        tmp_path / "some.csv",
    )
    docs = begun(tmp_path)
    assert run(tmp_path, docs) == 0
    assert (
        "This table was not judged: none of its kernels was given."
        in (docs / "selection.md").read_text()
    )


def test_what_cannot_be_is_one_sentence(
    tables: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "nowhere", docs) != 0
    assert "all.csv, which is not in" in capsys.readouterr().err
    (docs / "selection.md").write_text("<!-- made: nonsense -->\n<!-- end -->\n")
    before = (docs / "selection/figures.json").read_bytes()
    assert run(tables, docs) != 0
    assert "a part called nonsense" in capsys.readouterr().err
    assert (docs / "selection/figures.json").read_bytes() == before
    (docs / "selection/settings.json").write_text("[]")
    assert run(tables, docs) != 0
    assert capsys.readouterr().err.count("\n") == 1
