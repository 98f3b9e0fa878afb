# SPDX-License-Identifier: MIT
"""Runs the two programs that measure, and makes figures of their samples."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckbench.errors import BenchError

_IMPORTS = """
import sys, time
begin = time.perf_counter()
import ckdispatch
seconds = time.perf_counter() - begin
maps = open("/proc/self/maps").read()
print(seconds, "amdhip64" in maps)
"""


@dataclass(frozen=True)
class Setup:
    """The C++ program, the manifest of the kernels, and the device; ``scale`` is of the number of
    samples.

    ``others`` are manifests of kernels that take more tensors: D tensors, and the products of
    groups.
    """

    program: Path
    manifest: Path
    others: tuple[Path, ...]
    simulator: Path
    device: str
    scale: float


def measure(setup: Setup, say: Callable[[str], None]) -> dict[str, Any]:
    """Figures in microseconds; those of the run paths are above a raw HIP launch of the same
    kernel.
    """
    if setup.scale <= 0:
        raise BenchError(f"--scale {setup.scale} was given; it must be more than 0.")
    environment = {
        **os.environ,
        "CKDISPATCH_SIMULATOR": str(setup.simulator),
        "GFXSIM_EXECUTE": "0",
        "GFXSIM_THREADS": "1",
    }
    say("importing the package")
    imports = [_import(environment) for _ in range(max(3, int(10 * setup.scale)))]
    if any(loaded for _, loaded in imports):
        raise BenchError("importing ckdispatch loaded a HIP library, which only a run may do.")
    arguments = [setup.device, str(setup.scale), *map(str, (setup.manifest, *setup.others))]
    say("selecting and running in C++")
    samples = _json_of([str(setup.program), *arguments], environment)
    say("running in Python")
    samples.update(
        _json_of([sys.executable, "-m", "ckbench.dispatch.python_path", *arguments], environment)
    )

    raw = _percentile(samples["raw_launch"], 50)
    nothing = _percentile(samples["python_nothing"], 50)
    figures: dict[str, Any] = {
        "device": setup.device,
        "simulated": setup.device.startswith("sim:"),
        "kernels": samples["kernels"],
    }
    figures["raw_launch_us_p50"] = raw
    runtime = {
        name: _percentile(samples[name], 50) for name in samples if name.startswith("runtime_")
    }
    runs = [
        (f"python_run_{count}", raw + nothing + more - runtime["runtime_3"])
        for count, more in ((name.removeprefix("runtime_"), time) for name, time in runtime.items())
    ]
    for name, less in (
        ("select_cached", 0.0),
        ("select_cold", 0.0),
        ("select_cold_model", 0.0),
        ("cpp_run", raw),
        ("python_select", nothing),
        *runs,
    ):
        for percentile in (50, 99):
            figures[f"{name}_us_p{percentile}"] = max(
                0.0, _percentile(samples[name], percentile) - less
            )
    figures["import_s"] = statistics.median(seconds for seconds, _ in imports)
    figures["machine"] = {
        "cpus": os.cpu_count(),
        "arch": platform.machine(),
        "load": round(os.getloadavg()[0], 1),
    }
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in figures.items()
    }


def _percentile(nanoseconds: Sequence[float], percentile: int) -> float:
    ordered = sorted(nanoseconds)
    return ordered[min(len(ordered) - 1, len(ordered) * percentile // 100)] / 1000


def _import(environment: dict[str, str]) -> tuple[float, bool]:
    seconds, loaded = _run([sys.executable, "-c", _IMPORTS], environment).split()
    return float(seconds), loaded == "True"


def _json_of(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_run(command, environment))
    return found


def _run(command: list[str], environment: dict[str, str]) -> str:
    # The child finds the packages where this process found them.
    environment = {**environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(f"{command[0]} cannot be run: {error.strerror}.") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise BenchError(lines[-1] if lines else f"{command[0]} ended with code {done.returncode}.")
    return done.stdout
