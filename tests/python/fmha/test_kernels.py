# SPDX-License-Identifier: MIT
"""Each attention kernel of the examples is right on random problems of all that it says it can, on the simulator with its checks on."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from ckdispatch.native.places import find_manifest
from kernel_harness import Harness, described

LIBRARIES = sorted(find_manifest("fmha_examples").parent.glob("libfmha_*.so"))
PROBLEMS = int(os.environ.get("CK_PROBLEMS", "6"))
SEED = int(os.environ.get("CK_SEED", "27"))
WORK = 12000


@cache
def harness(path: Path) -> Harness:
    # Two halves of v3's waves run loops of their own with as many barriers: they meet, but not at one address.
    return Harness(path, ignored=("divergent_barrier",) if "_v3_" in path.name else ())


def test_there_are_kernels_of_every_variant() -> None:
    assert {harness(path).spec["variant"] for path in LIBRARIES} >= {
        "fwd", "splitkv", "combine", "pagedkv", "appendkv", "batch_prefill", "dot_do_o", "dq_dk_dv", "convert_dq", "sum", "sink"
    }  # fmt: skip


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.stem.removeprefix("lib"))
def test_random_problems_are_computed_right(path: Path) -> None:
    kernel = harness(path)
    done = 0
    for index in range(20 * PROBLEMS):
        case = kernel.draw(SEED, index, WORK)
        if kernel.supports(case):
            continue
        errors = kernel.run(case)
        assert not errors, f"problem {index}: {described(case)}: {errors}"
        done += 1
        if done == PROBLEMS:
            return
    raise AssertionError(f"only {done} of {20 * PROBLEMS} problems are supported")
