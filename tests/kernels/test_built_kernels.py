# SPDX-License-Identifier: MIT
"""Every built kernel holds real matrix code for its GPU, within the GPU's limits, and describes
itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import ckarch
import pytest
from ckabi import KernelLibrary, Status
from variant_problems import problem_for, workspace_for

GPU = os.environ["CK_GPU"]
FOLDER = Path(os.environ["CK_FOLDER"])
NAMES = sorted(
    path.stem for path in FOLDER.glob("gemm_*.json") if not path.name.endswith(".manifest.json")
)


def description(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def library(name: str) -> KernelLibrary:
    return KernelLibrary.load(FOLDER / f"lib{name}.so")


def test_there_are_kernels() -> None:
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_device_function_computes_with_the_matrix_instructions_of_its_gpu(name: str) -> None:
    isa = ckarch.load_specs().gpu(GPU).matrix_isa.value
    kernels = description(name)["gpus"][GPU]["kernels"]
    assert kernels
    for symbol, resources in kernels.items():
        if symbol.endswith("__add_parts"):
            continue  # only adds up what others have multiplied
        mnemonics = resources["matrix_mnemonics"]
        assert mnemonics, f"{symbol} has no matrix instruction"
        assert all(mnemonic.startswith(f"v_{isa}_") for mnemonic in mnemonics), mnemonics


@pytest.mark.parametrize("name", NAMES)
def test_no_kernel_exceeds_the_lds_of_its_gpu_or_spills(name: str) -> None:
    summary = description(name)["gpus"][GPU]["summary"]
    assert 0 < summary["lds_bytes"] <= ckarch.load_specs().gpu(GPU).lds_bytes
    assert summary["vgpr_spills"] == 0
    assert summary["scratch_bytes"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_all_code_of_a_kernel_is_inlined(name: str) -> None:
    assert description(name)["gpus"][GPU]["functions"] == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_library_describes_itself_as_its_description_file_does(name: str) -> None:
    written = description(name)
    said = library(name).describe()
    assert said["abi_version"] == 2
    assert said["spec"] == written["spec"]
    assert said["spec"]["name"] == name
    assert said["resources"] == {gpu: entry["summary"] for gpu, entry in written["gpus"].items()}
    wave_size = ckarch.load_specs().gpu(GPU).wave_size
    assert said["targets"] == f"{GPU}:{wave_size}"


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_of_whole_tiles_is_supported_and_another_gpu_is_not(name: str) -> None:
    spec = description(name)["spec"]
    m, n, k = spec["tile"]
    kernel = library(name)
    problem = problem_for(spec, 2 * m, 3 * n, 5 * k)
    assert kernel.supports(problem, GPU) == (Status.OK, "")
    assert kernel.supports(problem, f"{GPU}:sramecc+:xnack-") == (Status.OK, "")
    assert kernel.workspace_size(problem, GPU) == (Status.OK, workspace_for(spec, 2 * m, 3 * n))
    status, why = kernel.supports(problem, "gfx000")
    assert status == Status.WRONG_GPU
    assert "gfx000" in why and GPU in why
