# SPDX-License-Identifier: MIT
"""Problems of the command line, with operands of their own, are right."""

from __future__ import annotations

import pytest
from attention_support import attender
from ckdispatch import FmhaProblem
from ckdispatch.fmha.workload import FmhaWorkload


@pytest.mark.parametrize(
    "text",
    [
        "fmha 2x33x70 h4/2 d64 fp16 causal lse",
        "fmha 2x33x70 h4 d64 fp16 bhsd window=9:3",
        "fmha 2x33x70 h4 d64 fp16 bias causal",
        "fmha 2x33x70 h4 d64 fp16 alibi",
        "fmha 2x33x70 h4 d64 fp16 dropout=0.2 seed=3 offset=5 randval",
        "fmha 3x20x40 h4/2 d64 fp16 group total=45/90 causal",
        "fmha 2x33x70 h4 d64 fp16 splits=3",
        "fmha 2x33x70 h4 d64 fp16 sinks lengths_q lengths_k",
        "fmha 2x1x200 h4/2 d64 fp16 page=64 lengths_k causal",
        "fmha 2x3x200 h4/2 d64 fp16 page=64 new=3 rotary=half:32 causal",
        "fmha 2x33x70 h4/2 d64 fp16 backward causal",
    ],
)
def test_a_problem_in_words(text: str) -> None:
    problem = FmhaProblem.parse(text)
    plan = attender().plan(problem)
    work = FmhaWorkload(attender(), problem, plan, seed=1)
    work.launch()
    comparison = work.compare()
    assert comparison, str(comparison)
    assert work.bytes > 0
