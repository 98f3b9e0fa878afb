# SPDX-License-Identifier: MIT
"""Kernels that Bazel built are right on the problems of the matrix, which make all of their
functions run.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ckgen.families import FAMILIES
from cksupport.trial import Bench
from cksupport.verdicts import Verdict

GPU = "gfx942"
LIBRARIES = {
    path.stem.removeprefix("lib"): path
    for folder in ("kernels", "tests/kernels")
    for path in sorted(Path(folder).glob("libgrouped_conv_*.so"))
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(GPU, tmp_path_factory.mktemp("simulator") / "launches.jsonl")


def test_there_are_kernels() -> None:
    assert LIBRARIES


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_kernel_is_right(name: str, bench: Bench) -> None:
    outcome = bench.try_kernel(FAMILIES["grouped_conv"].parse_name(name), LIBRARIES[name])
    assert (outcome.verdict, outcome.why) == (Verdict.RIGHT, "")
