# SPDX-License-Identifier: MIT
"""``ckdispatch train`` from a table to a model that the dispatcher and ``evaluate`` use."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ckdispatch import GemmProblem
from ckdispatch.measurements import write
from ckdispatch.selection import Selection
from cli_support import Ended, ckdispatch
from learning_support import CONSTANTS, GPU, KERNELS, PROBLEMS, registry, rows, slow, table

FIXED = ("--fix", "memory=0", "--fix", "l2=0")


def train(
    path: Path, *words: str | Path, kernels: tuple[str, ...] = ("--kernels", KERNELS)
) -> Ended:
    return ckdispatch(
        "train",
        "--measurements",
        path,
        "--gpu",
        GPU,
        *kernels,
        "--quiet",
        *words,
        env={"CKDISPATCH_JIT": "0"},
    )


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table(tmp_path_factory.mktemp("table") / "times.csv")


@pytest.fixture(scope="module")
def trained(given: Path) -> tuple[Path, Any]:
    """The file of a model, and what the command printed of it."""
    path = given.parent / "model.json"
    ended = train(given, *FIXED, "--output", path, "--json")
    assert (ended.code, ended.err) == (0, ""), ended.err
    return path, ended.document


def test_the_file_says_what_it_was_made_from(trained: tuple[Path, Any], given: Path) -> None:
    path, printed = trained
    model = json.loads(path.read_text())
    assert (model["family"], model["gpu"]) == (printed["family"], printed["gpu"]) == ("gemm", GPU)
    assert printed["output"] == str(path)
    assert (printed["constants"], printed["manifest"]) == (model["constants"], model["manifest"])
    assert (
        set(model["serves"]) == {"dtype_a", "dtype_b", "dtype_c", "dtype_acc", "layout"}
        and model["serves"]["layout"] == "rcr"
    )
    assert set(model["ranges"]) == set(model["features"]) and 1 <= len(model["trees"]) <= 200
    manifest = model["manifest"]
    assert manifest["provenance"] == "simulated" and manifest["without_a_kernel"] == 0
    assert (manifest["problems"], manifest["times"]) == (len(PROBLEMS), len(rows()))
    assert (
        manifest["tables"][0]["name"] == given.name and len(manifest["tables"][0]["sha256"]) == 64
    )
    assert manifest["fixed"] == {"first": 0.0, "memory": 0.0, "l2": 0.0}
    assert set(manifest["metrics"]["5 folds"]) == {"rules", "model"}
    assert set(manifest["versions"]) == {"python", "lightgbm", "numpy", "scipy"}
    assert "unknown" not in manifest["versions"].values()


def test_the_dispatcher_predicts_by_it(trained: tuple[Path, Any]) -> None:
    selection = Selection(registry(), GPU)
    selection.use_model(trained[0])
    ratios = []
    for text in PROBLEMS:
        costs = selection.costs(GemmProblem.parse(text))
        terms = {
            (one.kernel, one.parts): dict(zip(costs.terms, one.terms, strict=True))
            for one in costs.fit
        }
        for one in selection.rank(GemmProblem.parse(text)).fit:
            assert one.basis == "learned"
            of = terms[one.kernel, one.parts]
            ratios.append(
                one.microseconds
                / (slow(one.kernel) * sum(CONSTANTS[term] * of[term] for term in CONSTANTS))
            )
    assert sum(abs(ratio - 1) < 0.1 for ratio in ratios) > 0.8 * len(ratios)


def test_the_same_table_gives_the_same_bytes(
    trained: tuple[Path, Any], given: Path, tmp_path: Path
) -> None:
    assert train(given, *FIXED, "--output", tmp_path / "again.json").code == 0
    assert (tmp_path / "again.json").read_bytes() == trained[0].read_bytes()
    assert train(given, *FIXED, "--seed", "7", "--output", tmp_path / "other.json").code == 0
    other = json.loads((tmp_path / "other.json").read_text())
    assert (
        other["trees"] != json.loads(trained[0].read_text())["trees"]
        and other["manifest"]["trees"]["seed"] == 7
    )


def test_figures_are_printed_for_people(given: Path) -> None:
    ended = train(given, *FIXED)
    assert ended.code == 0, ended.err
    head, figures, written = ended.out.rstrip("\n").split("\n\n")
    assert head.startswith(f"A model of gemm on {GPU}, for kernels with dtype_a fp16, ")
    assert f"{len(PROBLEMS)} problems" in head and "5 folds" in figures
    assert written == "Nothing was written: there is no --output."


def test_evaluate_judges_it(trained: tuple[Path, Any], given: Path) -> None:
    words = ("--measurements", given, "--gpu", GPU, "--kernels", KERNELS, "--quiet", "--json")
    both = ("--strategy", "rules", "--strategy", "model", "--model", trained[0])
    found = ckdispatch("evaluate", *words, *both, env={"CKDISPATCH_JIT": "0"})
    assert found.code == 0, found.err
    figures = found.document["strategies"]
    assert (
        figures["model"]["mean"] >= 95
        and figures["model"]["error"]["median"] < 10 < figures["rules"]["error"]["median"]
    )
    without = ckdispatch("evaluate", *words, "--strategy", "model", env={"CKDISPATCH_JIT": "0"})
    assert without.code == 3 and "there is no model for this GPU" in without.err


@pytest.mark.parametrize("content", [None, "no JSON", '{"schema_version": 1}'])
def test_evaluate_by_what_is_no_model_is_one_sentence(
    given: Path, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "none.json"
    if content is not None:
        path.write_text(content)
    words = (
        "--measurements",
        given,
        "--gpu",
        GPU,
        "--kernels",
        KERNELS,
        "--quiet",
        "--strategy",
        "model",
        "--model",
        path,
    )
    ended = ckdispatch("evaluate", *words, env={"CKDISPATCH_JIT": "0"})
    assert (
        ended.code != 0
        and ended.err.startswith("ckdispatch: ")
        and ended.err.count("\n") == 1
        and "none.json" in ended.err
    )


@pytest.mark.parametrize(
    "constant",
    ["matrix", "=1", "matrix=", "matrix=-1", "matrix=nan", "matrix=inf", "matrix=one", ""],
)
def test_a_constant_that_is_none_is_refused(given: Path, tmp_path: Path, constant: str) -> None:
    ended = train(given, "--fix", constant, "--output", tmp_path / "model.json")
    assert (
        ended.code == 2
        and "is no constant; write a term and a number from 0, such as matrix=1.2" in ended.err
    )
    assert not list(tmp_path.iterdir())


def test_a_constant_of_no_term_is_refused(given: Path, tmp_path: Path) -> None:
    ended = train(given, "--fix", "tea=1", "--output", tmp_path / "model.json")
    assert ended.code != 0 and ended.err.startswith(
        "ckdispatch: the constant tea was to be fixed; there is launch, "
    )
    assert ended.err.count("\n") == 1 and not list(tmp_path.iterdir())


def test_a_table_without_times_of_kernels_is_refused(tmp_path: Path) -> None:
    write([replace(row, kernel="") for row in rows(PROBLEMS[:2])], tmp_path / "t.csv")
    ended = train(tmp_path / "t.csv", "--output", tmp_path / "model.json")
    assert ended.code == 2 and ended.err.endswith(
        "has no times of kernels, so there is nothing to train on.\n"
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]


def test_a_table_with_too_few_problems_is_refused(tmp_path: Path) -> None:
    ended = train(table(tmp_path / "t.csv", PROBLEMS[:3]), "--output", tmp_path / "model.json")
    assert (
        ended.code != 0
        and "too few problems for 5 folds" in ended.err
        and ended.err.count("\n") == 1
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]


def test_a_table_of_two_provenances_is_refused(tmp_path: Path) -> None:
    some = rows()
    write([replace(some[0], provenance="imported"), *some[1:]], tmp_path / "t.csv")
    ended = train(tmp_path / "t.csv", "--output", tmp_path / "model.json")
    assert (
        ended.code != 0
        and "a model is trained on one kind" in ended.err
        and ended.err.count("\n") == 1
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]


def test_an_output_that_cannot_be_written_is_refused_before_anything(
    given: Path, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    for output in (
        tmp_path / "nowhere" / "model.json",
        tmp_path / "folder",
        tmp_path / "file" / "model.json",
    ):
        ended = train(given, "--output", output)
        assert (
            ended.code not in (0, 1)
            and ended.err.startswith("ckdispatch: ")
            and ended.err.count("\n") == 1
        ), ended.err
    assert (tmp_path / "file").read_text() == "mine" and not list((tmp_path / "folder").iterdir())
    if os.geteuid():
        (tmp_path / "folder").chmod(stat.S_IRUSR | stat.S_IXUSR)
        assert train(given, "--output", tmp_path / "folder" / "model.json").code != 0


def test_a_missing_table_is_refused(tmp_path: Path) -> None:
    ended = train(tmp_path / "none.csv", "--output", tmp_path / "model.json")
    assert (
        ended.code != 0
        and "none.csv" in ended.err
        and ended.err.count("\n") == 1
        and not list(tmp_path.iterdir())
    )


def test_another_gpu_than_the_tables_is_refused(given: Path, tmp_path: Path) -> None:
    words = (
        "train",
        "--measurements",
        given,
        "--gpu",
        "gfx950",
        "--kernels",
        KERNELS,
        "--output",
        tmp_path / "model.json",
    )
    ended = ckdispatch(*words, env={"CKDISPATCH_JIT": "0"})
    assert ended.code != 0 and "they are of gfx942" in ended.err and not list(tmp_path.iterdir())
