# SPDX-License-Identifier: MIT
"""What an epilogue may apply to the product, as CK defines it, and the error of doing so.

CK converts the product to the output dtype before it applies an operation, and applies it in that
dtype or in float32. So an operation gets a product that is wrong by ``product_error`` already,
passes that on by its slope, and adds the roundings of its own steps, which each function below
counts in units of ``Evaluation``. Constants are the float32 ones in CK's sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.erf import erf
from ckdispatch.reference.formats import Wide

_FLOAT32_UNIT = 2.0**-24
_GELU_ROOT = float(np.float32(0.70710678118))
_FAST_GELU_CUBIC = float(np.float32(-2.0) * np.float32(0.035677))
_FAST_GELU_LINEAR = float(np.float32(-2.0) * np.float32(0.797885))
_GELU_SLOPE = 1.13
_SILU_SLOPE = 1.1


@dataclass(frozen=True)
class Evaluation:
    """The arithmetic in which an operation is applied.

    ``unit`` is the relative error of one step. ``lost`` is what a reciprocal may lose
    absolutely: beyond the largest number of the dtype it is zero, and before that subnormal.
    """

    unit: float
    lost: float


Ds = Sequence[Wide]


@dataclass(frozen=True)
class FusedOp:
    """An operation: its value, and a bound on the error of the value, for each element.

    ``value`` takes the product and the D tensors, ``error`` takes the product, the value, the D
    tensors, the error of the product and how the operation is evaluated.
    """

    name: str
    takes_ds: bool
    for_integers: bool
    value: Callable[[Wide, Ds], Wide]
    error: Callable[[Wide, Wide, Ds, Wide, Evaluation], Wide]


def _pass_through(x: Wide, ds: Ds) -> Wide:
    return x


def _unchanged_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    return product_error


def _add(x: Wide, ds: Ds) -> Wide:
    return sum(ds, start=x)


def _add_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    magnitude = sum((np.abs(d) for d in ds), start=np.abs(x) + product_error)
    return product_error + len(ds) * _FLOAT32_UNIT * magnitude


def _multiply(x: Wide, ds: Ds) -> Wide:
    for d in ds:
        x = x * d
    return x


def _multiply_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    passed_on = _multiply(product_error, [np.abs(d) for d in ds])
    return passed_on + len(ds) * _FLOAT32_UNIT * (np.abs(y) + passed_on)


def _relu(x: Wide, ds: Ds) -> Wide:
    # As CK writes it: x > 0 ? x : 0, so that NaN becomes 0.
    return np.where(x > 0, x, 0.0)


def _gelu(x: Wide, ds: Ds) -> Wide:
    return 0.5 * x * (1.0 + erf(_GELU_ROOT * x))


def _gelu_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    # erf is within a few float32 ulps and then rounded, to at most half a unit since it is below 1.
    # Where it is near -1, 1 + erf cancels and that error is not small next to y any more.
    own = np.abs(x) * (0.25 * by.unit + 2.5 * _FLOAT32_UNIT) + 4 * by.unit * np.abs(y)
    return _GELU_SLOPE * product_error + own


def _fast_gelu(x: Wide, ds: Ds) -> Wide:
    return x / (1.0 + np.exp(_fast_gelu_exponent(x)))


def _fast_gelu_exponent(x: Wide) -> Wide:
    return x * (_FAST_GELU_CUBIC * x * x + _FAST_GELU_LINEAR)


def _fast_gelu_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    # Always in float32: four roundings of the exponent, which exp turns into relative errors.
    steps = 4 * np.abs(_fast_gelu_exponent(x)) + 8
    return _GELU_SLOPE * product_error + _finite_product(steps, np.abs(y)) * _FLOAT32_UNIT


def _sigmoid(x: Wide, ds: Ds) -> Wide:
    return 1.0 / (1.0 + np.exp(-x))


def _sigmoid_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    return 0.25 * product_error + 5 * by.unit * np.abs(y) + by.lost


def _silu(x: Wide, ds: Ds) -> Wide:
    return x / (1.0 + np.exp(-x))


def _silu_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    return _SILU_SLOPE * product_error + 6 * by.unit * np.abs(y) + np.abs(x) * by.lost


def _tanh(x: Wide, ds: Ds) -> Wide:
    return np.tanh(x)


def _tanh_error(x: Wide, y: Wide, ds: Ds, product_error: Wide, by: Evaluation) -> Wide:
    return product_error + (4 * _FLOAT32_UNIT + by.unit) * np.abs(y)


def _finite_product(factor: Wide, value: Wide) -> Wide:
    """The product, but 0 where the value is 0 however large the factor."""
    return np.where(value == 0, 0.0, factor * value)


FUSED_OPS: Mapping[str, FusedOp] = MappingProxyType(
    {
        op.name: op
        for op in (
            FusedOp("PassThrough", False, True, _pass_through, _unchanged_error),
            FusedOp("MultiDAdd", True, True, _add, _add_error),
            FusedOp("MultiDMultiply", True, True, _multiply, _multiply_error),
            FusedOp("Relu", False, True, _relu, _unchanged_error),
            FusedOp("Gelu", False, False, _gelu, _gelu_error),
            FusedOp("FastGelu", False, False, _fast_gelu, _fast_gelu_error),
            FusedOp("Silu", False, False, _silu, _silu_error),
            FusedOp("Sigmoid", False, False, _sigmoid, _sigmoid_error),
            FusedOp("Tanh", False, False, _tanh, _tanh_error),
        )
    }
)


def look_up_fused_op(name: str, d_count: int) -> FusedOp:
    """The operation called ``name``, if it takes ``d_count`` D tensors."""
    op = FUSED_OPS.get(name)
    if op is None:
        raise InvalidArgument(
            f"there is no fused operation {name!r}; there are {', '.join(FUSED_OPS)}"
        )
    if bool(d_count) != op.takes_ds:
        with_ds = " and ".join(other.name for other in FUSED_OPS.values() if other.takes_ds)
        needs = "at least one D tensor" if op.takes_ds else f"none; {with_ds} take some"
        raise InvalidArgument(f"{name} was given {d_count} D tensors and takes {needs}")
    return op
