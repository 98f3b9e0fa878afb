# SPDX-License-Identifier: MIT
"""Cells are really built and run, what is known is not made again, and encodings do not mix."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from ckarch import load_specs
from ckdispatch.jit import build
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from cksupport.digests import Digests
from cksupport.kernels import Kernel
from cksupport.results import Results
from cksupport.sweep import Again, Machine, pending, sweep
from cksupport.verdicts import Verdict

ARCH = load_specs()
MACHINE = Machine(jobs=os.cpu_count() or 1, timeout=300.0)
FP8 = "gemm_fp8_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_16x16x32"
BF8 = "gemm_fp8_rcr_compv3_default_intrawave_True_True_True_False_64x64x64_2x2x1_16x16x32_cbf8"
"""What CK's own headers would store as fp8, and with stores that take no single byte."""
FP16 = "gemm_fp16_crr_compv4_cshuffle_intrawave_True_True_True_False_64x128x32_2x4x1_16x16x16"


def kernel(gpu: str, name: str) -> Kernel:
    return Kernel(gpu, cast(GemmSpec, FAMILIES["gemm"].parse_name(name)))


KERNELS = [kernel("gfx942", FP8), kernel("gfx942", BF8), kernel("gfx1201", FP16)]


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, digests: Digests) -> Results:
    results = Results(tmp_path_factory.mktemp("sweep") / "results.json")
    sweep(pending(KERNELS, results, digests), results, digests, MACHINE, lambda *told: None)
    return results


@pytest.mark.parametrize("tried", KERNELS, ids=lambda tried: f"{tried.gpu}-{tried.spec.dtype_c}")
def test_a_kernel_is_right_and_all_of_its_functions_ran(tried: Kernel, swept: Results) -> None:
    outcome = Results.read(swept.path).known[tried.key].outcome
    assert outcome.why == "" and outcome.verdict is Verdict.RIGHT
    assert len(outcome.problems) == 5 and any("gaps" in problem for problem in outcome.problems)
    assert len(outcome.functions) == {"compv3": 3, "compv4": 5}[cast(GemmSpec, tried.spec).pipeline]


def test_what_is_known_is_not_tried_again_unless_asked(swept: Results, digests: Digests) -> None:
    assert pending(KERNELS, swept, digests) == []
    assert pending(KERNELS, swept, digests, Again.BAD) == []
    assert pending(KERNELS, swept, digests, Again.ALL) == KERNELS


def test_what_is_only_compiled_is_tried_again_to_be_run(tmp_path: Path, digests: Digests) -> None:
    results, machine = Results(tmp_path / "results.json"), replace(MACHINE, only_compile=True)
    sweep(KERNELS[:1], results, digests, machine, lambda *told: None)
    outcome = results.known[KERNELS[0].key].outcome
    assert outcome.verdict is Verdict.COMPILED and not outcome.problems
    assert outcome.resources["vgprs"] > 0 and outcome.resources["vgpr_spills"] == 0
    assert pending(KERNELS[:1], results, digests, only_compile=True) == []
    assert pending(KERNELS[:1], results, digests) == KERNELS[:1]


def test_what_was_made_of_something_else_is_tried_again(swept: Results, digests: Digests) -> None:
    stale = Results(swept.path, dict(swept.known))
    stale.known[KERNELS[0].key] = replace(stale.known[KERNELS[0].key], digest="another")
    assert pending(KERNELS, stale, digests) == KERNELS[:1]


def test_a_matrix_in_the_other_encoding_of_fp8_is_wrong_by_a_factor_of_two(swept: Results) -> None:
    """gfx942 reads FNUZ. The bits of an OCP number mean half of it there."""
    (built,) = build([KERNELS[0].spec], ["gfx942"])
    program = Path(__file__).with_name("other_encoding.py")
    said = subprocess.run(
        [sys.executable, str(program), str(built.library), FP8],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert said == ["refused", "0.5"]
