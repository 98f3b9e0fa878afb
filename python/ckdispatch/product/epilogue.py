# SPDX-License-Identifier: MIT
"""What an epilogue may apply to the product, as CK defines it, and the error of doing so.

A kernel converts the product to the output dtype before it applies an operation, and evaluates
that in float32. So an operation gets a product that is wrong by ``product_error`` already, passes
that on by its slope, and adds the roundings of its own steps, which each function below counts in
units of float32. Constants are the float32 ones in CK's sources.

An operation first combines the product with D tensors, if it takes any, and then applies an
activation, if it has one: ``MultiDAddRelu`` is the ReLU of the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ckdispatch.errors import InvalidArgument
from ckdispatch.product.fused_ops import ADD, takes_ds
from ckdispatch.product.fused_ops import FUSED_OPS as NAMES
from ckdispatch.reference.formats import Wide
from ckdispatch.wording import quoted

_FLOAT32_UNIT = 2.0**-24
_GELU_ROOT = float(np.float32(0.70710678118))
_FAST_GELU_CUBIC = float(np.float32(-2.0) * np.float32(0.035677))
_FAST_GELU_LINEAR = float(np.float32(-2.0) * np.float32(0.797885))
_GELU_SLOPE = 1.13
_SILU_SLOPE = 1.1
_LOST = 1.0 / float(np.finfo(np.float32).max) + float(np.finfo(np.float32).smallest_subnormal)
"""What a reciprocal may lose: beyond the largest number it is 0, and before that subnormal."""


Ds = Sequence[Wide]


@dataclass(frozen=True)
class Step:
    """A part of an operation: its value, and a bound on the error of the value, for each element.

    ``value`` takes what comes before and the D tensors, ``error`` takes what comes before, the
    value, the D tensors and the error of what comes before.
    """

    value: Callable[[Wide, Ds], Wide]
    error: Callable[[Wide, Wide, Ds, Wide], Wide]


@dataclass(frozen=True)
class FusedOp:
    """An operation on the product, in one step or two."""

    name: str
    takes_ds: bool
    for_integers: bool
    steps: tuple[Step, ...]

    def value(self, product: Wide, ds: Ds) -> Wide:
        """What the operation gives, for each element."""
        for step in self.steps:
            product = step.value(product, ds)
        return product

    def error(self, product: Wide, value: Wide, ds: Ds, product_error: Wide) -> Wide:
        """How far a kernel's ``value`` may be off, for each element."""
        error = product_error
        for step in self.steps:
            result = step.value(product, ds)
            error = step.error(product, result, ds, error)
            product = result
        return error


def _add(x: Wide, ds: Ds) -> Wide:
    return sum(ds, start=x)


def _add_error(x: Wide, y: Wide, ds: Ds, before: Wide) -> Wide:
    magnitude = sum((np.abs(d) for d in ds), start=np.abs(x) + before)
    return before + len(ds) * _FLOAT32_UNIT * magnitude


def _multiply(x: Wide, ds: Ds) -> Wide:
    for d in ds:
        x = x * d
    return x


def _multiply_error(x: Wide, y: Wide, ds: Ds, before: Wide) -> Wide:
    passed_on = _multiply(before, [np.abs(d) for d in ds])
    return passed_on + len(ds) * _FLOAT32_UNIT * (np.abs(y) + passed_on)


def _fast_gelu_exponent(x: Wide) -> Wide:
    return x * (_FAST_GELU_CUBIC * x * x + _FAST_GELU_LINEAR)


def _fast_gelu_error(x: Wide, y: Wide, ds: Ds, before: Wide) -> Wide:
    # Four roundings of the exponent, which exp turns into relative errors.
    steps = 4 * np.abs(_fast_gelu_exponent(x)) + 8
    # However large they are, 0 is exact.
    return _GELU_SLOPE * before + np.where(y == 0, 0.0, steps * np.abs(y)) * _FLOAT32_UNIT


_ADD, _MULTIPLY = Step(_add, _add_error), Step(_multiply, _multiply_error)
_ACTIVATIONS: Mapping[str, Step] = MappingProxyType(
    {
        # As CK writes it: x > 0 ? x : 0, so that NaN becomes 0.
        "Relu": Step(lambda x, ds: np.where(x > 0, x, 0.0), lambda x, y, ds, before: before),
        "Gelu": Step(
            lambda x, ds: 0.5 * x * (1.0 + erf(_GELU_ROOT * x)),
            # erf is within a few float32 ulps and then rounded, to at most half a unit since it is
            # below 1. Where it is near -1, 1 + erf cancels and that error is not small next to y
            # any more.
            lambda x, y, ds, before: (
                _GELU_SLOPE * before + _FLOAT32_UNIT * (2.75 * np.abs(x) + 4 * np.abs(y))
            ),
        ),
        "FastGelu": Step(
            lambda x, ds: x / (1.0 + np.exp(_fast_gelu_exponent(x))), _fast_gelu_error
        ),
        "Silu": Step(
            lambda x, ds: x / (1.0 + np.exp(-x)),
            lambda x, y, ds, before: (
                _SILU_SLOPE * before + 6 * _FLOAT32_UNIT * np.abs(y) + np.abs(x) * _LOST
            ),
        ),
        "Sigmoid": Step(
            lambda x, ds: 1.0 / (1.0 + np.exp(-x)),
            lambda x, y, ds, before: 0.25 * before + 5 * _FLOAT32_UNIT * np.abs(y) + _LOST,
        ),
        "Tanh": Step(
            lambda x, ds: np.tanh(x),
            lambda x, y, ds, before: before + 5 * _FLOAT32_UNIT * np.abs(y),
        ),
    }
)
_FOR_INTEGERS = ("Relu",)


