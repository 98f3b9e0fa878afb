# SPDX-License-Identifier: MIT
"""jit_bench measures real builds: a precompiled header helps, and workers share the work."""

from __future__ import annotations

import json

import pytest
from ckbench.jit.__main__ import main


def test_cells_are_measured_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--kernels", "1,2", "--workers", "1,2"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [(cell["kernels"], cell["workers"]) for cell in figures["cells"]] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    ]
    for cell in figures["cells"]:
        steps = sum(step["processor_seconds"] for step in cell["steps"])
        assert 0 < steps <= cell["processor_seconds"]
        assert len(cell["steps"]) == 4 * cell["kernels"]
        assert cell["memory"] > 100 * 2**20
    # Two kernels on one worker read precompiled headers, which is what they are for.
    assert 0.1 < figures["precompiled_saves"] < 0.9
    assert figures["two_workers"] > 0
