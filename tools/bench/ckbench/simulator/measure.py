# SPDX-License-Identifier: MIT
"""Starts the GEMMs and makes figures of their times."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckbench.errors import BenchError


@dataclass(frozen=True)
class Setup:
    """What is measured: the files, the GPU, and how often each launch is repeated (the fastest
    counts).
    """

    runtime: Path
    kernel: Path
    gpu: str
    repeat: int


def measure(setup: Setup, sizes: tuple[int, ...], say: Callable[[str], None]) -> dict[str, Any]:
    """All figures; the keys of the JSON object."""
    one = {size: _timed(setup, size, 1, say) for size in sizes}
    two = {size: _timed(setup, size, 2, say) for size in sizes}
    largest, checked_size = max(sizes), min(max(sizes), 512)
    say(f"{checked_size}³ with the checking mode")
    checked = _seconds(setup, checked_size, {"GFXSIM_THREADS": "2", "GFXSIM_CHECK": "1"}, repeat=1)
    unchecked = two.get(checked_size) or _timed(setup, checked_size, 2, say)
    instructions = _instructions(setup, largest, say)
    return {
        "wave_instr_per_s": round(instructions / two[largest]),
        "gemm_1024_s": two.get(1024),
        "thread_speedup": one[largest] / two[largest],
        "check_slowdown": checked / unchecked,
        "check_size": checked_size,
        "wave_instructions": instructions,
        "seconds": {
            str(size): {"one_thread": one[size], "two_threads": two[size]} for size in sizes
        },
        "device": f"sim:{setup.gpu}",
        "kernel": setup.kernel.stem.removeprefix("lib"),
        "machine": {
            "arch": platform.machine(),
            "cpus": os.cpu_count(),
            "load": round(os.getloadavg()[0], 2),
        },
    }


def _timed(setup: Setup, size: int, threads: int, say: Callable[[str], None]) -> float:
    say(f"{size}³ with {threads} thread{'s' if threads > 1 else ''}")
    return _seconds(setup, size, {"GFXSIM_THREADS": str(threads)}, setup.repeat)


def _instructions(setup: Setup, size: int, say: Callable[[str], None]) -> int:
    say(f"counting the instructions of {size}³")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        _seconds(setup, size, {"GFXSIM_REPORT": str(report)}, repeat=1)
        return int(json.loads(report.read_text().splitlines()[-1])["wave_instructions"])


def _seconds(setup: Setup, size: int, changes: Mapping[str, str], repeat: int) -> float:
    command = [
        sys.executable,
        "-m",
        "ckbench.simulator.gemm",
        "--runtime",
        str(setup.runtime),
        "--kernel",
        str(setup.kernel),
        "--gpu",
        setup.gpu,
        "--size",
        str(size),
        "--repeat",
        str(repeat),
    ]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GFXSIM_")
    }
    environment |= {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "GFXSIM_GPU": setup.gpu,
        **changes,
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(
            f"The GEMM of {size}³ failed: "
            f"{done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no output'}"
        )
    if done.stderr.strip():
        raise BenchError(
            f"The GEMM of {size}³ gave a finding: {done.stderr.strip().splitlines()[0]}"
        )
    times: list[float] = json.loads(done.stdout)
    return min(times)
