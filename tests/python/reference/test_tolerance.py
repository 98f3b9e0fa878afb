# SPDX-License-Identifier: MIT
"""Tolerances accept every right result, in whatever order it was summed, and no wrong one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.reference.dtypes import convert, numpy_dtype
from ckdispatch.reference.formats import Rounding, round_to
from ckdispatch.reference.multiplication import root_of_squares
from ckdispatch.reference.tolerance import Tolerance, sum_error
from emulated_gemm import ORDERS, sequential, split, store, terms

SHAPES = [(1, 1, 1), (7, 13, 5), (16, 16, 16), (33, 9, 64), (12, 20, 255), (24, 16, 1024)]
OPERANDS = [("fp16", None), ("bf16", None), ("fp32", None), ("fp8", "fnuz"), ("bf8", "ocp")]
OUTPUTS = {"fp8": ["fp16", "bf16", "fp32"], "bf8": ["fp16", "bf16", "fp32"]}
DATA = {
    "mixed": lambda random, shape: random.uniform(-2, 2, shape),
    "positive": lambda random, shape: random.uniform(0, 2, shape),
    "normal": lambda random, shape: random.normal(0, 1, shape),
    "uneven": lambda random, shape: (
        random.normal(0, 1, shape) * 2.0 ** random.integers(-6, 6, shape)
    ),
}


def operands(
    name: str, encoding: str | None, m: int, n: int, k: int, data: str = "mixed"
) -> tuple[np.random.Generator, Any, Any]:
    random = np.random.default_rng([m, n, k, len(name), len(data)])
    a = convert(DATA[data](random, (m, k)), name, encoding)
    b = convert(DATA[data](random, (k, n)), name, encoding)
    return random, a, b


CASES = [
    (name, encoding, output)
    for name, encoding in OPERANDS
    for output in OUTPUTS.get(name, [name, "fp32"])
]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("name", "encoding", "output"), CASES)
def test_a_right_sum_in_any_order_is_accepted(
    name: str, encoding: str | None, output: str, order: str, data: str
) -> None:
    for m, n, k in SHAPES:
        random, a, b = operands(name, encoding, m, n, k, data)
        total = ORDERS[order](terms(a, b), random)
        result = store(total, numpy_dtype(output, encoding))
        reference = gemm_reference(a, b, output=output)
        assert reference.compare(result), f"{m}x{n}x{k}: {reference.compare(result)}"


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
@pytest.mark.parametrize("parts", [2, 3, 4, 8])
@pytest.mark.parametrize("block", [1, 16])
def test_a_right_sum_of_stored_parts_is_accepted(name: str, parts: int, block: int) -> None:
    for m, n, k in SHAPES:
        for data in DATA:
            random, a, b = operands(name, None, m, n, k, data)
            result = split(terms(a, b), parts, block, numpy_dtype(name), random)
            reference = gemm_reference(a, b, split_k=parts, k_multiple=block)
            assert reference.compare(result), f"{m}x{n}x{k}, {data}: {reference.compare(result)}"


def test_a_sum_of_parts_is_not_accepted_as_a_whole_sum() -> None:
    random, a, b = operands("fp16", None, 24, 16, 1024)
    result = split(terms(a, b), 8, 1, numpy_dtype("fp16"), random)
    assert not gemm_reference(a, b).compare(result)


@pytest.mark.parametrize("name", ["fp16", "bf16"])
def test_a_result_that_was_stored_by_dropping_bits_is_rejected(name: str) -> None:
    random, a, b = operands(name, None, 24, 16, 255)
    total = sequential(terms(a, b), random)
    result = store(total, numpy_dtype(name), Rounding.TOWARDS_ZERO)
    assert not gemm_reference(a, b).compare(result)


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
def test_parts_that_are_added_up_in_the_accumulator_are_as_good_as_a_whole_sum(name: str) -> None:
    random, a, b = operands(name, None, 24, 16, 1024)
    dtype = numpy_dtype(name)
    apart = split(terms(a, b), 8, 1, np.dtype(np.float32), random).astype(np.float64)
    result = store(apart, dtype)
    gemm_reference(a, b, split_k=8, parts_in="accumulator").compare(result).raise_if_bad()
    stored = split(terms(a, b), 8, 1, dtype, random)
    if name != "fp32":
        assert not gemm_reference(a, b, split_k=8, parts_in="accumulator").compare(stored)


def test_fewer_parts_than_could_be_are_allowed_fewer_roundings() -> None:
    random, a, b = operands("fp16", None, 24, 16, 1024)
    result = split(terms(a, b), 32, 32, numpy_dtype("fp16"), random)
    assert gemm_reference(a, b, split_k=32, k_multiple=32).compare(result)
    assert not gemm_reference(a, b, split_k=32, k_multiple=32, most_parts=2).compare(result)
    two = split(terms(a, b), 2, 32, numpy_dtype("fp16"), random)
    assert gemm_reference(a, b, split_k=32, k_multiple=32, most_parts=2).compare(two)


DEEP = [(16, 16, 16), (24, 16, 255), (16, 12, 2048), (4, 8, 8192)]


@pytest.mark.parametrize(("name", "encoding"), OPERANDS)
@pytest.mark.parametrize(("m", "n", "k"), DEEP)
def test_one_missing_term_is_rejected(
    name: str, encoding: str | None, m: int, n: int, k: int
) -> None:
    random, a, b = operands(name, encoding, m, n, k)
    products = terms(a, b)
    result = store(
        sequential(np.delete(products, k // 3, axis=0), random), gemm_reference(a, b).rounded.dtype
    )
    comparison = gemm_reference(a, b).compare(result)
    # The deeper a sum, the more single terms are smaller than the last place of a 16-bit result.
    share = 0.5 if k < 8000 else 0.3
    if name == "bf16" and k > 1000:
        share = 0.02
    assert comparison.mismatch_share > share, comparison


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
@pytest.mark.parametrize("parts", [2, 4])
def test_a_missing_part_is_rejected(name: str, parts: int) -> None:
    random, a, b = operands(name, None, 24, 16, 512)
    size = 512 // parts
    result = split(terms(a, b)[: size * (parts - 1)], parts - 1, 1, numpy_dtype(name), random)
    assert gemm_reference(a, b, split_k=parts).compare(result).mismatch_share > 0.5


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
def test_one_wrong_element_is_rejected_and_found(name: str) -> None:
    random, a, b = operands(name, None, 24, 16, 300)
    result = store(sequential(terms(a, b), random), numpy_dtype(name))
    result[5, 7] += result.dtype.type(1.0)
    comparison = gemm_reference(a, b).compare(result)
    assert (comparison.mismatch_count, comparison.worst_index) == (1, (5, 7))


def test_swapped_fp8_encodings_are_rejected() -> None:
    random, a, b = operands("fp8", "fnuz", 24, 16, 64)
    ocp = numpy_dtype("fp8", "ocp")
    result = store(sequential(terms(a.view(ocp), b.view(ocp)), random), numpy_dtype("fp16"))
    assert gemm_reference(a, b).compare(result).mismatch_share > 0.99


@pytest.mark.parametrize("k", [1, 64, 1024])
def test_a_result_that_was_rounded_to_bf16_on_its_way_to_fp16_is_rejected(k: int) -> None:
    random, a, b = operands("fp16", None, 24, 16, k)
    coarse = store(sequential(terms(a, b), random), numpy_dtype("bf16"))
    comparison = gemm_reference(a, b).compare(coarse.astype(np.float16))
    assert comparison.mismatch_share > 0.3, comparison


def test_a_sum_accumulated_in_half_precision_is_rejected() -> None:
    _, a, b = operands("fp16", None, 24, 16, 255)
    total = np.zeros((24, 16), np.float16)
    for product in terms(a, b):
        total = (total + product).astype(np.float16)
    assert gemm_reference(a, b).compare(total).mismatch_share > 0.3


def test_integers_must_be_exact() -> None:
    random = np.random.default_rng(7)
    a = random.integers(-128, 128, (24, 300), dtype=np.int8)
    b = random.integers(-128, 128, (300, 16), dtype=np.int8)
    exact = a.astype(np.int32) @ b.astype(np.int32)
    assert gemm_reference(a, b).compare(exact)
    exact[3, 4] += 1
    assert gemm_reference(a, b).compare(exact).mismatch_count == 1


def test_a_sum_that_may_overflow_may_become_infinite() -> None:
    a = np.full((1, 2), 1.0, np.float16)
    b = np.array([[65504.0], [15.9]], np.float16)
    reference = gemm_reference(a, b)
    assert reference.rounded.item() == 65504.0
    edge = Tolerance(0.2, roundings=(Rounding.NEAREST,))
    low, high = edge.limits(reference.exact, np.dtype(np.float16))
    assert (low.item(), high.item()) == (65504.0, np.inf)


def test_an_8_bit_result_saturates_rather_than_overflows() -> None:
    fp8 = numpy_dtype("fp8", "fnuz")
    low, high = Tolerance(1.0, roundings=(Rounding.NEAREST,)).limits(np.array([1e4]), fp8)
    assert (low.item(), high.item()) == (240.0, 240.0)


def test_bounds_follow_each_element_and_the_depth_of_its_sum() -> None:
    single = np.dtype(np.float32)
    magnitude, total = np.array([1.0, 100.0]), np.array([0.5, 0.5])
    shallow = sum_error(magnitude, total, 4, single)
    assert shallow == pytest.approx(2 * 2.0**-24 * 4 * magnitude)
    deep = sum_error(magnitude, total, 10_000, single)
    assert deep == pytest.approx(2.0**-24 * (8 * 100 * magnitude + 10_000 * 0.5), rel=1e-6)


def test_an_expected_value_that_was_rounded_gets_half_its_last_place_on_top() -> None:
    half = np.dtype(np.float16)
    exact = np.array([1.0004])
    rounded = round_to(exact, half)
    tolerance = Tolerance(0.0, roundings=(Rounding.NEAREST,))
    assert [limit.item() for limit in tolerance.limits(exact, half)] == [1.0, 1.0]
    low, high = tolerance.limits(rounded, half)
    assert low.item() < 1.0 < high.item() <= 1.0 + 2.0**-10


def test_what_is_not_finite_must_be_just_that() -> None:
    expected = np.array([np.inf, -np.inf, np.nan])
    low, high = Tolerance(1e9).limits(expected, np.dtype(np.float32))
    assert np.array_equal(low, expected, equal_nan=True)
    assert np.array_equal(high, expected, equal_nan=True)


def test_without_roundings_a_tolerance_is_absolute_and_relative() -> None:
    low, high = Tolerance(0.5, 0.1).limits(np.array([10.0, -20.0]), np.dtype(np.float32))
    assert low.tolist() == [8.5, -22.5] and high.tolist() == [11.5, -17.5]


@pytest.mark.parametrize("wrong", [{"absolute": -1.0}, {"relative": -0.1}, {"relative": np.nan}])
def test_a_negative_tolerance_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="both must be at least 0"):
        Tolerance(**wrong)


def test_errors_at_random_are_not_lost_where_float32_has_no_squares() -> None:
    left = np.array([[3e-25, 4e-25], [0.0, 0.0], [3.0, 4.0]])
    right = np.array([[1.0, -2.0], [1.0, 0.0]])
    expected = np.array([[5e-25, 6e-25], [0.0, 0.0], [5.0, 6.0]])
    np.testing.assert_allclose(root_of_squares(left, right), expected, rtol=1e-6)
    assert root_of_squares(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0.0] * 3] * 2
