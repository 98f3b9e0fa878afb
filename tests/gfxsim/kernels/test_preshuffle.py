# SPDX-License-Identifier: MIT
"""A preshuffle kernel multiplies by weights in the order of its matrix instructions."""

from __future__ import annotations

import pytest
from ckabi.gemm import gemm_problem
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.gemm.weights import preshuffle, read_block
from kernel_runs import Device, findings, functions, kernel_of, random_matrix

KERNEL = kernel_of("fp16_*_64x64x64_*_preshuffle")
WARP_TILE = KERNEL.describe()["spec"]["warp_tile"]

# One to nine tiles of K, and an M and an N that are no whole tiles.
SIZES = [(64, 64, 64 * i) for i in range(1, 10)] + [(1, 64, 192), (65, 80, 128), (200, 208, 256)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_shuffled_weights_give_the_product(device: Device, size: tuple[int, int, int]) -> None:
    m, n, k = size
    a, b = random_matrix((m, k), "fp16", 1), random_matrix((k, n), "fp16", 2)
    shuffled = preshuffle(b, read_block(WARP_TILE, "gfx942")).data
    on_a, on_c = device.place([a]), device.place([random_matrix((m, n), "fp16", 3)])
    problem = gemm_problem(
        m,
        n,
        k,
        a=on_a.address,
        b=device.upload(shuffled),
        c=on_c.address,
        stride_a=on_a.leading_dimension,
        stride_c=on_c.leading_dimension,
    )
    device.launch(KERNEL, problem)
    gemm_reference(a, b).compare(on_c.read()[0]).raise_if_bad()


def test_both_tails_ran_without_findings() -> None:
    assert functions(KERNEL) == {"hot_odd", "hot_even"}
    assert findings() == set()
