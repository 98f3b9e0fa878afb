# SPDX-License-Identifier: MIT
"""Batched, split-K and stream-K kernels, as the dispatcher takes them."""

from __future__ import annotations

import numpy as np
import pytest
from ckdispatch.errors import NoKernel
from dispatch_support import dispatcher, guarded, of_each_variant, only, random

A, B = random((72, 512), 1), random((136, 512), 2).T


def test_a_batch_is_one_launch_where_a_kernel_does_that() -> None:
    a, b = random((5, 72, 96), 3), random((5, 136, 96), 4).swapaxes(1, 2)
    result = of_each_variant().gemm(a, b, validate=True)
    assert result.kernel.endswith("_batched")
    assert result.plan.launches == 1
    assert dispatcher().gemm(a, b).plan.launches == 5


def test_a_batch_on_the_device_keeps_its_strides_and_what_is_shared() -> None:
    on = of_each_variant()
    left = guarded(on, (3, 72, 96), (72 * 104 + 16, 104, 1), "fp16")
    left.tensor.write(random((3, 72, 96), 5))
    right = on.to_device(random((136, 96), 6).T, column_major=True)
    out = guarded(on, (3, 72, 136), (72 * 144, 144, 1), "fp16")
    result = on.gemm(left.tensor, right, out=out.tensor, validate=True)
    assert result.plan.launches == 1
    assert out.broken() == []
    assert left.broken() == []


@pytest.mark.parametrize("parts", [2, 5, 16])
def test_parts_of_k_in_a_workspace_are_the_same_every_time(parts: int) -> None:
    on = only(variant="standard", split_k="workspace")
    results = [on.gemm(A, B, split_k=parts, deterministic=True, validate=True) for _ in range(2)]
    assert results[0].plan.parts == parts
    assert results[0].plan.workspace_bytes >= parts * 72 * 136 * 4  # and copies, where K is padded
    assert np.array_equal(results[0].out, results[1].out)


def test_parts_in_a_workspace_are_more_accurate_than_in_memory() -> None:
    apart = (
        only(variant="standard", split_k="workspace")
        .gemm(A, B, split_k=16, validate=True)
        .comparison
    )
    added = dispatcher().gemm(A, B, split_k=16, validate=True).comparison
    assert apart is not None
    assert added is not None
    assert apart.max_abs < added.max_abs


@pytest.mark.parametrize("split_k", ["atomic", "workspace"])
@pytest.mark.parametrize("shape", [(72, 136, 512), (200, 200, 96), (8, 8, 1024)])
def test_stream_k_gives_the_product(split_k: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    result = only(variant="stream_k", split_k=split_k).gemm(
        random((m, k), 7), random((n, k), 8).T, validate=True
    )
    assert result.comparison is not None
    assert result.comparison.ok


def test_stream_k_that_adds_in_any_order_is_not_deterministic() -> None:
    with pytest.raises(
        NoKernel, match="adds its parts in any order, and the result was to be the same every time"
    ):
        only(variant="stream_k", split_k="atomic").gemm(A, B, deterministic=True, pad=False)
    on = only(variant="stream_k", split_k="workspace")
    assert np.array_equal(
        on.gemm(A, B, deterministic=True).out, on.gemm(A, B, deterministic=True).out
    )


def test_a_workspace_beyond_the_limit_is_refused() -> None:
    from ckdispatch import GemmProblem

    registry = only(variant="standard", split_k="workspace").registry
    problem = GemmProblem(72, 136, 512, split_k=4, workspace_limit=100)
    with pytest.raises(NoKernel, match="needs a workspace of 156672 bytes, and the limit is 100"):
        registry.select(problem)
