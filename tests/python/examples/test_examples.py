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
    ("example", "shape", "direction"),
    [
        ("conv_forward", (2, 7, 7, 48), "fwd"),
        ("conv_backward_data", (2, 9, 9, 16), "bwd_data"),
        ("conv_backward_weight", (32, 3, 3, 16), "bwd_weight"),
    ],
)
def test_a_convolution_is_computed_and_checked(
    example: str, shape: tuple[int, ...], direction: str
) -> None:
    done = run(example, f"grouped_conv_{direction}_fp16_2d_essential", DEVICE)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith(f"{shape} by grouped_conv_{direction}_fp16_nhwgc_2d_")
    assert first.endswith(f" on {DEVICE}")
    assert "within" in last
    assert done.stderr == ""


def test_an_unknown_device_is_one_sentence() -> None:
    done = run("conv_forward", "grouped_conv_fwd_fp16_2d_essential", "sim:gfx1")
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: ") and "gfx1" in sentence


def test_kernels_must_be_named() -> None:
    done = run("conv_backward_weight")
    assert done.returncode == 2
    assert "the following arguments are required: kernels" in done.stderr
    assert "a manifest of kernels" in run("conv_backward_weight", "--help").stdout


def test_kernels_that_do_not_exist_are_one_sentence() -> None:
    done = run("conv_backward_data", "no_such_set", DEVICE)
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: ") and "no_such_set" in sentence
