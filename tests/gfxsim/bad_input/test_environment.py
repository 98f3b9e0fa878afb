# SPDX-License-Identifier: MIT
"""Settings that cannot be met fail every call with a sentence, and a GPU that a library was not
compiled for is named.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
from pathlib import Path
import numpy as np
from tests.gfxsim.programs.device import Program
a = np.ones(10, np.float32)
Program(Path("tests/gfxsim/programs/libcontrol.so")).run("run_add", a, a, a, 10, 64)
print(a.sum())
"""

# Faults in every workgroup, of which the first comes last.
FAULTS = """
from tests.gfxsim.bad_input.attempts import CODE_OBJECT, N, attempt
from tests.gfxsim.programs.device import Module, runtime
module = Module(CODE_OBJECT.read_bytes())
with runtime().upload(bytes(4 * N)) as buffer:
    for _ in range(5):
        print(attempt(module, "trap_last_in_the_first_group", buffer.address, grid=8))
"""

# A launch that would change memory, one that would fail, and two that are refused whether or not
# anything is executed.
FOUR_LAUNCHES = """
from gfxsim import HipError
from tests.gfxsim.bad_input.attempts import CODE_OBJECT, N, attempt
from tests.gfxsim.programs.device import Module, runtime
module = Module(CODE_OBJECT.read_bytes())
with runtime().upload(bytes(4 * N)) as buffer:
    print("fill:", attempt(module, "fill", buffer.address))
    print("trap:", attempt(module, "trap", buffer.address))
    print("untouched:", buffer.download() == bytes(4 * N))
    print("too large:", attempt(module, "fill", buffer.address, block=2048))
    try:
        fill = module.function("fill")
        runtime().call("hipModuleLaunchKernel", fill, 1, 1, 1, 64, 1, 1, 0, None, None, None)
    except HipError as error:
        print("no arguments:", error)
"""

# A kernel whose name is no text.
ODD_NAME = r"""
import ctypes
from tests.gfxsim.bad_input.attempts import CODE_OBJECT, N
from tests.gfxsim.programs.device import Module, runtime
module = Module(CODE_OBJECT.read_bytes().replace(b"\xa5.name\xa4fill", b"\xa5.name\xa4f\xffll"))
function = ctypes.c_void_p()
runtime().call("hipModuleGetFunction", ctypes.byref(function), module.handle, b"f\xffll")
with runtime().upload(bytes(4 * N)) as buffer:
    arguments = ctypes.c_void_p(buffer.address), ctypes.c_int(7), ctypes.c_int(N)
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in arguments))
    runtime().call("hipModuleLaunchKernel", function, 2, 1, 1, 64, 1, 1, 0, None, pointers, None)
    runtime().synchronize()
    print(buffer.download() == bytes([7, 0, 0, 0]) * N)
"""


