# SPDX-License-Identifier: MIT
"""Random problems on kernels that Bazel built: right, or refused; and none that fits is refused.

CK_PROBLEMS is how many for all kernels of CK_GPU together, CK_SEED decides which. CK_KERNELS is the
pattern of their names.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from cksupport.trial import Bench, Ended
from cksupport.verdicts import Verdict
from fuzz import Fuzz

GPU = os.environ["CK_GPU"]
PROBLEMS = int(os.environ["CK_PROBLEMS"])
KERNELS = os.environ.get("CK_KERNELS", "*")
SEED = int(os.environ.get("CK_SEED", "1"))
LIBRARIES = {
    path.stem.removeprefix("lib"): path
    for folder in ("kernels", "tests/kernels")
    for path in sorted(Path(folder).glob(f"libgemm_{KERNELS}.so"))
}
EACH = -(-PROBLEMS // max(1, len(LIBRARIES)))
REFUSALS = (Verdict.UNSUPPORTED, Verdict.NO_PROBLEM)
"""Nothing was computed, with a sentence that says why."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(GPU, tmp_path_factory.mktemp("simulator") / "launches.jsonl")


@pytest.fixture(scope="module")
def counted(record_testsuite_property) -> Iterator[Counter[str]]:  # type: ignore[no-untyped-def]  # pytest does not export the fixture's type
    ended: Counter[str] = Counter()
    yield ended
    for how, count in ended.items():
        record_testsuite_property(how, count)
    print(f"\n{GPU}: {ended.total()} problems on {len(LIBRARIES)} kernels: {dict(ended)}")


def test_there_are_kernels() -> None:
    assert LIBRARIES


@pytest.mark.parametrize("name", LIBRARIES)
def test_no_problem_is_silently_wrong(name: str, bench: Bench, counted: Counter[str]) -> None:
    spec = cast(GemmSpec, FAMILIES["gemm"].parse_name(name))
    dispatcher, fuzz = bench.open(LIBRARIES[name]), Fuzz(spec, bench.target, SEED)
    bad, ran = [], 0
    for _ in range(EACH):
        drawn = fuzz.next()
        try:
            bench.try_launch(dispatcher, spec, drawn.launch)
            ran += 1
        except Ended as end:
            counted[end.verdict.value] += 1
            if end.verdict not in REFUSALS or drawn.fits:
                bad.append(f"{end.verdict.value}: {end.why}")
    counted["right"] += ran
    assert bad == []
    assert ran, "every problem was refused"
