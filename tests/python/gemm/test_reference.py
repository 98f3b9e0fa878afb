# SPDX-License-Identifier: MIT
"""The reference multiplies what it is given: any strides, batches, dtypes and D tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.reference.dtypes import convert, dtype_name, numpy_dtype


def gemm(a: Any, b: Any, **words: Any) -> Any:
    """The product, rounded once to the output dtype."""
    return gemm_reference(a, b, **words).rounded


def matrix(shape: tuple[int, ...], name: str = "fp16", encoding: str | None = None) -> Any:
    random = np.random.default_rng(shape)
    return convert(random.integers(-3, 4, shape), name, encoding)


@pytest.mark.parametrize(
    ("name", "encoding", "output"),
    [
        ("fp32", None, "fp32"),
        ("fp16", None, "fp16"),
        ("bf16", None, "bf16"),
        ("fp8", "fnuz", "fp16"),
        ("fp8", "ocp", "fp16"),
        ("bf8", "fnuz", "fp16"),
        ("bf8", "ocp", "fp16"),
        ("int8", None, "int32"),
        ("pk_fp4", None, "fp16"),
    ],
)
def test_a_product_of_small_integers_is_exact_in_every_dtype(
    name: str, encoding: str | None, output: str
) -> None:
    a, b = matrix((5, 4), name, encoding), matrix((4, 6), name, encoding)
    result = gemm(a, b)
    assert dtype_name(result.dtype) == output
    assert (result.astype(float) == a.astype(float) @ b.astype(float)).all()


def test_mixed_8_bit_operands_multiply() -> None:
    a, b = matrix((3, 4), "fp8", "ocp"), matrix((4, 2), "bf8", "ocp")
    assert (gemm(a, b).astype(float) == a.astype(float) @ b.astype(float)).all()


def test_the_output_can_be_chosen_and_8_bit_ones_take_the_operands_encoding() -> None:
    a, b = matrix((3, 4), "fp8", "fnuz"), matrix((4, 2), "fp8", "fnuz")
    assert gemm(a, b, output="fp32").dtype == np.float32
    assert gemm(a, b, output="bf8").dtype == numpy_dtype("bf8", "fnuz")
    with pytest.raises(InvalidArgument, match="fp8 was asked for with the encoding None"):
        gemm(matrix((3, 4)), matrix((4, 2)), output="fp8")


def test_strides_do_not_matter() -> None:
    a, b = matrix((6, 8)), matrix((8, 10))
    strided_a = np.zeros((12, 16), np.float16)[::2, ::2]
    strided_a[...] = a
    reversed_b = np.ascontiguousarray(b[::-1, ::-1])[::-1, ::-1]
    expected = gemm(a, b)
    assert (gemm(strided_a, np.asfortranarray(b)) == expected).all()
    assert (gemm(np.ascontiguousarray(a.T).T, reversed_b) == expected).all()


def test_a_batch_multiplies_each_of_its_matrices() -> None:
    a, b = matrix((3, 4, 5)), matrix((3, 5, 2))
    result = gemm(a, b)
    assert result.shape == (3, 4, 2)
    for index in range(3):
        assert (result[index] == gemm(a[index], b[index])).all()
    assert (gemm(a, b[0])[2] == gemm(a[2], b[0])).all()
    assert (gemm(a[0], b)[2] == gemm(a[0], b[2])).all()


def test_sums_are_more_precise_than_float32() -> None:
    a = np.array([[1.0, 2.0**-24, 2.0**-24, -1.0]], np.float16)
    assert gemm(a, np.ones((4, 1), np.float16)).item() == 2.0**-23


def test_integer_sums_wrap_around_as_in_the_accumulator() -> None:
    k = 2**17 + 3
    a, b = np.full((1, k), -128, np.int8), np.full((k, 1), -128, np.int8)
    assert gemm(a, b).item() == np.int64(k * 2**14).astype(np.int32)


def test_a_sum_of_nothing_is_zero() -> None:
    result = gemm_reference(matrix((3, 0)), matrix((0, 2)))
    assert (result.rounded == 0).all() and result.compare(np.zeros((3, 2), np.float16))


def test_no_rows_are_no_problem() -> None:
    reference = gemm_reference(matrix((0, 4)), matrix((4, 2)))
    assert reference.rounded.shape == (0, 2) and reference.compare(reference.rounded)


def test_infinities_and_nan_come_through() -> None:
    a = np.array([[np.inf, 1.0], [np.inf, -np.inf], [np.nan, 1.0], [1.0, 1.0]], np.float16)
    reference = gemm_reference(a, np.ones((2, 1), np.float16))
    assert np.array_equal(
        reference.rounded.ravel().astype(float), [np.inf, np.nan, np.nan, 2.0], equal_nan=True
    )
    assert reference.compare(reference.rounded)


def test_a_sum_beyond_the_output_is_infinite() -> None:
    big = np.full((1, 2), 60000.0, np.float16)
    assert gemm(big, np.ones((2, 1), np.float16)).item() == np.inf


def test_d_tensors_broadcast_like_a_bias() -> None:
    a, b = matrix((3, 4)), matrix((4, 2))
    bias = np.array([1.0, -1.0], np.float32)
    expected = a.astype(float) @ b.astype(float) + bias
    assert (gemm(a, b, ds=[bias], fused_op="MultiDAdd").astype(float) == expected).all()


def test_integers_can_be_added_to_and_cut_off_at_zero() -> None:
    a, b = matrix((3, 4), "int8"), matrix((4, 2), "int8")
    product = a.astype(int) @ b.astype(int)
    assert (gemm(a, b, fused_op="Relu") == np.maximum(product, 0)).all()
    d = np.full((3, 2), 7, np.int32)
    assert (gemm(a, b, ds=[d], fused_op="MultiDAdd") == product + 7).all()


def test_parts_add_up_to_the_whole_whatever_their_number() -> None:
    a, b = matrix((5, 37)), matrix((37, 6))
    for parts in (1, 2, 5, 37, 100):
        assert (gemm_reference(a, b, split_k=parts, k_multiple=8).rounded == gemm(a, b)).all()


REFUSALS: list[tuple[Any, Any, dict[str, Any], str]] = [
    (matrix((3,)), matrix((3, 2)), {}, r"A has the shape \(3,\) and B \(3, 2\); each must be a"),
    (matrix((3, 4)), matrix((3, 2)), {}, r"A's last extent and B's last but one must both be k"),
    (matrix((2, 3, 4)), matrix((3, 4, 2)), {}, "both must have as many matrices"),
    (matrix((3, 4)), matrix((4, 2), "bf16"), {}, "'fp16' x 'bf16' cannot be multiplied; known "),
    (matrix((3, 4)), np.zeros((4, 2), np.int16), {}, "arrays of int16 belong to no dtype"),
    (
        matrix((3, 4), "fp8", "ocp"),
        matrix((4, 2), "bf8", "fnuz"),
        {},
        "no GPU reads both encodings of 8-bit floats",
    ),
    (matrix((3, 4)), matrix((4, 2)), {"split_k": 0}, "split_k 0 with k_multiple 1 .* at least 1"),
    (
        matrix((3, 4)),
        matrix((4, 2)),
        {"k_multiple": 0},
        "split_k 1 with k_multiple 0 .* at least 1",
    ),
    (
        matrix((3, 4)),
        matrix((4, 2)),
        {"split_k": 2, "fused_op": "Relu"},
        "Relu with split_k 2 was asked for, but it would be applied to each part",
    ),
    (
        matrix((3, 4), "int8"),
        matrix((4, 2), "int8"),
        {"fused_op": "Gelu"},
        "Gelu is not defined for integers, and C is of int32",
    ),
    (
        matrix((3, 4)),
        matrix((4, 2)),
        {"fused_op": "MultiDAdd", "ds": [matrix((3, 3))]},
        r"a D tensor has the shape \(3, 3\), which does not broadcast to that of C, \(3, 2\)",
    ),
]


@pytest.mark.parametrize(("a", "b", "options", "sentence"), REFUSALS)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    a: Any, b: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        gemm_reference(a, b, **options)


def test_a_result_of_another_dtype_is_refused() -> None:
    reference = gemm_reference(matrix((3, 4)), matrix((4, 2)))
    with pytest.raises(InvalidArgument, match="result is of float32 and the reference of float16"):
        reference.compare(np.zeros((3, 2), np.float32))
