# SPDX-License-Identifier: MIT
"""Stream-K kernels give the product for any number of workgroups that share the work."""

from __future__ import annotations

import numpy as np
import pytest
from ckabi import KernelLibrary
from ckabi.gemm import gemm_problem
from ckdispatch.gemm.reference import gemm_reference
from kernel_runs import Device, Matrix, findings, functions, kernel_of, launches, random_matrix

KERNELS = {
    "atomic": kernel_of("bf16_*_splitk_streamk"),
    "workspace": kernel_of("bf16_*_splitkws_streamk"),
}
TILE = (64, 64, 32)

# Tiles times loops: 1 x 1, 1 x 7, 6 x 3 with broken tiles, 4 x 5.
SIZES = [(64, 64, 32), (7, 16, 200), (130, 72, 72), (128, 128, 160)]


def loops_of(size: tuple[int, int, int]) -> tuple[int, int]:
    """The tiles of a problem, and the loops of each."""
    m, n, k = (-(-extent // tile) for extent, tile in zip(size, TILE, strict=False))
    return m * n, k


def run(
    device: Device, library: KernelLibrary, size: tuple[int, int, int], workgroups: int
) -> tuple[Matrix, Matrix, Matrix]:
    """The operands and what the kernel made of them."""
    spec = library.describe()["spec"]
    m, n, k = size
    a = random_matrix((m, k), spec["dtype_a"], 1)
    b = random_matrix((k, n), spec["dtype_b"], 2)
    on_a, on_b = device.place([a]), device.place([b], spec["layout"][1])
    on_c = device.place([random_matrix((m, n), spec["dtype_c"], 3)])
    problem = gemm_problem(
        m,
        n,
        k,
        a=on_a.address,
        b=on_b.address,
        c=on_c.address,
        k_batch=workgroups,
        stride_a=on_a.leading_dimension,
        stride_b=on_b.leading_dimension,
        stride_c=on_c.leading_dimension,
    )
    device.launch(library, problem)
    return a, b, on_c.read()[0]


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_any_number_of_workgroups_gives_the_product(
    device: Device, kind: str, size: tuple[int, int, int]
) -> None:
    tiles, loops = loops_of(size)
    spec = KERNELS[kind].describe()["spec"]
    parts_in = "output" if kind == "atomic" else "accumulator"
    for workgroups in range(1, tiles * loops + 1):
        a, b, got = run(device, KERNELS[kind], size, workgroups)
        # Where a share ends is between two loops; more parts than workgroups has no tile.
        expected = gemm_reference(
            a,
            b,
            output=spec["dtype_c"],
            split_k=loops,
            k_multiple=TILE[2],
            most_parts=min(loops, workgroups),
            parts_in=parts_in,
        )
        comparison = expected.compare(got)
        assert comparison.ok, f"{workgroups} workgroups: {comparison}"


def test_a_workspace_gives_the_same_bits_every_time(device: Device) -> None:
    results = [run(device, KERNELS["workspace"], (130, 72, 72), 7)[2] for _ in range(2)]
    assert np.array_equal(results[0], results[1])


def test_one_device_function_shares_and_another_adds_up() -> None:
    assert functions(KERNELS["atomic"]) == {"share"}
    assert functions(KERNELS["workspace"]) == {"share", "add_parts"}
    assert findings() == set()
    shares = {launch["grid"][0] for launch in launches() if launch["kernel"].endswith("__share")}
    assert shares == set(range(1, 21))
