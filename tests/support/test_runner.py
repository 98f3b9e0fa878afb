# SPDX-License-Identifier: MIT
"""Whatever happens to the process that runs kernels is recorded, and the next kernel is run."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from cksupport.runner import Runner
from cksupport.verdicts import Verdict

NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_16x16x16"
SPEC = cast(GemmSpec, FAMILIES["gemm"].parse_name(NAME))


def test_a_process_that_ends_is_recorded_with_its_last_words(tmp_path: Path) -> None:
    with Runner("gfx942", 1, 60.0) as runner:
        for _ in range(2):
            outcome = runner.run(SPEC, tmp_path / "libmissing.so")
            assert outcome.verdict is Verdict.CRASHED
            assert "ended with exit code 1" in outcome.why and "libmissing.so" in outcome.why


def test_a_kernel_that_does_not_end_in_time_is_given_up(tmp_path: Path) -> None:
    with Runner("gfx942", 1, 0.001) as runner:
        outcome = runner.run(SPEC, tmp_path / "libmissing.so")
    assert outcome.verdict is Verdict.HUNG
    assert outcome.why == "it did not end within 0.001 seconds"
