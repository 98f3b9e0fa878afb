# SPDX-License-Identifier: MIT
"""A grouped kernel computes products of different sizes in one launch."""

from __future__ import annotations

import pytest
from ckabi.gemm import gemm_problem, grouped_problem
from ckdispatch.gemm.reference import gemm_reference
from kernel_runs import Device, Placed, findings, functions, kernel_of, launches, random_matrix

KERNEL = kernel_of("fp16_rcr_compv3_*_grouped")

# Each number of loops that the pipeline distinguishes, in every order, with whole and broken tiles.
GROUPS = [
    [(64, 64, 32)],
    [(64, 64, 32), (64, 64, 64), (64, 64, 96)],
    [(130, 72, 200), (1, 8, 8), (65, 136, 40)],
    [(7, 16, 8 * i) for i in range(1, 14)],
]


@pytest.mark.parametrize("sizes", GROUPS, ids=lambda sizes: f"{len(sizes)}-from-{sizes[0]}")
def test_every_product_of_a_group_is_computed(
    device: Device, sizes: list[tuple[int, int, int]]
) -> None:
    problems, expected = [], []
    results: list[Placed] = []
    for i, (m, n, k) in enumerate(sizes):
        a, b = random_matrix((m, k), "fp16", i), random_matrix((k, n), "fp16", 100 + i)
        on_a, on_b = device.place([a]), device.place([b], "c")
        on_c = device.place([random_matrix((m, n), "fp16", 200)])
        problems.append(
            gemm_problem(
                m,
                n,
                k,
                a=on_a.address,
                b=on_b.address,
                c=on_c.address,
                stride_a=on_a.leading_dimension,
                stride_b=on_b.leading_dimension,
                stride_c=on_c.leading_dimension,
            )
        )
        results.append(on_c)
        expected.append(gemm_reference(a, b))
    device.launch(KERNEL, grouped_problem(problems))
    for reference, on_c in zip(expected, results, strict=False):
        reference.compare(on_c.read()[0]).raise_if_bad()


def test_one_device_function_ran_without_findings_a_workgroup_for_each_tile() -> None:
    assert functions(KERNEL) == {"groups"}
    assert findings() == set()
    assert {launch["grid"][0] for launch in launches()} == {1, 3, 3 * 2 + 1 + 2 * 3, 13}
