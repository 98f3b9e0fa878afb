# SPDX-License-Identifier: MIT
"""Kernels drawn at random are built and run: legal ones are right, and illegal ones are not.

CK_LEGAL and CK_BORDER are how many of either for CK_GPU, CK_SEED decides which.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from ckarch import load_specs
from cksupport.digests import Digests
from cksupport.gemm.draw import GemmDraw
from cksupport.results import Results
from cksupport.sample_summary import SampleSummary
from cksupport.samples import Sample
from cksupport.sweep import Machine, pending, sweep

ARCH = load_specs()
GPU = os.environ["CK_GPU"]
SEED = int(os.environ.get("CK_SEED", "1"))


def tried(samples: Iterable[Sample], count: int, folder: Path) -> SampleSummary:
    results, digests = Results(folder / "results.json"), Digests(ARCH)
    drawn = list(islice(samples, count))
    assert len(drawn) == count
    machine = Machine(jobs=os.cpu_count() or 1, timeout=300.0)
    sweep(pending(drawn, results, digests), results, digests, machine, lambda *told: None)
    summary = SampleSummary.of(drawn, results)
    print(f"\n{GPU}: {summary}")
    return summary


def test_legal_kernels_are_right(tmp_path: Path) -> None:
    summary = tried(GemmDraw(ARCH, SEED, [GPU]).legal(), int(os.environ["CK_LEGAL"]), tmp_path)
    assert summary.bad == {} and summary.untested == 0


def test_illegal_kernels_at_the_border_are_not(tmp_path: Path) -> None:
    summary = tried(
        GemmDraw(ARCH, SEED, [GPU]).at_the_border(), int(os.environ["CK_BORDER"]), tmp_path
    )
    assert summary.bad == {} and summary.untested == 0
