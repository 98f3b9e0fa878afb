# SPDX-License-Identifier: MIT
"""Settings that cannot be met fail every call with a sentence, and a GPU that a library was not compiled for is named."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
from pathlib import Path
import numpy as np
from tests.gfxsim.programs.device import Program
a = np.ones(10, np.float32)
Program(Path("tests/gfxsim/programs/libcontrol.so")).run("run_add", a, a, a, 10, 64)
print(a.sum())
"""


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_the_script_works_where_nothing_is_wrong() -> None:
    assert run().stdout == "20.0\n"


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"GFXSIM_GPU": "gfx000"}, "hipErrorNoDevice: GFXSIM_GPU=gfx000 is no GPU that is simulated; these are: "),
        ({"GFXSIM_GPU": "gfx908"}, "hipErrorNoBinaryForGpu"),
        ({"GFXSIM_THREADS": "many"}, "hipErrorInvalidValue: GFXSIM_THREADS=many is no number"),
        ({"GFXSIM_INSTRUCTION_LIMIT": "-1"}, "hipErrorInvalidValue: GFXSIM_INSTRUCTION_LIMIT=-1 is no number"),
        ({"GFXSIM_INSTRUCTION_LIMIT": "5"}, "hipErrorLaunchTimeOut"),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else "",
)
def test_what_cannot_be_simulated_is_an_error_of_the_call(environment: dict[str, str], words: str) -> None:
    ran = run(**environment)
    # The interpreter ended by its own exception, not by a signal.
    assert ran.returncode == 1
    assert words in ran.stderr.replace("hipMalloc: ", "")
    if environment.get("GFXSIM_GPU") == "gfx908":
        assert "gfx908" in ran.stderr and "gfx90a, gfx942, gfx950" in ran.stderr
