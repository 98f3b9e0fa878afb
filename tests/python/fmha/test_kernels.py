# SPDX-License-Identifier: MIT
"""Each attention kernel of the examples is right on random problems of all that it says it can, on
the simulator with its checks on.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from ckdispatch.native.places import find_manifest
from cksupport.fmha.problems import DRAWS_FOR_ONE
from kernel_harness import Harness, described

LIBRARIES = sorted(find_manifest("fmha_examples").parent.glob("libfmha_*.so"))
PROBLEMS = int(os.environ.get("CK_PROBLEMS", "6"))
SEED = int(os.environ.get("CK_SEED", "27"))
WORK = 12000

harness = cache(Harness)


def test_there_are_kernels_of_every_variant() -> None:
    assert {harness(path).spec.variant for path in LIBRARIES} >= {
        "fwd",
        "splitkv",
        "combine",
        "pagedkv",
        "appendkv",
        "batch_prefill",
        "dot_do_o",
        "dq_dk_dv",
        "convert_dq",
        "sum",
        "sink",
    }


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.stem.removeprefix("lib"))
def test_random_problems_are_computed_right(path: Path) -> None:
    kernel = harness(path)
    done = 0
    for index in range(DRAWS_FOR_ONE * PROBLEMS):
        problem = kernel.problem(SEED, index, WORK)
        if kernel.refusal(problem):
            continue
        error = kernel.wrong(problem)
        assert not error, f"problem {index}: {described(problem)}: {error}"
        done += 1
        if done == PROBLEMS:
            assert kernel.ran == {"run"}
            return
    raise AssertionError(f"only {done} of {DRAWS_FOR_ONE * PROBLEMS} problems are supported")
