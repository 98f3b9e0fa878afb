# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
from ckarch import load_specs
from ckgen.core.rules import Purpose
from ckgen.core.target import Target
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import GemmSpec, Variant
from cksupport.cli import main
from cksupport.gemm.draw import GemmDraw
from cksupport.results import Result, Results
from cksupport.samples import Sample
from cksupport.verdicts import Outcome, Verdict

ARCH = load_specs()
RULES = {rule.id: rule for rule in GEMM_RULES}


def legal(seed: int, count: int, *gpus: str) -> list[Sample]:
    return list(islice(GemmDraw(ARCH, seed, gpus).legal(), count))


def broken(sample: Sample) -> list[str]:
    target = Target.of(ARCH, sample.gpu)
    return [rule.id for rule in GEMM_RULES if rule.complaint(sample.spec, target) is not None]


def test_a_seed_draws_the_same_kernels_and_another_seed_others() -> None:
    assert legal(1, 20) == legal(1, 20) != legal(2, 20)


def test_legal_kernels_satisfy_every_rule_and_are_all_different() -> None:
    samples = legal(3, 100)
    assert [sample for sample in samples if broken(sample)] == []
    assert len(set(samples)) == 100


def test_every_variant_is_drawn() -> None:
    assert {cast(GemmSpec, sample.spec).variant for sample in legal(4, 100, "gfx942")} == set(
        Variant
    )


def test_a_kernel_at_the_border_is_refused_by_the_rule_that_it_names_alone() -> None:
    samples = list(islice(GemmDraw(ARCH, 5).at_the_border(), 60))
    assert all(broken(sample) == list(sample.rules) for sample in samples)
    assert {len(sample.rules) for sample in samples} == {1}
    assert {RULES[sample.rules[0]].purpose for sample in samples} == {Purpose.RESULTS}


def test_no_rule_is_drawn_again_as_long_as_others_are_found() -> None:
    drawn = [sample.rules[0] for sample in islice(GemmDraw(ARCH, 5).at_the_border(), 60)]
    assert len(set(drawn)) > 20
    assert len(set(drawn[:15])) == 15


def test_the_command_prints_what_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gemm", "draw", "--count", "3", "--seed", "6", "--gpu", "gfx950", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == [sample.to_json() for sample in legal(6, 3, "gfx950")]


def test_no_kernels_are_not_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["gemm", "draw", "--count", "0"])
    assert "argument --count: '0' is no number of at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("key", [("gfx942", "gemm_fp17"), ("gfx1", "gemm_fp16")])
def test_results_of_what_cannot_be_are_refused(
    key: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    results = Results(tmp_path / "samples.json", {key: Result(Outcome(Verdict.RIGHT), "")})
    results.write()
    assert main(["gemm", "samples", "--known", "--results", str(results.path)]) == 2
    assert "have a kernel that cannot be: " in capsys.readouterr().err


def test_an_unknown_gpu_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gemm", "draw", "--gpu", "gfx1"]) == 2
    assert "the GPU 'gfx1' was asked for; there is gfx908, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        ("gemm_fp16", "write it as GPU:NAME"),
        ("gfx1:gemm_fp16", "the GPU 'gfx1' was asked for"),
        ("gfx942:gemm_fp16", "the kernel 'gfx942:gemm_fp16' was asked for: "),
    ],
)
def test_a_kernel_that_cannot_be_is_refused(
    kernel: str, why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    results = tmp_path / "samples.json"
    assert main(["gemm", "samples", "--kernel", kernel, "--results", str(results)]) == 2
    assert why in capsys.readouterr().err
    assert not results.exists()
