# SPDX-License-Identifier: MIT
"""Everything that the pages promise was tried with the sources, headers and flags of now."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckarch import load_specs
from cksupport.digests import Digests
from cksupport.gemm.family import FAMILY
from cksupport.gemm.tables import all_tables
from cksupport.results import Results
from cksupport.set_summary import SetSummary, shipped_sets
from cksupport.summary import Summary

ARCH = load_specs()
EVIDENCE = Path("evidence") / "gemm"


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


def test_no_cell_of_the_matrix_is_unknown(digests: Digests) -> None:
    results = Results.read(EVIDENCE / "results.json")
    summary = Summary.of(FAMILY.cells(all_tables(ARCH), ARCH), results, digests)
    assert summary.complete, str(summary)


def test_every_kernel_of_the_sets_is_right_and_none_spills(digests: Digests) -> None:
    kernels = (kernel for own in shipped_sets(FAMILY, ARCH).values() for kernel in own)
    summary = SetSummary.of(kernels, Results.read(EVIDENCE / "sets.json"), digests)
    assert summary.complete, str(summary)
