# SPDX-License-Identifier: MIT
"""Matrices on a simulated gfx950: values come back in every dtype, and stray writes are seen."""

from __future__ import annotations

import numpy as np
import pytest
from ckdispatch.device import Device
from cksupport.operands import Matrix, Spacing, random_values

DTYPES = ("fp16", "bf16", "fp32", "fp8", "bf8", "int8", "int32")


@pytest.fixture(scope="module")
def device() -> Device:
    return Device("sim:gfx950")


@pytest.mark.parametrize("letter", ["r", "c"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_come_back_as_they_were(device: Device, dtype: str, letter: str) -> None:
    values = random_values(np.random.default_rng(0), (3, 5), device.numpy_dtype(dtype))
    matrix = Matrix.place(device, dtype, (3, 5), letter, Spacing(2))
    matrix.fill(values)
    assert np.array_equal(matrix.read().view(np.uint8), np.ascontiguousarray(values).view(np.uint8))
    assert matrix.leading == (7 if letter == "r" else 5)


def test_what_lies_around_a_float_matrix_is_not_a_number(device: Device) -> None:
    matrix = Matrix.place(device, "fp16", (3, 5), "r", Spacing(2))
    matrix.fill(np.ones((3, 5), np.float16))
    memory = matrix.whole.numpy()
    assert np.isnan(memory).sum() == memory.size - 15


def test_a_write_beside_the_matrix_is_seen_and_one_inside_is_not(device: Device) -> None:
    matrix = Matrix.place(device, "fp16", (3, 5), "r", Spacing(2))
    matrix.mark()
    assert matrix.stray_writes() == 0
    size = 2
    device.fill(matrix.address + 4 * size, 1, size)
    assert matrix.stray_writes() == 0
    device.fill(matrix.address + 5 * size, 1, size)
    device.fill(matrix.address - size, 1, size)
    assert matrix.stray_writes() == 2


def test_random_integers_fill_their_range(device: Device) -> None:
    values = random_values(np.random.default_rng(0), (64, 64), np.dtype(np.int8))
    assert (values.min(), values.max()) == (-128, 127)


def test_random_integers_end_at_the_largest_that_is_wanted(device: Device) -> None:
    values = random_values(np.random.default_rng(0), (64, 64), np.dtype(np.int8), largest=28)
    assert (values.min(), values.max()) == (-28, 28)


def test_a_batch_has_its_own_gaps_and_begins_where_it_is_shifted_to(device: Device) -> None:
    values = random_values(np.random.default_rng(0), (2, 3, 5), np.dtype(np.float16))
    matrix = Matrix.place(device, "fp16", (2, 3, 5), "c", Spacing(gap=1, batch_gap=4, shift=3))
    assert (matrix.leading, matrix.batch_stride) == (4, 24)
    assert matrix.address % 16 == 6
    matrix.fill(values)
    assert np.array_equal(matrix.read(), values)
    assert np.isnan(matrix.whole.numpy()).sum() == matrix.whole.shape[0] - values.size


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp8", "bf8", "int8", "int32"])
def test_what_a_kernel_would_add_to_by_mistake_is_seen_in_any_result(
    dtype: str, device: Device
) -> None:
    matrix = Matrix.place(device, dtype, (3, 5), "r")
    matrix.mark()
    assert not np.any(np.abs(matrix.read().astype(np.float64)) < 100)


def test_what_was_not_written_to_is_untouched(device: Device) -> None:
    matrix = Matrix.place(device, "fp16", (3, 5), "r")
    matrix.mark()
    assert matrix.untouched()
    device.fill(matrix.address, 1, 2)
    assert not matrix.untouched()
