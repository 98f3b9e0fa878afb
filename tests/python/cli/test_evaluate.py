# SPDX-License-Identifier: MIT
"""``evaluate`` judges strategies by a table of times. Those of these tables are of a formula, and
of no GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
from ckdispatch import GemmProblem, Registry
from ckdispatch.evaluation.measured import measured_on
from ckdispatch.evaluation.strategies import _among_measured, any_more, judged_bounds
from ckdispatch.families import FAMILIES
from ckdispatch.judging.cases import case_of
from ckdispatch.measurements import Row, read, write
from cli_support import ESSENTIAL, PADDED, UNPADDED, Ended, ckdispatch, manifest
from tables import best_rows, conv_rows, written

PROBLEMS = ("512x256x1024", "64x64x64", "4096x4096x512", "37x43x51", "128x128x4096", "16x512x64")
STRATEGIES = ["random", "best_single", "first_fit", "rules"]

Formula = Callable[[str, int], float]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load(manifest("gemm_fp16_rcr_essential"))


def rows(registry: Registry, time: Formula, problems: tuple[str, ...] = PROBLEMS) -> list[Row]:
    """Each problem with each kernel; ``time`` is told the problem and the place of the kernel."""
    return [
        Row(
            "gemm",
            problem,
            kernel.name,
            time(problem, place),
            "simulated",
            gpu="gfx942",
            checked=True,
        )
        for problem in problems
        for place, kernel in enumerate(registry)
    ]


def evaluate(
    path: Path, *words: str, kernels: tuple[str, ...] = ESSENTIAL, **variables: str
) -> Ended:
    env = {"CKDISPATCH_JIT": "0", "CKDISPATCH_CACHE": str(path.parent / "cache"), **variables}
    return ckdispatch(
        "evaluate", "--measurements", path, "--gpu", "gfx942", *kernels, *words, env=env
    )


def document(path: Path, rows: list[Row], *words: str) -> Any:
    write(rows, path)
    ended = evaluate(path, *words, "--json")
    assert ended.code == 0, ended.err
    return ended.document


def test_figures_are_those_of_the_picks(tmp_path: Path, registry: Registry) -> None:
    found = document(
        tmp_path / "t.csv",
        rows(registry, lambda problem, place: 10.0 + (len(problem) * (place + 2)) % 7),
    )
    assert list(found["strategies"])[:4] == STRATEGIES and found["problems"] == 6
    assert found["kernels"] == {"measured": 6, "given": 6, "built": 0, "cached": 0, "missing": {}}
    assert found["measurements"]["provenance"] == {"simulated": 36}
    for name in STRATEGIES[1:]:
        picks = [case["picks"][name] for case in found["cases"]]
        worth = [
            100 * case["best"]["microseconds"] / pick["microseconds"]
            for case, pick in zip(found["cases"], picks, strict=True)
        ]
        assert [pick["efficiency"] for pick in picks] == pytest.approx(worth)
        figures = found["strategies"][name]
        assert (figures["mean"], figures["median"], figures["min"]) == pytest.approx(
            (mean(worth), median(worth), min(worth))
        )
        assert (
            figures["problems"] == 6
            and figures["intervals"]["mean"][0]
            <= figures["mean"]
            <= figures["intervals"]["mean"][1]
        )
        assert figures["top1"] == pytest.approx(100 * sum(one == 100 for one in worth) / 6)


def test_rules_pick_what_explain_has_first(tmp_path: Path, registry: Registry) -> None:
    found = document(
        tmp_path / "t.csv",
        rows(registry, lambda _, place: 10.0 + place),
        "--strategy",
        "rules",
        "--strategy",
        "first_fit",
    )
    assert list(found["strategies"]) == ["rules", "first_fit"]
    for problem, case in zip(PROBLEMS, found["cases"], strict=True):
        plan = registry.select(GemmProblem.parse(problem), pad=True)
        assert (case["picks"]["rules"]["kernel"], case["picks"]["rules"]["parts"]) == (
            plan.kernel,
            plan.parts,
        )
        assert case["picks"]["rules"]["predicted"] == pytest.approx(plan.predicted_microseconds)


def test_a_part_of_the_problems_can_be_judged(tmp_path: Path, registry: Registry) -> None:
    table = rows(registry, lambda _, place: 10.0 + place)
    whole, third = (
        document(tmp_path / "t.csv", table, "--strategy", "rules", *more)
        for more in ((), ("--every", "3"))
    )
    assert third["cases"] == whole["cases"][::3] and third["strategies"]["rules"]["problems"] == 2
    assert (
        document(tmp_path / "t.csv", table, "--strategy", "rules", "--every", "100")["cases"]
        == whole["cases"][:1]
    )


def test_simulated_times_can_be_judged_too(tmp_path: Path, registry: Registry) -> None:
    table = rows(registry, lambda _, place: 10.0 + place, ("128x128x64", "37x43x51"))
    found = document(tmp_path / "t.csv", table, "--strategy", "simulated")
    figures = found["strategies"]["simulated"]
    assert list(found["strategies"]) == ["simulated"] and figures["error"]["times"] == 12
    # None takes the second problem as it is.
    assert figures["padded"] >= 6 and figures["refused"] == 0
    for case in found["cases"]:
        pick = case["picks"]["simulated"]
        assert (
            pick["efficiency"] == pytest.approx(100 * 10.0 / pick["microseconds"])
            and 2 < pick["predicted"] < 100
        )
    assert "simulated" not in document(tmp_path / "t.csv", table)["strategies"]


def test_predictions_that_are_true_have_no_error(tmp_path: Path, registry: Registry) -> None:
    problems = ("512x256x1024", "4096x4096x512", "128x128x4096")
    predicted = {
        problem: {
            one.kernel: one.microseconds for one in registry.rank(GemmProblem.parse(problem)).fit
        }
        for problem in problems
    }
    names = [kernel.name for kernel in registry]
    found = document(
        tmp_path / "t.csv",
        rows(registry, lambda problem, place: 2 * predicted[problem][names[place]], problems),
    )
    rules = found["strategies"]["rules"]
    assert (
        rules["mean"],
        rules["top1"],
        rules["rank_correlation"],
        rules["median_rank_correlation"],
    ) == pytest.approx((100, 100, 1, 1))
    assert (
        rules["error"]["median"],
        rules["error"]["p90"],
        rules["error"]["ratio"],
    ) == pytest.approx((50, 50, 0.5))
    assert rules["error"]["scaled"] == pytest.approx(0, abs=1e-9)
    assert rules["error"]["times"] == 18 and (rules["padded"], rules["refused"]) == (0, 0)
    assert found["strategies"]["random"]["error"] is None


def test_kernels_that_refuse_a_problem_are_judged_padded(
    tmp_path: Path, registry: Registry
) -> None:
    found = document(
        tmp_path / "t.csv", rows(registry, lambda _, place: 10.0 + place, ("37x43x51",))
    )
    rules = found["strategies"]["rules"]
    assert (rules["padded"], rules["refused"], rules["padded_picks"], rules["error"]["times"]) == (
        6,
        0,
        1,
        6,
    )
    mixed = document(
        tmp_path / "t.csv", rows(registry, lambda _, place: 10.0 + place, ("64x72x64",))
    )["strategies"]["rules"]
    assert 0 < mixed["padded"] < 6 and mixed["padded_picks"] == 0 and mixed["error"]["times"] == 6


def test_kernels_that_were_measured_several_times_have_the_median(
    tmp_path: Path, registry: Registry
) -> None:
    once = rows(registry, lambda _, place: 10.0 + place, ("512x256x1024",))
    more = [
        replace(row, microseconds=time, weight=1 / 3)
        for row in once
        for time in (row.microseconds, 500.0, 1.0)
    ]
    assert (
        document(tmp_path / "t.csv", more)["cases"] == document(tmp_path / "u.csv", once)["cases"]
    )


def test_of_a_table_with_some_kernels_only_times_are_judged(
    tmp_path: Path, registry: Registry
) -> None:
    some = [
        replace(row, of_kernels=100)
        for row in rows(registry, lambda _, place: 10.0 + place)
        if row.kernel in (PADDED, UNPADDED)
    ]
    found = document(tmp_path / "t.csv", some)
    assert found["strategies"]["rules"]["error"]["times"] == 12
    assert "mean" not in found["strategies"]["rules"] and "random" not in found["strategies"]
    assert (
        "have but some of the kernels that were timed for each problem"
        in found["skipped"]["random"]
    )
    ended = evaluate(tmp_path / "t.csv", "--strategy", "rules", "--strategy", "random")
    assert (
        ended.code == 3
        and ended.err.startswith("ckdispatch: random is not judged: ")
        and ended.err.count("\n") == 1
    )


def test_best_times_bound_what_is_predicted(tmp_path: Path, registry: Registry) -> None:
    shapes = ("512x256x1024", "4096x4096x512", "128x128x4096", "37x43x51")
    times = [
        registry.select(GemmProblem.parse(shape), pad=True).predicted_microseconds
        for shape in shapes
    ]
    best = [
        Row("gemm", shape, "", time / ratio, "imported")
        for shape, time, ratio in zip(shapes, times, (0.5, 0.81, 1, 3), strict=True)
    ]
    found = document(
        tmp_path / "t.csv",
        [*best, Row("gemm", "64x64x64 fp32", "", 5.0, "imported")],
        "--strategy",
        "rules",
    )
    assert found["bounds"]["rules"] == {
        "shapes": 4,
        "kept": 75.0,
        "ratio": pytest.approx(0.905),
        "unserved": 1,
    }
    ended = evaluate(tmp_path / "t.csv", kernels=())
    assert ended.code == 2 and ended.err.endswith(
        "say whose predicted times are to be compared: --kernels.\n"
    )


def test_bounds_of_kernels_that_do_more_are_judged_with_and_without_it(
    tmp_path: Path, registry: Registry
) -> None:
    # The first has no kernel, and the second only a padded one.
    shapes = ("64x64x64 fp32", "37x43x51", "512x256x1024", "4096x4096x512")
    scaled = [
        Row("gemm", shape, "", 5.0, "imported", gpu="gfx942", note="blockscale aiter")
        for shape in shapes
    ]
    found = document(tmp_path / "t.csv", scaled, "--strategy", "rules")["bounds"]
    plain, more = found["rules"], found["rules_with_more"]
    assert plain["shapes"] == more["shapes"] == 3 and plain["unserved"] == more["unserved"] == 1
    assert more["ratio"] > plain["ratio"]
    assert (
        "adds what the kernels of these times do besides ours"
        in evaluate(tmp_path / "t.csv", "--strategy", "rules").out
    )
    of_ours = [replace(row, note="a8w8 aiter") for row in scaled]
    assert list(document(tmp_path / "t.csv", of_ours, "--strategy", "rules")["bounds"]) == ["rules"]


def test_a_bound_with_more_is_what_the_cost_model_says_with_more_of_a_constant(
    tmp_path: Path, registry: Registry
) -> None:
    problem = GemmProblem.parse("4096x4096x512")
    row = Row("gemm", "4096x4096x512", "", 5.0, "imported", gpu="gfx942", note="blockscale aiter")
    write([row], tmp_path / "t.csv")
    measured = measured_on(read(tmp_path / "t.csv"), "gfx942")
    assert any_more(measured)
    plain, more = (
        judged_bounds(measured, registry, "rules", with_more=both) for both in (False, True)
    )
    assert plain.bounded is not None and more.bounded is not None
    costs = registry.selection("gfx942").costs(problem)
    place = costs.terms.index("matrix")
    added = FAMILIES["gemm"].beyond_ours(row)
    assert list(added) == ["matrix"]
    times = [one.microseconds + added["matrix"] * one.terms[place] for one in costs.fit]
    assert plain.bounded.ratio == pytest.approx(min(one.microseconds for one in costs.fit) / 5)
    assert more.bounded.ratio == pytest.approx(min(times) / 5)


def test_a_pick_without_a_time_is_the_best_predicted_that_has_one(
    tmp_path: Path, registry: Registry
) -> None:
    problem = "4096x4096x512"
    predicted = {
        one.kernel: one.microseconds for one in registry.rank(GemmProblem.parse(problem)).fit
    }
    best, second, *_ = sorted(predicted, key=predicted.__getitem__)
    every = rows(registry, lambda _, place: 10.0 + place, (problem, "512x256x1024"))
    without = [row for row in every if (row.problem, row.kernel) != (problem, best)]
    found = document(tmp_path / "t.csv", without, "--strategy", "rules", "--strategy", "first_fit")
    case = next(case for case in found["cases"] if case["problem"].startswith(problem))
    assert case["picks"]["rules"]["kernel"] == second
    rules = found["strategies"]["rules"]
    assert rules["problems"] == 2 and rules["unmeasured"] == 0
    assert (
        found["strategies"]["first_fit"]["problems"]
        + found["strategies"]["first_fit"]["unmeasured"]
        == 2
    )


def test_what_no_kernel_was_timed_for_is_not_judged() -> None:
    case = case_of("one", [(("other", 1), 3.0)], complete=True)
    assert _among_measured(case, ("mine", 1), {("mine", 1): 2.0}) == ("mine", 1)
    assert _among_measured(case, None, {("other", 1): 2.0}) is None
    assert _among_measured(case, ("mine", 1), {("mine", 1): 2.0, ("other", 1): 4.0}) == ("other", 1)


def test_bounds_without_any_kernel_are_nothing_found(tmp_path: Path) -> None:
    ended = evaluate(written(tmp_path / "t.csv", best_rows()))
    assert ended.code == 3 and "no kernel" in ended.err and ended.err.count("\n") == 1


def test_rows_that_are_not_of_the_gpu_or_not_right_do_not_count(
    tmp_path: Path, registry: Registry
) -> None:
    good = rows(registry, lambda _, place: 10.0 + place, ("512x256x1024",))
    wrong = [
        replace(good[0], microseconds=1.0, gpu="gfx950"),
        replace(good[0], microseconds=1.0, compute_units=80),
        replace(good[0], microseconds=1.0, checked=False),
    ]
    found = document(tmp_path / "t.csv", [*wrong, *good])
    assert found["cases"][0]["best"]["microseconds"] == 10.0
    assert [(one["why"], one["lines"]) for one in found["measurements"]["left_out"]] == [
        ("they are of gfx950", [2]),
        ("they are of a GPU with 80 compute units, and gfx942 has 304 here", [3]),
        ("their results were not right", [4]),
    ]
    write(wrong, tmp_path / "t.csv")
    ended = evaluate(tmp_path / "t.csv")
    assert (
        ended.code == 2
        and "have no row that can be judged on gfx942: 1 were left out because they are of gfx950"
        in ended.err
    )


def test_a_model_is_judged_or_it_is_said_why_not(tmp_path: Path, registry: Registry) -> None:
    found = document(tmp_path / "t.csv", rows(registry, lambda _, place: 10.0 + place))
    assert ("model" in found["strategies"]) is not ("model" in found["skipped"])
    if "model" in found["skipped"]:
        ended = evaluate(tmp_path / "t.csv", "--strategy", "model")
        assert (
            ended.code == 3
            and ended.err.startswith("ckdispatch: model is not judged: ")
            and ended.err.count("\n") == 1
        )


def test_kernels_that_are_not_there_are_built_or_it_is_said_why_not(
    tmp_path: Path, registry: Registry
) -> None:
    table = rows(registry, lambda _, place: 10.0 + place)
    other = PADDED.replace("compv3", "compv4")
    write([*table, replace(table[0], kernel=other, microseconds=5.0)], tmp_path / "t.csv")
    ended = evaluate(tmp_path / "t.csv", "--json")
    assert (
        ended.code == 0
        and ended.err.splitlines()[0] == "1 of 7 kernels are not there: they are built"
    )
    assert list(ended.document["kernels"]["missing"]) == [other]
    # What is not there is still what the picks are compared with.
    assert ended.document["cases"][0]["best"]["kernel"] == other
    quiet = evaluate(written(tmp_path / "u.csv", conv_rows(1)), "--quiet")
    assert quiet.code == 3 and quiet.err.startswith(
        f"ckdispatch: no kernel of {tmp_path}/u.csv could be built: "
    )
    assert quiet.err.count("\n") == 1


def test_people_see_a_table(tmp_path: Path, registry: Registry) -> None:
    write(rows(registry, lambda _, place: 10.0 + place), tmp_path / "t.csv")
    ended = evaluate(tmp_path / "t.csv", "--strategy", "random", "--strategy", "rules")
    assert (ended.code, ended.err) == (0, "")
    facts, table, meaning = ended.out.split("\n\n")
    assert (
        "times         36 simulated" in facts
        and "kernels       6 of --kernels, 0 built, 0 of the cache" in facts
    )
    assert [line.split()[0] for line in table.splitlines()] == ["strategy", "random", "rules"]
    assert meaning.startswith("Of each problem the efficiency is")


BAD = {
    "text for a time": ("microseconds", "fast", "line 2, column microseconds: 'fast' is no time"),
    "a kernel that is unknown": ("kernel", "gemm_none", "line 2, column kernel: "),
    "a problem that is none": (
        "problem",
        "large",
        "line 2, column problem: 'large' is no GEMM problem",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_table_is_one_sentence(tmp_path: Path, name: str) -> None:
    column, cell, fragment = BAD[name]
    row = {
        "version": 1,
        "family": "gemm",
        "problem": "64x64x64",
        "kernel": PADDED,
        "microseconds": 3,
        "provenance": "simulated",
    }
    ended = evaluate(written(tmp_path / "t.csv", [{**row, column: cell}]))
    assert ended.code == 2 and fragment in ended.err and ended.err.count("\n") == 1
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


def test_a_gpu_that_is_unknown_is_one_sentence(tmp_path: Path) -> None:
    ended = ckdispatch(
        "evaluate", "--measurements", written(tmp_path / "t.csv", conv_rows(1)), "--gpu", "gfx9"
    )
    assert ended.code == 2 and ended.err.startswith(
        "ckdispatch: there is no GPU 'gfx9'; known ones are "
    )
