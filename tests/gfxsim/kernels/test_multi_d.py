# SPDX-License-Identifier: MIT
"""Kernels with a fused operation apply it to the product and to D tensors, whole or repeated."""

from __future__ import annotations

import pytest
from ckabi import KernelLibrary
from ckabi.gemm import gemm_problem
from ckdispatch.gemm.reference import gemm_reference
from kernel_runs import Device, findings, functions, kernel_of, random_matrix

KERNELS = {
    "rows": kernel_of("*_multid_MultiDAddFastGelu_d2"),
    "columns": kernel_of("*_multid_MultiDMultiply_d2"),
    "none": kernel_of("*_multid_Silu_d0"),
}
SIZES = [(64, 64, 32), (65, 72, 64), (7, 136, 96), (65, 64, 136), (136, 8, 168)]

# A D tensor is whole, or one row or column that is repeated.
BROADCASTS = [("whole", "whole"), ("whole", "one"), ("one", "whole"), ("one", "one")]


def run(
    device: Device,
    library: KernelLibrary,
    size: tuple[int, int, int],
    broadcast: tuple[str, ...] = (),
) -> None:
    spec = library.describe()["spec"]
    layout, d_layout = spec["layout"], spec["d_layout"]
    m, n, k = size
    if layout[0] == "c":
        m = -(-m // 8) * 8
    a, b = random_matrix((m, k), "fp16", 1), random_matrix((k, n), "fp16", 2)
    one = (1, n) if d_layout == "r" else (m, 1)
    ds = [
        random_matrix((m, n) if kind == "whole" else one, spec["dtype_d"], 3 + i)
        for i, kind in enumerate(broadcast)
    ]
    on_a, on_b = device.place([a], layout[0]), device.place([b], layout[1])
    on_ds = [device.place([d], d_layout) for d in ds]
    on_c = device.place([random_matrix((m, n), "fp16", 9)])
    problem = gemm_problem(
        m,
        n,
        k,
        a=on_a.address,
        b=on_b.address,
        c=on_c.address,
        stride_a=on_a.leading_dimension,
        stride_b=on_b.leading_dimension,
        stride_c=on_c.leading_dimension,
        d=[d.address for d in on_ds],
        stride_d=[
            d.leading_dimension if kind == "whole" else 0
            for d, kind in zip(on_ds, broadcast, strict=False)
        ],
    )
    device.launch(library, problem)
    expected = gemm_reference(a, b, ds=ds, fused_op=spec["fused_op"])
    expected.compare(on_c.read()[0]).raise_if_bad()


@pytest.mark.parametrize("kind", ["rows", "columns"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_d_tensors_enter_the_result(device: Device, kind: str, size: tuple[int, int, int]) -> None:
    run(device, KERNELS[kind], size, ("whole", "one"))


@pytest.mark.parametrize("kind", ["rows", "columns"])
@pytest.mark.parametrize("broadcast", BROADCASTS, ids="-".join)
def test_a_leading_dimension_of_0_repeats_a_row_or_a_column(
    device: Device, kind: str, broadcast: tuple[str, ...]
) -> None:
    run(device, KERNELS[kind], (65, 72, 40), broadcast)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_an_activation_needs_no_d_tensor(device: Device, size: tuple[int, int, int]) -> None:
    run(device, KERNELS["none"], size)


def test_all_loop_variants_ran_without_findings() -> None:
    assert functions(KERNELS["rows"]) == {"hot_full", "cold_odd", "cold_even"}
    assert functions(KERNELS["columns"]) == {
        "hot_three",
        "hot_two",
        "cold_two",
        "cold_one",
        "cold_three",
    }
    assert functions(KERNELS["none"]) == {"hot_full", "cold_odd", "cold_even"}
    assert findings() == set()
