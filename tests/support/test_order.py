# SPDX-License-Identifier: MIT
"""A sweep sees a little of everything before it sees all of anything."""

from __future__ import annotations

import time
from pathlib import Path
from typing import cast

import pytest
from ckarch import load_specs
from ckgen.gemm.spec import GemmSpec
from cksupport.digests import Digests
from cksupport.gemm.family import FAMILY
from cksupport.gemm.tables import all_tables
from cksupport.results import Results
from cksupport.sweep import Machine, batches, sweep

ARCH = load_specs()
(PRODUCTS,) = [table for table in all_tables(ARCH) if table.name == "products"]
KERNELS = [cell.kernel for cell in FAMILY.cells([PRODUCTS], ARCH) if cell.kernel is not None]


def test_every_kernel_is_in_one_batch() -> None:
    tried = [(gpu, spec.name) for gpu, specs in batches(KERNELS) for spec in specs]
    assert sorted(tried) == sorted({kernel.key for kernel in KERNELS})


def test_every_product_of_every_gpu_comes_once_before_any_comes_again() -> None:
    seen: list[tuple[str, str, str]] = []
    for gpu, specs in batches(KERNELS):
        products = [cast(GemmSpec, spec) for spec in specs]
        seen += [(gpu, spec.dtype_a, spec.dtype_b) for spec in products]
    assert len(set(seen[: len(set(seen))])) == len(set(seen))


def test_a_batch_is_small_enough_to_be_lost() -> None:
    assert max(len(specs) for _, specs in batches(KERNELS, size=3)) == 3


def test_batches_are_as_small_as_what_is_built_at_once_where_time_is_short() -> None:
    end = time.monotonic() + 60
    assert Machine(2, 1.0).batch > Machine(2, 1.0, end, only_compile=True).batch > 2
    assert Machine(2, 1.0, end).batch == 2


def test_nothing_is_begun_when_time_is_up(tmp_path: Path) -> None:
    late = Machine(1, 1.0, time.monotonic())
    results = Results(tmp_path / "results.json")
    sweep(KERNELS, results, Digests(ARCH), late, lambda *told: pytest.fail(f"{told} was tried"))
    assert results.known == {}
