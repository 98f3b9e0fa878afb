# SPDX-License-Identifier: MIT
"""D tensors, biases and activations in the same launch as the product."""

from __future__ import annotations

import numpy as np
import pytest
from ckdispatch import Dispatcher, GemmProblem, Registry
from ckdispatch.errors import InvalidArgument, NoKernel
from dispatch_support import guarded, of_each_variant, only, random
from numpy.typing import NDArray

A, WEIGHTS, BIAS = random((72, 96), 1), random((136, 96), 2), random((136,), 3)
LIKE_C = (72, 136)


def product() -> NDArray[np.float32]:
    return A.astype(np.float32) @ WEIGHTS.T.astype(np.float32)


def test_a_bias_and_an_activation_are_one_launch() -> None:
    result = of_each_variant().gemm(A, WEIGHTS.T, bias=BIAS, fused_op="Relu", validate=True)
    assert result.kernel.endswith("multid_MultiDAddRelu_d1")
    assert result.plan.launches == 1
    assert result.changes == ()
    assert np.allclose(result.out, np.maximum(product() + BIAS.astype(np.float32), 0), atol=0.05)


def test_integers_with_a_bias_and_an_activation_are_exact() -> None:
    draw = np.random.default_rng(6)
    a, b = draw.integers(-128, 128, (72, 96), np.int8), draw.integers(-128, 128, (136, 96), np.int8)
    bias = draw.integers(-100_000, 100_000, 136, np.int32)
    on = Dispatcher(Registry.load("test_gemm_integers"))
    result = on.gemm(a, b.T, bias=bias, fused_op="Relu", validate=True)
    assert result.kernel.startswith("gemm_int8_")
    expected = np.maximum(a.astype(np.int32) @ b.T.astype(np.int32) + bias, 0)
    assert np.array_equal(result.out, expected)


def test_a_bias_alone_is_added() -> None:
    result = of_each_variant().gemm(A, WEIGHTS.T, bias=BIAS, validate=True)
    assert "MultiDAdd_d1" in result.kernel
    assert np.allclose(result.out, product() + BIAS.astype(np.float32), atol=0.05)


def test_d_tensors_without_an_operation_are_added() -> None:
    ds = random(LIKE_C, 4), random(LIKE_C, 5)
    result = of_each_variant().gemm(A, WEIGHTS.T, ds=ds, validate=True)
    assert result.plan.problem.fused_op == "MultiDAdd"
    total = product() + ds[0].astype(np.float32) + ds[1].astype(np.float32)
    assert np.allclose(result.out, total, atol=0.05)


def test_a_bias_comes_before_other_d_tensors() -> None:
    residual = random(LIKE_C, 4)
    result = of_each_variant().gemm(A, WEIGHTS.T, bias=BIAS, ds=[residual], validate=True)
    assert result.plan.problem.d_strides == (0, None)
    total = product() + BIAS.astype(np.float32) + residual.astype(np.float32)
    assert np.allclose(result.out, total, atol=0.05)


def test_an_activation_needs_no_d_tensor() -> None:
    result = of_each_variant().gemm(A, WEIGHTS.T, fused_op="Gelu", validate=True)
    assert result.kernel.endswith("multid_Gelu_d0")


@pytest.mark.parametrize("shape", [(136,), (1, 136), (72, 1), LIKE_C])
def test_every_shape_of_a_d_tensor_is_taken_by_kernels_of_rows_and_of_columns(
    shape: tuple[int, ...],
) -> None:
    d = random(shape, 6)
    for op, kernels in (("MultiDAddRelu", "rows"), ("MultiDAdd", "columns")):
        result = of_each_variant().gemm(A, WEIGHTS.T, ds=[d], fused_op=op, validate=True)
        natural = "rows" if shape != (72, 1) else "columns"
        written_out = any("was written out as a matrix" in say for say in result.changes)
        assert written_out is (1 in (*shape, len(shape)) and natural != kernels), result.changes


def test_d_tensors_on_the_device_are_read_where_they_are() -> None:
    on = of_each_variant()
    a, b = on.to_device(A), on.to_device(WEIGHTS.T, column_major=True)
    full = guarded(on, LIKE_C, (144, 1), "fp16")
    full.tensor.write(random(LIKE_C, 7))
    row = on.to_device(BIAS)
    result = on.gemm(a, b, ds=[row, full.tensor], validate=True)
    assert result.plan.problem.d_strides == (0, 144)
    assert result.changes == ()
    assert full.broken() == []


