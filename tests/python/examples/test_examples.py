# SPDX-License-Identifier: MIT
"""The examples in Python run, and their results are right."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# --config=rocm names the first GPU.
DEVICE = os.environ.get("CKDISPATCH_DEVICE", "sim:gfx942")


def run(example: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    program = [sys.executable, f"python/examples/{example}.py", *arguments]
    return subprocess.run(program, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("example", "shape", "kernel"),
    [
        ("conv_forward", (2, 7, 7, 48), "grouped_conv_fwd_fp16_nhwgc_2d_"),
        ("conv_backward_data", (2, 9, 9, 16), "grouped_conv_bwd_data_fp16_nhwgc_2d_"),
        ("conv_backward_weight", (32, 3, 3, 16), "grouped_conv_bwd_weight_fp16_nhwgc_2d_"),
    ],
)
def test_a_convolution_is_computed_and_checked(
    example: str, shape: tuple[int, ...], kernel: str
) -> None:
    done = run(example, DEVICE)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith(f"{shape} by {kernel}")
    assert first.endswith(f" on {DEVICE}")
    assert "within" in last
    assert done.stderr == ""


def test_an_unknown_device_is_one_sentence() -> None:
    done = run("conv_forward", "sim:gfx1")
    assert done.returncode != 0
    assert "gfx1" in done.stderr.splitlines()[-1]
