# SPDX-License-Identifier: MIT
"""Operands of pk_fp4: one to a byte in NumPy, two to a byte on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch import Dispatcher, GemmProblem, Registry, preshuffle
from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import convert, numpy_dtype
from ckdispatch.tensors.copies import copy_elements
from numpy.typing import NDArray

FP4 = numpy_dtype("pk_fp4")


@pytest.fixture(scope="module")
def dispatcher() -> Dispatcher:
    return Dispatcher(Registry.load("gemm_pk_fp4_rcr_essential"), "sim:gfx950")


def random(shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    return convert(np.random.default_rng(seed).uniform(-6, 6, shape), "pk_fp4")


@pytest.mark.parametrize("shape", [(64, 64, 256), (50, 70, 96), (128, 24, 514)])
def test_products_are_right(dispatcher: Dispatcher, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    a, weights = random((m, k), 1), random((n, k), 2)
    result = dispatcher.gemm(a, weights.T, validate=True)
    assert result.out.dtype == np.float16 and result.out.shape == (m, n)
    exact = a.astype(np.float64) @ weights.T.astype(np.float64)
    assert np.allclose(result.out.astype(np.float64), exact, rtol=1e-3, atol=0.5)


def test_operands_in_other_layouts_are_copied(dispatcher: Dispatcher) -> None:
    a, b = np.asfortranarray(random((32, 128), 3)), random((128, 48), 4)
    result = dispatcher.gemm(a, b, validate=True)
    assert any("copied into contiguous" in change for change in result.changes)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("m", "n"), [(5, 1), (1, 7), (3, 9)])
def test_odd_sizes_but_k_are_served(dispatcher: Dispatcher, m: int, n: int, order: Any) -> None:
    a, b = random((m, 64), 11).copy(order), random((64, n), 12).copy(order)
    dispatcher.gemm(a, b, validate=True)


def test_a_batch_on_the_device_stays_where_it_is(dispatcher: Dispatcher) -> None:
    a, b = random((3, 16, 64), 5), random((3, 40, 64), 6)
    on_device = [dispatcher.to_device(one) for one in (a, b)]
    left, right = on_device
    turned = right.seen_as((3, 64, 40), (40 * 64, 1, 64))
    result = dispatcher.gemm(left, turned, validate=True)
    assert np.array_equal(left.numpy().view(np.uint8), a.view(np.uint8))
    expected = a.astype(np.float32) @ b.swapaxes(1, 2).astype(np.float32)
    assert np.allclose(result.out.numpy().astype(np.float32), expected, rtol=1e-3, atol=0.5)


@pytest.mark.parametrize("shape", [(1,), (7,), (4, 6), (3, 5)])
def test_what_is_written_is_read_back(dispatcher: Dispatcher, shape: tuple[int, ...]) -> None:
    values = random(shape, 7)
    read = dispatcher.to_device(values).numpy()
    assert np.array_equal(read.view(np.uint8), values.view(np.uint8))


def test_memory_has_two_elements_in_a_byte_the_first_in_the_low_half(
    dispatcher: Dispatcher,
) -> None:
    tensor = dispatcher.to_device(np.array([1.0, -6.0, 0.5], np.float32).astype(FP4))
    memory = np.empty(2, np.uint8)
    dispatcher.device.copy_out(memory.ctypes.data, tensor.address, 2)
    assert memory[0] == 0xF2 and memory[1] & 0xF == 0x1


def test_a_copy_keeps_what_is_beside_it(dispatcher: Dispatcher) -> None:
    values, before = random((3, 5), 8), random((4, 8), 9)
    source, target = dispatcher.to_device(values), dispatcher.to_device(before)
    copy_elements(source, target, None)
    expected = before.copy()
    expected[:3, :5] = values
    assert np.array_equal(target.numpy().view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (GemmProblem(8, 8, 7, dtype="pk_fp4"), "K = 7 and A of pk_fp4 .* a multiple of 2"),
        (GemmProblem(8, 8, 8, dtype="pk_fp4", stride_b=11), "dimension of 11 .* a multiple of 2"),
        (GemmProblem(8, 8, 8, dtype="pk_fp4", dtype_c="pk_fp4"), "only A and B can be of one"),
    ],
)
def test_elements_that_share_a_byte_cannot_be_divided(
    dispatcher: Dispatcher, problem: GemmProblem, why: str
) -> None:
    with pytest.raises(InvalidArgument, match=why):
        dispatcher.plan(problem)


def test_a_tensor_that_is_too_small_is_refused(dispatcher: Dispatcher) -> None:
    problem = GemmProblem(64, 64, 256, dtype="pk_fp4")
    a, b = (dispatcher.empty((64, k), "pk_fp4") for k in (128, 256))
    c = dispatcher.empty((64, 64), "fp16")
    with pytest.raises(InvalidArgument, match="A of 8192 elements; it has 16384"):
        dispatcher.run(problem, a, b, c)


def test_weights_cannot_be_preshuffled() -> None:
    with pytest.raises(InvalidArgument, match="weights of pk_fp4 were to be preshuffled"):
        preshuffle(random((128, 16), 10), (16, 128))
