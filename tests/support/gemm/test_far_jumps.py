# SPDX-License-Identifier: MIT
"""A function too long for the jumps of one instruction still returns to where it was called."""

from __future__ import annotations

import os
from typing import cast

from ckdispatch.jit import build
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from cksupport.runner import Runner
from cksupport.verdicts import Verdict

GPU = "gfx908"
NAME = (
    "gemm_bf8_rcr_compv4_cshuffle_intrawave_True_True_True_False_"
    "128x128x32_2x2x1_32x32x16_bfp8_grouped"
)
"""Five loops, with 8-bit floats converted in software: 400 KiB in one function that is called."""


def test_a_kernel_that_calls_a_long_function_ends() -> None:
    spec = cast(GemmSpec, FAMILIES["gemm"].parse_name(NAME))
    (built,) = build([spec], [GPU])
    with Runner(GPU, os.cpu_count() or 1, 300.0) as runner:
        outcome = runner.run(spec, built.check())
    assert outcome.verdict is Verdict.RIGHT, outcome.why
