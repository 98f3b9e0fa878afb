# SPDX-License-Identifier: MIT
"""A batched kernel computes each product of a batch, wherever it lies, and touches nothing else."""

from __future__ import annotations

import pytest
from ckabi.gemm import gemm_problem
from ckdispatch.gemm.reference import gemm_reference
from kernel_runs import Device, findings, functions, kernel_of, launches, random_matrix

KERNEL = kernel_of("fp16_rcr_compv4_*_batched")

# Every number of loops that has a device function of its own, and sizes that are no whole tiles.
SIZES = [(64, 64, 32), (65, 72, 64), (7, 136, 96), (130, 8, 128), (64, 64, 152)]


def run(device: Device, size: tuple[int, int, int], batch: int, shared: str = "") -> None:
    m, n, k = size
    a = [random_matrix((m, k), "fp16", i) for i in range(1 if "a" in shared else batch)]
    b = [random_matrix((k, n), "fp16", 100 + i) for i in range(1 if "b" in shared else batch)]
    on_a, on_b = device.place(a), device.place(b, "c")
    on_c = device.place([random_matrix((m, n), "fp16", 200)] * batch)
    problem = gemm_problem(
        m,
        n,
        k,
        a=on_a.address,
        b=on_b.address,
        c=on_c.address,
        batch=batch,
        stride_a=on_a.leading_dimension,
        stride_b=on_b.leading_dimension,
        stride_c=on_c.leading_dimension,
        batch_stride_c=on_c.stride,
        batch_stride_a=0 if "a" in shared else on_a.stride,
        batch_stride_b=0 if "b" in shared else on_b.stride,
    )
    device.launch(KERNEL, problem)
    for i, got in enumerate(on_c.read()):
        expected = gemm_reference(a[i % len(a)], b[i % len(b)])
        expected.compare(got).raise_if_bad()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_product_of_a_batch_is_computed(device: Device, size: tuple[int, int, int]) -> None:
    run(device, size, 3)


@pytest.mark.parametrize("shared", ["a", "b", "ab"])
def test_a_stride_of_0_shares_an_operand(device: Device, shared: str) -> None:
    run(device, (65, 72, 64), 3, shared)


def test_a_batch_of_one_is_a_product(device: Device) -> None:
    run(device, (130, 72, 40), 1)


def test_all_loop_variants_ran_without_findings_a_layer_of_the_grid_for_each_product() -> None:
    assert functions(KERNEL) == {"hot_three", "hot_two", "cold_two", "cold_one", "cold_three"}
    assert findings() == set()
    assert {launch["grid"][1] for launch in launches()} == {1, 3}
