# SPDX-License-Identifier: MIT
"""docs/accuracy.md is what the cases and the results give, and the cases are kernels that ship."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ckaccuracy.cases import read_cases
from ckaccuracy.errors import AccuracyError
from ckaccuracy.page import BAR, below, page
from ckaccuracy.results import read, write
from ckarch import load_specs
from ckgen.cli.selection import preselected_sets
from ckgen.core.expand import expand
from ckgen.families import FAMILIES

PAGE = Path("docs/accuracy.md")
RESULTS = Path("evidence/accuracy/results.json")
CASES = read_cases()
ARCH = load_specs()


def test_the_page_is_what_was_measured() -> None:
    assert page(CASES, read(RESULTS)) == PAGE.read_text(encoding="utf-8"), (
        "run: ./bazelw run //tools/accuracy"
    )


def test_the_results_are_those_of_the_cases(tmp_path: Path) -> None:
    again = tmp_path / "results.json"
    write(read(RESULTS), CASES, again)
    assert again.read_text() == RESULTS.read_text()
    assert [case.key for case in CASES] == list(read(RESULTS)) and len(
        {case.key for case in CASES}
    ) == len(CASES)


def test_every_direction_and_every_dtype_of_products_is_measured() -> None:
    problems = [case.parsed() for case in CASES]
    documents = [one.to_json() | {"family": one.family} for one in problems]
    directions = {
        (one["direction"], one["dtype"]) for one in documents if one["family"] == "grouped_conv"
    }
    assert directions >= {
        (way, dtype)
        for way in ("forward", "backward_data", "backward_weight")
        for dtype in ("fp16", "bf16")
    }
    assert directions >= {("forward", dtype) for dtype in ("fp32", "fp8", "int8")}
    shipped = preselected_sets(FAMILIES["gemm"], ARCH)
    dtypes = {dtype for dtype in ARCH.dtypes if f"gemm_{dtype}_rcr_all" in shipped}
    assert {one["dtype"] for one in documents if one["family"] == "gemm"} == dtypes


def test_every_kernel_is_of_the_shipped_set_that_is_named() -> None:
    declared = {
        name: one
        for family in FAMILIES.values()
        for name, one in preselected_sets(family, ARCH).items()
    }
    shipped = {name: expand(declared[name], ARCH).kernels for name in {case.set for case in CASES}}
    wrong = [
        f"{case.kernel} for {case.gpu} is not of {case.set}"
        for case in CASES
        if not any(
            one.spec.name == case.kernel and case.gpu in one.gpus for one in shipped[case.set]
        )
    ]
    assert wrong == []


def test_a_result_above_the_bar_is_told() -> None:
    results = read(RESULTS)
    case = next(case for case in CASES if case.problem.endswith(" fp16 forward"))
    assert below(results[case.key])
    worse = page(CASES, {**results, case.key: replace(results[case.key], max_abs=BAR)})
    assert f"Above is `{case.problem}` with 0.002" in worse
    assert f"Above is `{case.problem}`" not in page(CASES, results)


def test_a_case_without_a_result_is_told() -> None:
    results = read(RESULTS)
    case = CASES[3]
    del results[case.key]
    assert (
        f"- `{case.problem}` by `{case.kernel}`, {case.gpu}\n"
        in page(CASES, results).split("## Not measured yet\n")[1]
    )


def test_cases_have_one_seed() -> None:
    with pytest.raises(AccuracyError, match="several seeds"):
        page([CASES[0], replace(CASES[1], seed=2)], read(RESULTS))
