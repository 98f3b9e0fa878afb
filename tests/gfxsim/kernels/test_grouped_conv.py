# SPDX-License-Identifier: MIT
"""Compiled convolutions compute what NumPy computes, whatever their sizes,
and touch nothing else.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from ckabi import KernelLibrary
from conv_runs import Case, fits, kernels_of, loops, random_sizes, takes
from kernel_runs import Device, findings, functions

PATHS = kernels_of(os.environ["CK_CONV_DIRECTION"])
COUNT = int(os.environ["CK_CONV_PROBLEMS"])
SEED = int(os.environ.get("CK_SEED", "0"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem.removeprefix("lib"))
def test_a_kernel_computes_what_fits_it_and_refuses_what_it_does_not_take(
    path: Path, device: Device
) -> None:
    library = KernelLibrary.load(path)
    spec = library.describe()["spec"]
    computed = 0
    for number in range(COUNT):
        random = np.random.default_rng([SEED, zlib.crc32(spec["name"].encode()), number])
        sizes = random_sizes(random, spec)
        parts = 1 if spec["split_k"] == "none" else int(random.choice([1, 2, 2, 3, 5]))
        case = Case.place(device, spec, sizes, parts, number)
        if takes(library, sizes, parts):
            case.compute(device, library)
            computed += 1
        else:
            # How many parts a short sum has is the kernel's to say.
            assert parts > 1 or not fits(spec, sizes), sizes
            case.be_refused(library)
    assert computed >= COUNT // 4


def test_all_loop_variants_ran_and_the_checking_mode_found_nothing() -> None:
    # Some kernels have such short sums that most of their loops never run; others have the same
    # ones.
    kernels = [KernelLibrary.load(path) for path in PATHS]
    ran = {function for kernel in kernels for function in functions(kernel)}
    assert ran >= {name for kernel in kernels for name in loops(kernel.describe()["spec"])}
    assert findings() == set()
