# SPDX-License-Identifier: MIT
"""What counts as a compiled kernel, and what is beyond the budget."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from ckfamilies import NUMBERS

from tests.budget import budget

PAGE = Path("docs/testing.md").read_text()


def _aquery(*actions: tuple[str, str]) -> str:
    labels = sorted({label for label, _ in actions})
    return json.dumps(
        {
            "targets": [{"id": i, "label": label} for i, label in enumerate(labels, 1)],
            "actions": [
                {"targetId": labels.index(label) + 1, "mnemonic": mnemonic}
                for label, mnemonic in actions
            ],
        }
    )


def test_a_kernel_counts_once_for_each_gpu() -> None:
    found = budget.counted(
        _aquery(
            ("//kernels:gemm_fp16_rcr_x", "CkCompile"),
            ("//kernels:gemm_fp16_rcr_x", "CkCompile"),
            ("//kernels:grouped_conv_fwd_fp16_x", "CkCompile"),
            ("//tests/gfxsim/programs:copies", "HipProgram"),
        )
    )
    assert found == {"gemm": 2, "grouped_conv": 1, budget.OTHERS: 1}


def test_nothing_is_compiled_in_an_empty_build() -> None:
    assert budget.counted("{}") == Counter()


def test_the_page_has_a_budget_for_every_family() -> None:
    assert set(budget.allowed(PAGE)) == {*NUMBERS, budget.OTHERS}


def test_what_is_beyond_the_budget_gets_a_sentence() -> None:
    allowed = {"gemm": 2}
    said = budget.exceeded(Counter({"gemm": 3, "cooking": 1}), allowed)
    assert [sentence.partition(",")[0] for sentence in said] == [
        "Default tests compile 1 kernels of cooking",
        "Default tests compile 3 kernels of gemm",
    ]
    assert budget.exceeded(Counter({"gemm": 2}), allowed) == []
