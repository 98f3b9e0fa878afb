# SPDX-License-Identifier: MIT
"""The examples in Python are programs: they run by themselves, say what they take, and end with a
code that tells whether all was right. Those of convolutions compute what they should.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path("python/examples")
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "program")
# --config=rocm names the first GPU.
DEVICE = os.environ.get("CKDISPATCH_DEVICE", "sim:gfx942")


def run(example: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    program = [sys.executable, f"{FOLDER}/{example}.py", *arguments]
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


def test_a_volume_is_convolved_by_the_library_of_one_kernel() -> None:
    (library,) = Path("kernels").glob("libgrouped_conv_fwd_fp16_ndhwgc_3d_*.so")
    done = run("conv_3d", str(library), DEVICE)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [re.sub(" by .*", "", line) for line in lines[::2]] == [
        "(1, 6, 8, 8, 24)",
        "(1, 6, 4, 4, 24)",
    ]
    assert all("are within their tolerance" in line for line in lines[1::2])
    assert done.stderr == ""


@pytest.mark.parametrize("example", PROGRAMS)
def test_an_example_says_what_it_takes(example: str) -> None:
    asked = run(example, "--help")
    assert asked.returncode == 0
    assert "a manifest of kernels" in asked.stdout
    done = run(example)
    assert done.returncode == 2
    assert re.search("the following arguments are required: kernels", done.stderr)


def test_an_unknown_device_is_one_sentence() -> None:
    done = run("conv_forward", "grouped_conv_fwd_fp16_2d_essential", "sim:gfx1")
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: ") and "gfx1" in sentence


def test_kernels_that_do_not_exist_are_one_sentence() -> None:
    done = run("conv_backward_data", "no_such_set", DEVICE)
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: ") and "no_such_set" in sentence


def test_the_page_has_every_example() -> None:
    page = Path("docs/examples.md").read_text()
    named = re.findall(r"\]\(\.\./python/examples/(\w+)\.py\)", page)
    assert sorted(named) == PROGRAMS
    commands = re.findall(r"`\./bazelw run //python/examples:(\w+) -- (\S+)", page)
    assert sorted(name for name, _ in commands) == PROGRAMS
