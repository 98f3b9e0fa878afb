# SPDX-License-Identifier: MIT
"""Weights in the order of a kernel's matrix instructions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ckdispatch import GemmProblem, PreshuffledWeights, Registry, preshuffle
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.gemm.weights import read_block
from dispatch_support import each_variant, of_each_variant, random

WEIGHTS = random((128, 256), 1)
A = random((72, 256), 2)


@pytest.mark.parametrize("block", [(16, 8), (32, 8), (16, 4), (32, 16)])
def test_each_element_goes_where_the_instruction_reads_it(block: tuple[int, int]) -> None:
    n, k = block
    weights = np.arange(2 * n * 3 * k, dtype=np.int32).reshape(2 * n, 3 * k)
    got = preshuffle(weights.T, block)
    expected = [
        weights[block * n + column, row * k + step]
        for block, row, column, step in itertools.product(range(2), range(3), range(n), range(k))
    ]
    assert got.data.tolist() == expected
    assert got.shape == (3 * k, 2 * n)
    assert got.block == block


@pytest.mark.parametrize(
    ("gpu", "warp_tile", "block"),
    [
        ("gfx942", (16, 16, 32), (16, 8)),
        ("gfx942", (32, 32, 16), (32, 8)),
        ("gfx942", (16, 16, 16), (16, 4)),
        ("gfx950", (16, 16, 128), (16, 32)),
        ("gfx1100", (16, 16, 16), (16, 16)),
        ("gfx1201", (16, 16, 16), (16, 8)),
    ],
)
def test_the_order_is_what_lanes_hold(
    gpu: str, warp_tile: tuple[int, int, int], block: tuple[int, int]
) -> None:
    assert read_block(warp_tile, gpu) == block


def test_what_was_shuffled_can_be_put_back() -> None:
    for b in (WEIGHTS.T, random((3, 64, 32), 3), random((512, 64), 4)[::2]):
        assert np.array_equal(preshuffle(b, (16, 8)).plain(), b)


def test_preshuffled_weights_are_multiplied() -> None:
    weights = preshuffle(WEIGHTS.T, each_variant())
    result = of_each_variant().gemm(A, weights, validate=True)
    assert result.kernel.endswith("_preshuffle")
    assert result.changes == ()
    plain = A.astype(np.float32) @ WEIGHTS.T.astype(np.float32)
    assert np.allclose(result.out, plain, atol=0.05)


def test_they_are_made_once_and_used_on_the_device() -> None:
    on = of_each_variant()
    weights = preshuffle(WEIGHTS.T, "16x8").on(on)
    assert weights.on(on) is weights
    for seed in (3, 4):
        a = random((64, 256), seed)
        assert np.array_equal(
            on.gemm(a, weights).out, on.gemm(a, preshuffle(WEIGHTS.T, "16x8")).out
        )


def test_tensors_of_the_device_are_shuffled_there() -> None:
    on = of_each_variant()
    tensor = on.to_device(WEIGHTS.T, column_major=True)
    weights = preshuffle(tensor, (16, 8))
    assert np.array_equal(weights.data.numpy(), preshuffle(WEIGHTS.T, (16, 8)).data)
    batch = np.stack([WEIGHTS, 2 * WEIGHTS]).swapaxes(1, 2)
    both = preshuffle(on.to_device(batch, column_major=True), (16, 8))
    assert np.array_equal(both.data.numpy(), preshuffle(batch, (16, 8)).data)
    with pytest.raises(InvalidArgument, match="its columns must be contiguous"):
        preshuffle(on.to_device(WEIGHTS.T), (16, 8))


def test_rows_are_padded_but_not_the_weights() -> None:
    result = of_each_variant().gemm(A[:, ::1][:37], preshuffle(WEIGHTS.T, "16x8"), validate=True)
    assert result.out.shape == (37, 128)


def test_a_batch_of_them_is_multiplied_one_by_one() -> None:
    weights = preshuffle(np.stack([WEIGHTS, 2 * WEIGHTS]).swapaxes(1, 2), "16x8")
    result = of_each_variant().gemm(A, weights, validate=True)
    assert result.out.shape == (2, 72, 128)
    assert result.plan.launches == 2


def test_the_order_is_that_of_a_kernel_a_plan_or_the_only_one_of_a_registry() -> None:
    (kernel,) = each_variant().filter(variant="preshuffle")
    plan = each_variant().select(GemmProblem(72, 128, 256, weights="16x8"), gpu="gfx942")
    for to in (kernel, plan, each_variant(), of_each_variant(), "16x8", (16, 8)):
        assert preshuffle(WEIGHTS.T, to).block == (16, 8)


@pytest.mark.parametrize(
    "to", ["16", "16x", "ax32", (16,), (16, 0), (0, 32), None, 16, GemmProblem(1, 1, 1)]
)
def test_an_order_that_is_none_gets_a_sentence(to: object) -> None:
    with pytest.raises(InvalidArgument, match=r"were to be preshuffled|were asked for"):
        preshuffle(WEIGHTS.T, to)


def test_a_registry_without_such_kernels_gets_a_sentence() -> None:
    with pytest.raises(InvalidArgument, match="there are none that reads such weights"):
        preshuffle(WEIGHTS.T, Registry())
    with pytest.raises(InvalidArgument, match="there are none that reads such weights"):
        preshuffle(WEIGHTS.T.astype(np.float32), each_variant())


def test_a_matrix_of_partial_instructions_gets_a_sentence() -> None:
    for shape in ((250, 128), (256, 120), (256,), (2, 2, 256, 128)):
        with pytest.raises(
            InvalidArgument, match="was to be preshuffled as 16x8; it must be a matrix"
        ):
            preshuffle(random(shape, 1), (16, 8))


def test_an_order_that_no_kernel_reads_is_refused() -> None:
    with pytest.raises(NoKernel, match=r"preshuffled as 16x8, not as 32x8|preshuffled as 32x8"):
        of_each_variant().gemm(A, preshuffle(WEIGHTS.T, (32, 8)))


def test_weights_know_what_they_are() -> None:
    weights = preshuffle(WEIGHTS.T, (16, 8))
    assert isinstance(weights, PreshuffledWeights)
    assert (weights.word, weights.shape, weights.dtype) == ("16x8", (256, 128), "fp16")
