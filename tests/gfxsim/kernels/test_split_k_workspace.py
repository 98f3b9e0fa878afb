# SPDX-License-Identifier: MIT
"""A split-K kernel with a workspace adds its parts up in fp32, always in the same order."""

from __future__ import annotations

import numpy as np
import pytest
from ckabi.gemm import gemm_problem
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.reference.dtypes import numpy_dtype
from kernel_runs import Device, Matrix, findings, functions, kernel_of, launches, random_matrix

KERNEL = kernel_of("bf16_*_splitkws")

# Parts of one tile of K to several, whole and broken.
CASES = [
    ((7, 16, 40), [1, 2, 3]),
    ((65, 136, 264), [1, 3, 9]),
    ((64, 128, 448), [1, 2, 4, 7, 14]),
    ((130, 72, 520), [3]),
    ((130, 72, 488), [4]),
]


def run(device: Device, a: Matrix, b: Matrix, parts: int) -> Matrix:
    (m, k), n = a.shape, b.shape[1]
    on_a, on_b = device.place([a]), device.place([b], "c")
    on_c = device.place([random_matrix((m, n), "bf16", 3)], gap=3)
    problem = gemm_problem(
        m,
        n,
        k,
        a=on_a.address,
        b=on_b.address,
        c=on_c.address,
        k_batch=parts,
        stride_a=on_a.leading_dimension,
        stride_b=on_b.leading_dimension,
        stride_c=on_c.leading_dimension,
    )
    device.launch(KERNEL, problem)
    return on_c.read()[0]


@pytest.mark.parametrize(("size", "numbers"), CASES, ids=str)
def test_the_parts_add_up_to_the_product(
    device: Device, size: tuple[int, int, int], numbers: list[int]
) -> None:
    m, n, k = size
    a, b = random_matrix((m, k), "bf16", 1), random_matrix((k, n), "bf16", 2)
    for parts in numbers:
        expected = gemm_reference(a, b, split_k=parts, parts_in="accumulator")
        comparison = expected.compare(run(device, a, b, parts))
        assert comparison.ok, f"{parts} parts: {comparison}"


def test_the_sum_is_rounded_once_whatever_the_number_of_parts(device: Device) -> None:
    """Powers of two that fp32 adds exactly and bf16 does not."""
    parts = 4
    a = np.ones((8, 64 * parts), numpy_dtype("bf16"))
    b = np.zeros((64 * parts, 8), numpy_dtype("bf16"))
    b[::64] = [[2.0**8], [2.0**-1], [2.0**-1], [2.0**-1]]
    assert (run(device, a, b, parts) == np.float32(256 + 1.5).astype(numpy_dtype("bf16"))).all()


def test_all_loop_variants_ran_without_findings_a_layer_of_the_grid_for_each_part() -> None:
    assert functions(KERNEL) == {
        "hot_three",
        "hot_two",
        "cold_two",
        "cold_one",
        "cold_three",
        "add_parts",
    }
    assert findings() == set()
    products = [launch for launch in launches() if not launch["kernel"].endswith("__add_parts")]
    assert {launch["grid"][2] for launch in products} == {n for _, parts in CASES for n in parts}
