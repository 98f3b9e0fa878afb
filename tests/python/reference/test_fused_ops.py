# SPDX-License-Identifier: MIT
"""Fused operations are those of CK, and their steps in float32 are within their bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.product.epilogue import FUSED_OPS, erf, look_up_fused_op
from ckdispatch.reference.formats import round_to
from ckgen.product.rules.fused import OPERATIONS_OF_INTEGERS
from ckgen.product.spec import FusedOp

HALF, SINGLE = np.float16, np.float32
UNARY = ["Relu", "Gelu", "FastGelu", "Silu", "Sigmoid", "Tanh"]


def apply(name: str, x: Any, *ds: Any) -> np.ndarray:
    wide = [np.asarray(d, np.float64) for d in ds]
    return FUSED_OPS[name].value(np.asarray(x, np.float64), wide)


def test_erf_is_that_of_the_c_library() -> None:
    x = np.concatenate((np.linspace(-7, 7, 20_001), np.logspace(-300, 2, 500)))
    exact = np.array([math.erf(value) for value in x])
    assert (np.abs(erf(x) - exact) <= 8 * np.spacing(np.abs(exact))).all()
    limits = erf(np.array([np.inf, -np.inf, np.nan]))
    assert limits[:2].tolist() == [1.0, -1.0] and np.isnan(limits[2])


def test_every_operation_of_the_issue_is_there() -> None:
    chains = {f"MultiDAdd{name}" for name in UNARY}
    assert set(FUSED_OPS) == {"PassThrough", "MultiDAdd", "MultiDMultiply", *UNARY, *chains}


def test_every_operation_of_the_generator_is_there() -> None:
    assert set(FUSED_OPS) == {op.value for op in FusedOp}


def test_integers_have_the_operations_that_the_generator_makes_kernels_of() -> None:
    fused = {op.name for op in FUSED_OPS.values() if op.for_integers} - {"PassThrough"}
    assert fused == {op.value for op in OPERATIONS_OF_INTEGERS}


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("Relu", lambda x: max(x, 0.0)),
        ("Gelu", lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))),
        ("FastGelu", lambda x: 0.5 * x * (1 + math.tanh(0.797885 * x + 0.035677 * x**3))),
        ("Silu", lambda x: x / (1 + math.exp(-x))),
        ("Sigmoid", lambda x: 1 / (1 + math.exp(-x))),
        ("Tanh", math.tanh),
    ],
)
def test_an_activation_is_the_function_of_its_name(
    name: str, function: Callable[[float], float]
) -> None:
    x = np.linspace(-6, 6, 101)
    assert apply(name, x) == pytest.approx([function(value) for value in x], rel=1e-6, abs=1e-7)


def test_d_tensors_are_added_or_multiplied_one_after_the_other() -> None:
    assert apply("MultiDAdd", [1.0, 2.0], [10.0, 20.0], [0.5, 0.5]).tolist() == [11.5, 22.5]
    assert apply("MultiDMultiply", [1.0, 2.0], [3.0, 4.0], [2.0, 0.5]).tolist() == [6.0, 4.0]


def test_relu_of_nan_is_zero_as_in_ck() -> None:
    assert apply("Relu", [np.nan, -1.0, 2.0]).tolist() == [0.0, 0.0, 2.0]


@pytest.mark.parametrize("name", UNARY)
def test_far_out_an_activation_is_finite_or_the_identity(name: str) -> None:
    with np.errstate(over="ignore"):
        low, high = apply(name, [-1e4, 1e4])
    assert abs(low) <= 1.0 and high in (1.0, 1e4)


# CK's operations on float, step by step.
def _gelu(x: Any) -> Any:
    inner = np.array([math.erf(v) for v in (SINGLE(0.70710678118) * x).ravel()])
    return SINGLE(0.5) * x * (SINGLE(1) + inner.astype(SINGLE).reshape(x.shape))


def _sigmoid(x: Any) -> Any:
    return SINGLE(1) / (SINGLE(1) + np.exp(-x))


def _fast_gelu(x: Any) -> Any:
    c1, c2 = SINGLE(-2) * SINGLE(0.035677), SINGLE(-2) * SINGLE(0.797885)
    return x / (SINGLE(1) + np.exp(x * (c1 * x * x + c2)))


IN_SINGLE: dict[str, Callable[[Any], Any]] = {
    "Relu": lambda x: np.where(x > 0, x, SINGLE(0)),
    "Gelu": _gelu,
    "FastGelu": _fast_gelu,
    "Silu": lambda x: x * _sigmoid(x),
    "Sigmoid": _sigmoid,
    "Tanh": np.tanh,
}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("spread", [0.02, 0.3, 3.0])
def test_an_activation_in_float32_after_a_half_precision_product_is_accepted(
    name: str, spread: float
) -> None:
    random = np.random.default_rng(3)
    a = random.normal(0, spread, (64, 32)).astype(HALF)
    b = random.normal(0, 1, (32, 48)).astype(HALF)
    with np.errstate(over="ignore", divide="ignore"):
        product = (a.astype(SINGLE) @ b.astype(SINGLE)).astype(HALF)
        result = IN_SINGLE[name](product.astype(SINGLE))
    gemm_reference(a, b, fused_op=name).compare(result.astype(HALF)).raise_if_bad()


@pytest.mark.parametrize("name", UNARY)
def test_a_bias_and_an_activation_are_one_operation(name: str) -> None:
    random = np.random.default_rng(6)
    a = random.normal(0, 0.3, (64, 32)).astype(HALF)
    b = random.normal(0, 1, (32, 48)).astype(HALF)
    bias = random.normal(0, 2, 48).astype(HALF)
    product = (a.astype(SINGLE) @ b.astype(SINGLE)).astype(HALF).astype(SINGLE)
    result = IN_SINGLE[name](product + bias.astype(SINGLE)).astype(HALF)
    chained = gemm_reference(a, b, ds=[bias], fused_op=f"MultiDAdd{name}")
    chained.compare(result).raise_if_bad()
    exact = a.astype(np.float64) @ b.astype(np.float64) + bias
    assert np.array_equal(chained.exact, apply(name, exact))
    assert not gemm_reference(a, b, ds=[bias], fused_op="MultiDAdd").compare(result)


@pytest.mark.parametrize("name", UNARY)
def test_an_activation_that_was_left_out_is_rejected(name: str) -> None:
    random = np.random.default_rng(4)
    a = random.normal(0, 1, (16, 32)).astype(HALF)
    b = random.normal(0, 1, (32, 16)).astype(HALF)
    product = (a.astype(SINGLE) @ b.astype(SINGLE)).astype(HALF)
    assert gemm_reference(a, b, fused_op=name).compare(product).mismatch_share > 0.3


@pytest.mark.parametrize("name", ["MultiDAdd", "MultiDMultiply"])
@pytest.mark.parametrize("count", [1, 2])
def test_d_tensors_in_float32_on_a_half_precision_product_are_accepted(
    name: str, count: int
) -> None:
    random = np.random.default_rng(5)
    a = random.normal(0, 1, (16, 40)).astype(HALF)
    b = random.normal(0, 1, (40, 24)).astype(HALF)
    ds = [random.normal(0, 3, (16, 24)).astype(HALF) for _ in range(count)]
    result = (a.astype(SINGLE) @ b.astype(SINGLE)).astype(HALF).astype(SINGLE)
    for d in ds:
        result = result + d.astype(SINGLE) if name == "MultiDAdd" else result * d.astype(SINGLE)
    reference = gemm_reference(a, b, ds=ds, fused_op=name)
    reference.compare(round_to(result, np.dtype(HALF))).raise_if_bad()
    assert not gemm_reference(a, b, ds=[ds[0] * 2, *ds[1:]], fused_op=name).compare(
        result.astype(HALF)
    )


def test_an_unknown_operation_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InvalidArgument, match="no fused operation 'Swish'; there are PassThrough, "
    ):
        look_up_fused_op("Swish", 0)


def test_an_operation_is_refused_with_the_wrong_number_of_d_tensors() -> None:
    with pytest.raises(
        InvalidArgument, match=r"^Relu was given 1 D tensors and takes none; those called"
    ):
        look_up_fused_op("Relu", 1)
    with pytest.raises(InvalidArgument, match="MultiDAdd was given 0 D tensors and takes at least"):
        look_up_fused_op("MultiDAdd", 0)