def run(script: str = SCRIPT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_script_works_where_nothing_is_wrong() -> None:
    assert run().stdout == "20.0\n"


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (
            {"GFXSIM_GPU": "gfx000"},
            "hipErrorNoDevice: GFXSIM_GPU=gfx000 is no GPU that is simulated; these are: ",
        ),
        ({"GFXSIM_GPU": "gfx908"}, "hipErrorNoBinaryForGpu"),
        ({"GFXSIM_THREADS": "many"}, "hipErrorInvalidValue: GFXSIM_THREADS=many is no number"),
        (
            {"GFXSIM_MULTIPROCESSORS": "half"},
            "hipErrorInvalidValue: GFXSIM_MULTIPROCESSORS=half is no number",
        ),
        (
            {"GFXSIM_INSTRUCTION_LIMIT": "-1"},
            "hipErrorInvalidValue: GFXSIM_INSTRUCTION_LIMIT=-1 is no number",
        ),
        ({"GFXSIM_INSTRUCTION_LIMIT": "5"}, "hipErrorLaunchTimeOut"),
        (
            {"GFXSIM_LAUNCH_LIMIT": "1e9"},
            "hipErrorInvalidValue: GFXSIM_LAUNCH_LIMIT=1e9 is no number",
        ),
        (
            {"GFXSIM_LAUNCH_LIMIT": "5"},
            "the launch has taken more than its limit of 5 instructions",
        ),
        (
            {"GFXSIM_THREADS": "4294967297"},
            "hipErrorInvalidValue: GFXSIM_THREADS=4294967297 is too many; 1024 is the most.",
        ),
        (
            {"GFXSIM_BOUNDS": "loose"},
            (
                "hipErrorInvalidValue: GFXSIM_BOUNDS=loose is neither exact nor page; "
                "page lets kernels reach the rest"
            ),
        ),
        (
            {"GFXSIM_EXECUTE": "no"},
            (
                "hipErrorInvalidValue: GFXSIM_EXECUTE=no is neither 0 nor 1; "
                "0 checks launches without executing them."
            ),
        ),
        (
            {"GFXSIM_TIMING": "yes"},
            (
                "hipErrorInvalidValue: GFXSIM_TIMING=yes has no meaning; it is 1, "
                "or sample to run only the workgroups"
            ),
        ),
        (
            {"GFXSIM_TIMING_TRACE": "t.json"},
            (
                "hipErrorInvalidValue: GFXSIM_TIMING_TRACE is set and no times are asked for; "
                "set GFXSIM_TIMING=1, or"
            ),
        ),
        (
            {"GFXSIM_TIMING_INSTRUCTIONS": "1"},
            "hipErrorInvalidValue: GFXSIM_TIMING_INSTRUCTIONS is set and no times are asked for",
        ),
        (
            {"GFXSIM_TRACE": "x"},
            "hipErrorInvalidValue: GFXSIM_TRACE=x is not of the form GROUP:WAVE",
        ),
        (
            {"GFXSIM_TRACE": "0:0:0"},
            "hipErrorInvalidValue: GFXSIM_TRACE=0:0:0 is not of the form GROUP:WAVE",
        ),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else "",
)
def test_what_cannot_be_simulated_is_an_error_of_the_call(
    environment: dict[str, str], words: str
) -> None:
    ran = run(**environment)
    # The interpreter ended by its own exception, not by a signal.
    assert ran.returncode == 1
    assert words in ran.stderr.replace("hipMalloc: ", "")
    if environment.get("GFXSIM_GPU") == "gfx908":
        assert "gfx908" in ran.stderr and "gfx90a, gfx942, gfx950" in ran.stderr


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_first_of_several_faulty_workgroups_is_named_however_many_threads_there_are(
    threads: str,
) -> None:
    ran = run(FAULTS, GFXSIM_THREADS=threads)
    assert ran.returncode == 0, ran.stderr
    sentences = ran.stdout.splitlines()
    assert len(sentences) == 5
    assert all(
        "s_trap" in sentence and "workgroup (0, 0, 0)" in sentence for sentence in sentences
    ), sentences


def answers(ran: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert ran.returncode == 0, ran.stderr
    return dict(line.split(": ", 1) for line in ran.stdout.splitlines())


def test_launches_that_are_not_executed_are_checked_and_leave_memory_alone() -> None:
    executed, checked = (
        answers(run(FOUR_LAUNCHES, GFXSIM_EXECUTE="1")),
        answers(run(FOUR_LAUNCHES, GFXSIM_EXECUTE="0")),
    )
    assert executed["fill"] == checked["fill"] == ""
    assert executed["untouched"] == "False" and checked["untouched"] == "True"
    assert "s_trap" in executed["trap"] and checked["trap"] == ""
    assert "more than 1024 threads" in checked["too large"] == executed["too large"]
    assert "no value for its argument 0" in checked["no arguments"] == executed["no arguments"]


def test_launches_that_are_not_executed_are_reported_without_a_wave(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    answers(run(FOUR_LAUNCHES, GFXSIM_EXECUTE="0", GFXSIM_REPORT=str(report)))
    launches = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(launch["kernel"], launch["ok"], launch["waves"]) for launch in launches] == [
        ("fill", True, 0),
        ("trap", True, 0),
    ]


def test_a_report_takes_a_kernel_whose_name_is_no_text(tmp_path: Path) -> None:
    ran = run(ODD_NAME, GFXSIM_REPORT=str(tmp_path / "report.jsonl"))
    assert (ran.returncode, ran.stdout) == (0, "True\n"), ran.stderr
    (line,) = (tmp_path / "report.jsonl").read_text().splitlines()
    assert json.loads(line)["kernel"] == "f\N{REPLACEMENT CHARACTER}ll"