def _fused_op(name: str) -> FusedOp:
    activation = name.removeprefix(ADD)
    first = {"MultiDMultiply": (_MULTIPLY,)}.get(name, (_ADD,) if name.startswith(ADD) else ())
    steps = (*first, *((_ACTIVATIONS[activation],) if activation in _ACTIVATIONS else ()))
    return FusedOp(
        name, takes_ds(name), activation not in _ACTIVATIONS or activation in _FOR_INTEGERS, steps
    )


FUSED_OPS: Mapping[str, FusedOp] = MappingProxyType({name: _fused_op(name) for name in NAMES})


def look_up_fused_op(name: str, d_count: int) -> FusedOp:
    """The operation called ``name``, if it takes ``d_count`` D tensors."""
    op = FUSED_OPS.get(name) if isinstance(name, str) else None
    if op is None:
        raise InvalidArgument(
            f"there is no fused operation {quoted(name)}; there are {', '.join(FUSED_OPS)}"
        )
    if bool(d_count) != op.takes_ds:
        needs = "at least one D tensor" if op.takes_ds else "none; those called MultiD… take some"
        raise InvalidArgument(f"{name} was given {d_count} D tensors and takes {needs}")
    return op


# The rational approximations of W. J. Cody, "Rational Chebyshev approximations for the error
# function", Mathematics of Computation 23 (1969): erf(x) = x P(x^2)/Q(x^2) up to 0.46875,
# erfc(x) = exp(-x^2) P(x)/Q(x) up to 4, and a series in 1/x^2 beyond. Highest power first.
_NEAR_P = (
    1.85777706184603153e-1,
    3.16112374387056560,
    1.13864154151050156e2,
    3.77485237685302021e2,
    3.20937758913846947e3,
)
_NEAR_Q = (
    1.0,
    2.36012909523441209e1,
    2.44024637934444173e2,
    1.28261652607737228e3,
    2.84423683343917062e3,
)
_MIDDLE_P = (
    2.15311535474403846e-8,
    5.64188496988670089e-1,
    8.88314979438837594,
    6.61191906371416295e1,
    2.98635138197400131e2,
    8.81952221241769090e2,
    1.71204761263407058e3,
    2.05107837782607147e3,
    1.23033935479799725e3,
)
_MIDDLE_Q = (
    1.0,
    1.57449261107098347e1,
    1.17693950891312499e2,
    5.37181101862009858e2,
    1.62138957456669019e3,
    3.29079923573345963e3,
    4.36261909014324716e3,
    3.43936767414372164e3,
    1.23033935480374942e3,
)
_FAR_P = (
    1.63153871373020978e-2,
    3.05326634961232344e-1,
    3.60344899949804439e-1,
    1.25781726111229246e-1,
    1.60837851487422766e-2,
    6.58749161529837803e-4,
)
_FAR_Q = (
    1.0,
    2.56852019228982242,
    1.87295284992346725,
    5.27905102951428412e-1,
    6.05183413124413191e-2,
    2.33520497626869185e-3,
)
_NEAR, _FAR = 0.46875, 4.0


def erf(x: Wide) -> Wide:
    """The error function, to within a few units of float64's last place."""
    size = np.abs(x)
    near = size <= _NEAR
    with np.errstate(all="ignore"):
        squared = np.where(near, x * x, 0.0)
        inside = x * np.polyval(_NEAR_P, squared) / np.polyval(_NEAR_Q, squared)
        middle = np.clip(size, _NEAR, _FAR)
        fraction = np.polyval(_MIDDLE_P, middle) / np.polyval(_MIDDLE_Q, middle)
        far = np.maximum(size, _FAR)
        inverse = 1.0 / (far * far)
        tail = inverse * np.polyval(_FAR_P, inverse) / np.polyval(_FAR_Q, inverse)
        beyond = (1.0 / np.sqrt(np.pi) - tail) / far
        outside = 1.0 - np.exp(-size * size) * np.where(size <= _FAR, fraction, beyond)
    value: Wide = np.where(near, inside, np.copysign(outside, x))
    return value
