# SPDX-License-Identifier: MIT
"""Compiled convolutions compute what NumPy computes, whatever their sizes, and touch nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from ckabi import KernelLibrary
from conv_runs import kernels_of, random_sizes, run, takes
from kernel_runs import Device, findings, functions

PATHS = kernels_of(os.environ["CK_CONV_DIRECTION"])
COUNT = int(os.environ["CK_CONV_PROBLEMS"])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem.removeprefix("lib"))
def test_a_kernel_computes_every_problem_that_it_takes(path: Path, device: Device) -> None:
    library = KernelLibrary.load(path)
    spec = library.describe()["spec"]
    computed = 0
    for seed in range(COUNT):
        random = np.random.default_rng(seed)
        sizes = random_sizes(random, spec)
        parts = 1 if spec["split_k"] == "none" else int(random.integers(1, 4))
        if takes(library, sizes, parts):
            run(device, library, sizes, parts, seed)
            computed += 1
    assert computed >= COUNT // 4


def test_all_loop_variants_ran_and_the_checking_mode_found_nothing() -> None:
    ran = {function for path in PATHS for function in functions(KernelLibrary.load(path))}
    assert ran >= {"hot_full", "cold_odd", "cold_even"}
    assert findings() == set()
