# SPDX-License-Identifier: MIT
"""A sweep sees a little of everything before it sees all of anything."""

from __future__ import annotations

from ckarch import load_specs
from cksupport.gemm.family import FAMILY
from cksupport.gemm.tables import all_tables
from cksupport.sweep import batches

ARCH = load_specs()
(PRODUCTS,) = [table for table in all_tables(ARCH) if table.name == "products"]
KERNELS = [cell.kernel for cell in FAMILY.cells([PRODUCTS], ARCH) if cell.kernel is not None]


def test_every_kernel_is_in_one_batch() -> None:
    tried = [(gpu, spec.name) for gpu, specs in batches(KERNELS) for spec in specs]
    assert sorted(tried) == sorted({kernel.key for kernel in KERNELS})


def test_every_product_of_every_gpu_comes_once_before_any_comes_again() -> None:
    seen: list[tuple[str, str, str]] = []
    for gpu, specs in batches(KERNELS):
        seen += [(gpu, spec.dtype_a, spec.dtype_b) for spec in specs]
    assert len(set(seen[: len(set(seen))])) == len(set(seen))


def test_a_batch_is_small_enough_to_be_lost() -> None:
    assert max(len(specs) for _, specs in batches(KERNELS, size=3)) == 3
