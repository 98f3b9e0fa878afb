# SPDX-License-Identifier: MIT
"""Running the command line as a user does, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ESSENTIAL = ("--kernels", "gemm_fp16_rcr_essential")
VARIANTS = ("--kernels", "test_gemm_variants")
EACH_VARIANT = ("--kernels", "test_gemm_dispatch")
SIMULATED = ("--device", "sim:gfx942")

PADDED = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
UNPADDED = (
    "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
)

PROGRAM = (sys.executable, "-m", "ckdispatch")

_OWN = ("BUILD_WORKING_DIRECTORY", "BUILD_WORKSPACE_DIRECTORY", "NO_COLOR", "CKDISPATCH_DEVICE")
"""What a test says itself if it matters."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def columns(self) -> dict[str, str]:
        """The lines of facts: names and values."""
        pairs = (line.split("  ", 1) for line in self.out.splitlines() if "  " in line)
        return {pair[0].strip(): pair[1].strip() for pair in pairs}


def environment(**variables: str) -> dict[str, str]:
    """The environment of the tests, with ``variables`` on top."""
    return {name: value for name, value in os.environ.items() if name not in _OWN} | variables


def ckdispatch(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    text: str = "",
    program: Sequence[str] = PROGRAM,
) -> Ended:
    """Run a command to its end, with ``text`` on its stdin."""
    done = subprocess.run(
        [*program, *map(str, words)],
        env=environment(**(env or {})),
        cwd=cwd,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def start(*words: str | Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Begin a command that can be interrupted, whatever this process does with signals."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        env=environment(**(env or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )


def manifest(name: str) -> Path:
    """The manifest of a set of the tests."""
    from ckdispatch.native.places import find_manifest

    return find_manifest(name)
