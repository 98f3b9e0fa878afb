# SPDX-License-Identifier: MIT
"""Where the tests find the files they check, a GPU that does not exist, and what a compiler makes
of headers.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent.parent
SPECS = REPOSITORY / "arch" / "arch_specs.json"
COSTS = REPOSITORY / "arch" / "cost_constants.json"
MADE_UP_GPU = "gfx9999"


def document() -> dict[str, Any]:
    """The project's own specs, as a fresh copy."""
    loaded: dict[str, Any] = json.loads(SPECS.read_text("utf-8"))
    return loaded


def costs() -> dict[str, Any]:
    """The project's own constants of the cost model, as a fresh copy."""
    loaded: dict[str, Any] = json.loads(COSTS.read_text("utf-8"))
    return loaded


def with_made_up_gpu() -> dict[str, Any]:
    """The project's specs and one more GPU, whose figures no other GPU shares."""
    specs = document()
    gpu = copy.deepcopy(specs["architectures"]["gfx942"])
    gpu["family"] = "cdna99"
    gpu["product"] = 'A "made-up" accelerator'
    gpu["compute_units"] = 13 * gpu["xcds"]
    gpu["matrix_flops_per_cycle"] = 777
    gpu["matrix_operand_copies"] = 4
    gpu["memory_bandwidth_gb_s"] = 12345.5
    gpu["wave_layouts"] = [[1, 2, 1], [16, 1, 1]]
    gpu["warp_tiles"] = {"fp16_fp16_fp32": [[48, 48, 24]]}
    gpu["preshuffle_warp_tiles"] = {}
    gpu["broken_warp_tiles"] = {}
    gpu["contiguous_k_warp_tiles"] = {}
    gpu["pipelines"] = ["mem", "compv3"]
    gpu["buffer_atomic_adds"] = []
    specs["architectures"][MADE_UP_GPU] = gpu
    return specs


def write(specs: dict[str, Any], folder: Path) -> Path:
    """Write ``specs`` into ``folder`` and return the path of the file."""
    path = folder / "arch_specs.json"
    path.write_text(json.dumps(specs), "utf-8")
    return path


def write_costs(constants: dict[str, Any], folder: Path) -> Path:
    """Write ``constants`` into ``folder`` and return the path of the file."""
    path = folder / "cost_constants.json"
    path.write_text(json.dumps(constants), "utf-8")
    return path


def cpp_tables(program: str, folder: Path) -> dict[str, Any]:
    """What a program beside this file prints, compiled with the headers of a folder."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("clang++")
    assert compiler, "no C++ compiler: install g++, or name one with CXX."
    source = Path(__file__).parent / f"{program}.cpp"
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    subprocess.run(
        [
            compiler,
            "-std=c++17",
            *warnings,
            f"-I{folder}",
            str(source),
            "-o",
            str(folder / program),
        ],
        check=True,
    )
    output = subprocess.run(
        [str(folder / program)], check=True, capture_output=True, text=True
    ).stdout
    tables: dict[str, Any] = json.loads(output)
    return tables
