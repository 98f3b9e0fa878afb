# SPDX-License-Identifier: MIT
"""Ctrl-C ends a command at once, also one that computes in a library."""

from __future__ import annotations

import signal

from cli_support import ESSENTIAL, SIMULATED, start

# The trace of its first wave is many times what a pipe holds: the launch waits for its reader.
TRACED = ("64x64x8192", *ESSENTIAL, *SIMULATED, "--no-validate")


def interrupted(*words: str) -> tuple[int, str, str]:
    """How a command ends that is interrupted in the middle of a launch."""
    # For a time alone a benchmark would run other workgroups than the one that is traced.
    process = start(*words, env={"GFXSIM_TRACE": "0:0", "GFXSIM_CHECK": "0", "GFXSIM_TIMING": "0"})
    assert process.stderr is not None and "global read" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    return process.returncode, out, err


def test_a_launch_is_interrupted() -> None:
    code, out, err = interrupted("run", *TRACED)
    assert (code, out) == (130, "")
    assert "ckdispatch: interrupted.\n" in err and "Traceback" not in err


def test_with_json_that_is_the_document() -> None:
    code, out, _ = interrupted("run", *TRACED, "--json")
    assert (code, out) == (130, '{\n  "error": "interrupted",\n  "exit_code": 130\n}\n')


def test_a_benchmark_is_interrupted_too() -> None:
    words = ("bench", *TRACED[:-1], "--warmup", "1000000")
    code, out, err = interrupted(*words)
    assert (code, out) == (130, "")
    assert "ckdispatch: interrupted.\n" in err
