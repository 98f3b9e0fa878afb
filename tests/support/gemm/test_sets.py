# SPDX-License-Identifier: MIT
"""The page of the sets that ship says what the results say, and what spills is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckarch import load_specs
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from cksupport.cli import main
from cksupport.digests import Digests
from cksupport.gemm.family import FAMILY
from cksupport.kernels import Kernel
from cksupport.results import Result, Results
from cksupport.set_pairs import all_pairs
from cksupport.set_summary import SetSummary, sets_page, shipped_sets, told_of
from cksupport.verdicts import Outcome, Verdict
from evidence_compiler import needs_its_compiler

ARCH = load_specs()
SETS = shipped_sets(FAMILY, ARCH)
DOCS = Path("docs") / "support"
EVIDENCE = Path("evidence") / "gemm"
SET = "gemm_pk_fp4_rcr_all"
CLEAN = {"vgprs": 128, "lds_bytes": 32768, "vgpr_spills": 0, "scratch_bytes": 0, "sgpr_spills": 0}
SPILLING = {**CLEAN, "vgpr_spills": 3, "scratch_bytes": 16}


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


def result(kernel: Kernel, digests: Digests, used: dict[str, int]) -> Result:
    outcome = Outcome(Verdict.RIGHT, "", ("64x64x32",), ("hot_full",), used)
    return Result(outcome, digests.of(kernel.spec, kernel.gpu))


def compiled(kernel: Kernel, digests: Digests, used: dict[str, int]) -> Result:
    outcome = Outcome(Verdict.COMPILED, resources=used)
    return Result(outcome, digests.of(kernel.spec, kernel.gpu))


@pytest.fixture
def all_right(digests: Digests, tmp_path: Path) -> Results:
    known = {one.key: result(one, digests, CLEAN) for one in SETS[SET]}
    results = Results(tmp_path / "sets.json", known)
    results.write()
    return results


def row(text: str) -> str:
    return next(line for line in text.splitlines() if f"`{SET}`" in line)


def test_every_kernel_is_legal_on_its_gpu_and_every_gpu_has_some() -> None:
    kernels = {kernel for own in SETS.values() for kernel in own}
    assert {kernel.gpu for kernel in kernels} == set(ARCH.gpus)
    legal = FAMILIES["gemm"].is_legal
    assert all(legal(one.spec, Target.of(ARCH, one.gpu)) for one in kernels)


@needs_its_compiler
def test_the_page_in_the_documentation_is_not_stale(digests: Digests) -> None:
    results = Results.read(EVIDENCE / "sets.json")
    text = (DOCS / "gemm_sets.md").read_text(encoding="utf-8")
    render = "run: ./bazelw run //tools/support -- gemm render"
    assert text == sets_page(FAMILY, told_of(text, SETS), results, digests, ARCH), render


def test_a_page_says_nothing_wrong_of_a_set_that_it_does_not_have(
    all_right: Results, digests: Digests
) -> None:
    older = {name: own for name, own in SETS.items() if name != SET}
    text = sets_page(FAMILY, older, all_right, digests, ARCH)
    assert told_of(text, SETS) == older
    assert list(told_of(sets_page(FAMILY, SETS, all_right, digests, ARCH), SETS)) == [*SETS]


def test_a_set_that_is_all_right_is_marked(all_right: Results, digests: Digests) -> None:
    text = sets_page(FAMILY, SETS, all_right, digests, ARCH)
    number = len(SETS[SET])
    assert row(text) == f"| `{SET}` | – | – | – | {number} ✓ | – | – | – |"
    every = len({one for own in SETS.values() for one in own if one.gpu == "gfx950"})
    left = every - number
    pairs = len(all_pairs(SETS[SET]))
    (own,) = [line for line in text.splitlines() if line.startswith("| gfx950 |")]
    assert own.startswith(
        f"| gfx950 | {every} | {number} | 0 | 0 | 0 | 0 | {left} | 128 | 32768 | 0 | {pairs} of "
    )
    assert "## Not right, or spilling" not in text


def test_a_spilled_register_is_shown_and_fails(
    all_right: Results, digests: Digests, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["gemm", "sets", "--set", SET, "--json", "--results", str(all_right.path)]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True

    kernel = SETS[SET][0]
    all_right.record(kernel.key, result(kernel, digests, SPILLING))
    assert main(arguments) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["complete"] is False and said["kernels"]["spills"] == 1
    why = said["bad"].pop(str(kernel))
    assert not said["bad"] and "on gfx950 it spills 3 VGPRs and uses 16 bytes of scratch" in why
    text = sets_page(FAMILY, SETS, all_right, digests, ARCH)
    assert f"{len(SETS[SET]) - 1} ✓, **1 spills**" in row(text)
    assert f"- {kernel}: {why}" in text


def test_what_is_unknown_or_of_other_sources_is_not_complete(
    all_right: Results, digests: Digests
) -> None:
    first, second = SETS[SET][:2]
    del all_right.known[first.key]
    all_right.known[second.key] = Result(all_right.known[second.key].outcome, "another")
    summary = SetSummary.of(SETS[SET], all_right, digests)
    assert not summary.complete and not summary.bad
    number = len(SETS[SET]) - 2
    assert row(sets_page(FAMILY, SETS, all_right, digests, ARCH)).split(" | ")[4] == (
        f"{number} ✓, 1 stale, 1 untested"
    )


def test_what_was_only_compiled_is_told_apart_and_may_not_spill_either(
    all_right: Results, digests: Digests
) -> None:
    first, second = SETS[SET][:2]
    all_right.record(first.key, compiled(first, digests, CLEAN))
    number = len(SETS[SET]) - 1
    text = sets_page(FAMILY, SETS, all_right, digests, ARCH)
    assert f"{number} ✓, 1 compiled" in row(text)
    assert not SetSummary.of(SETS[SET], all_right, digests).complete
    assert SetSummary.of(SETS[SET], all_right, digests, Verdict.COMPILED).complete

    all_right.record(second.key, compiled(second, digests, SPILLING))
    summary = SetSummary.of(SETS[SET], all_right, digests, Verdict.COMPILED)
    assert not summary.complete and list(summary.bad) == [str(second)]


def test_what_the_matrix_knows_is_not_tried_again(
    all_right: Results, digests: Digests, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own" / "sets.json"
    arguments = ["gemm", "sets", "--set", SET, "--json", "--results", str(own)]
    assert main([*arguments, "--matrix", str(all_right.path)]) == 0
    assert json.loads(capsys.readouterr().out)["kernels"] == {"right": len(SETS[SET])}
    assert not own.exists()


def test_a_set_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gemm", "sets", "--set", "chairs"]) == 2
    assert "the set 'chairs' was asked for; there is gemm_fp16_rcr_all, " in capsys.readouterr().err