def test_d_tensors_on_the_device_must_agree_on_rows_or_columns() -> None:
    on = of_each_variant()
    row, column = on.to_device(BIAS), on.to_device(random((72, 1), 8))
    with pytest.raises(
        InvalidArgument, match="not all of contiguous rows, or all of contiguous columns"
    ):
        on.gemm(A, WEIGHTS.T, ds=[row, column])


def test_each_matrix_of_a_batch_may_have_its_own_d_tensor_or_all_the_same() -> None:
    a = random((3, 72, 96), 9)
    for d in (random((3, 72, 136), 10), random(LIKE_C, 11), random((3, 1, 136), 12), BIAS):
        result = of_each_variant().gemm(
            a, WEIGHTS.T, ds=[d], fused_op="MultiDAddRelu", validate=True
        )
        assert result.out.shape == (3, 72, 136)


def test_d_tensors_are_padded_with_the_product() -> None:
    a, b = random((37, 51), 13), random((43, 51), 14).T
    for d in (random((43,), 15), random((37, 43), 16)):
        result = of_each_variant().gemm(a, b, ds=[d], fused_op="MultiDAddRelu", validate=True)
        assert result.padded is not None
        assert result.out.shape == (37, 43)
    on = of_each_variant()
    left, right, row = (
        on.to_device(a),
        on.to_device(b, column_major=True),
        on.to_device(random((43,), 17)),
    )
    assert on.gemm(left, right, bias=row, fused_op="Relu", validate=True).padded is not None


def test_an_output_of_columns_is_computed_as_its_transpose() -> None:
    out = np.zeros((136, 72), np.float16).T
    result = only(fused_op="MultiDAddRelu").gemm(
        WEIGHTS[:72],
        A[:64].T,
        out=np.zeros((64, 72), np.float16).T,
        ds=[random((72, 64), 1)],
        fused_op="MultiDAddRelu",
        validate=True,
    )
    assert result.out.shape == (72, 64)
    assert out.shape == LIKE_C


def test_plans_are_run_on_tensors_in_the_order_of_the_family() -> None:
    on = of_each_variant()
    problem = GemmProblem(72, 136, 96, fused_op="MultiDAddRelu", d_count=1, d_strides=(0,))
    out = on.empty(LIKE_C)
    for _ in range(2):  # selected, and then from the cache
        on.run(problem, on.to_device(A), on.to_device(WEIGHTS), out, on.to_device(BIAS))
        on.synchronize()
    assert np.allclose(out.numpy(), np.maximum(product() + BIAS.astype(np.float32), 0), atol=0.05)
    with pytest.raises(InvalidArgument, match="on 3 tensors; it needs 4: A, B, C, D0"):
        on.run(problem, on.to_device(A), on.to_device(WEIGHTS), out)


@pytest.mark.parametrize(
    ("ds", "bias", "fused_op", "sentence"),
    [
        ([random((72, 135), 1)], None, None, r"D0 has the shape \(72, 135\), and C is 72 x 136"),
        (
            [random((2, 72, 136), 1)],
            None,
            None,
            r"D0 has the shape \(2, 72, 136\), and C is 72 x 136",
        ),
        (
            [BIAS, random(LIKE_C, 1, np.float32)],
            None,
            None,
            "D tensors of fp16 and fp32 were given",
        ),
        ([], random(LIKE_C, 1), None, r"a bias of the shape \(72, 136\) was given"),
        ([], BIAS, "MultiDMultiply", "a bias was given with MultiDMultiply, and a bias is added"),
        ([], BIAS[:-1], None, r"D0 has the shape \(1, 135\)"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(
    ds: list[NDArray[np.float16]],
    bias: NDArray[np.float16] | None,
    fused_op: str | None,
    sentence: str,
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        of_each_variant().gemm(A, WEIGHTS.T, ds=ds, bias=bias, fused_op=fused_op)


def test_an_operation_that_no_kernel_has_is_refused_with_what_there_is() -> None:
    with pytest.raises(NoKernel, match=r"MultiDMultiply of 1 D .* The nearest: .* computes "):
        of_each_variant().gemm(A, WEIGHTS.T, ds=[BIAS], fused_op="MultiDMultiply")
