# SPDX-License-Identifier: MIT
"""Running programs, with the time they took, and never leaving one behind."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ckbench.errors import BenchError

Stream = int | TextIO

_GRACE_S = 30.0
"""How long an interrupted program may take to end itself."""


@dataclass(frozen=True)
class Seconds:
    """What a program took: on the clock, and of the processors, for itself and its children."""

    wall: float
    cpu: float

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall + other.wall, self.cpu + other.cpu)

    def __truediv__(self, parts: int) -> Seconds:
        return Seconds(self.wall / parts, self.cpu / parts)


def run_timed(
    arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], what: str
) -> Seconds:
    """Run a program to its end, like ``run``, and nothing beside it."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run(arguments, cwd, environment, what, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return Seconds(wall, user + system)


def run(
    arguments: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    what: str,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
) -> str:
    """Run a program to its end and return what it writes to standard output, if that is a pipe.

    If it fails, ``BenchError`` says ``what`` failed and why.
    """
    process = subprocess.Popen(
        arguments,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        encoding="utf-8",
        errors="replace",
    )
    try:
        output, complaint = process.communicate()
    except BaseException:
        _stop(process)
        raise
    if process.returncode != 0:
        raise BenchError(f"{what} failed: {_reason(complaint or '', process.returncode)}")
    return output or ""


def _reason(complaint: str, code: int) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line or line.startswith("ERROR:")]
    return (errors or lines[-1:] or [f"it ended with exit code {code}"])[0]


def _stop(process: subprocess.Popen[str]) -> None:
    # Bazel takes TERM as "cancel this command", so that its server stays usable.
    process.terminate()
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
