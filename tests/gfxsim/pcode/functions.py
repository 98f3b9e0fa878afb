# SPDX-License-Identifier: MIT
"""The functions that pseudocode calls without defining them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from pcode import conversions, floats
from pcode.floats import Number, Round
from pcode.state import Scope
from pcode.values import F32, F64, I32, I64, U32, Value, integer, real, truth, type_of

Function = Callable[..., Value]
FUNCTIONS: dict[str, Function] = {}


def _function(name: str) -> Callable[[Function], Function]:
    def keep(function: Function) -> Function:
        FUNCTIONS[name] = function
        return function

    return keep


@_function("isNAN")
def _is_nan(_: Scope, x: Value) -> Value:
    return truth(x.type.form.is_nan(x.bits))


@_function("isQuietNAN")
def _is_quiet(_: Scope, x: Value) -> Value:
    return truth(x.type.form.is_nan(x.bits) and x.bits & x.type.form.quiet != 0)


@_function("isSignalNAN")
def _is_signalling(_: Scope, x: Value) -> Value:
    return truth(x.type.form.is_nan(x.bits) and x.bits & x.type.form.quiet == 0)


@_function("cvtToQuietNAN")
def _quieten(_: Scope, x: Value) -> Value:
    return Value(x.bits | x.type.form.quiet, x.type)


@_function("abs")
def _abs(_: Scope, x: Value) -> Value:
    return Value(x.bits & (x.type.form.sign - 1), x.type)


@_function("sign")
def _sign(_: Scope, x: Value) -> Value:
    return truth(x.bits & x.type.form.sign != 0)


@_function("exponent")
def _exponent(_: Scope, x: Value) -> Value:
    """The field as it stands, with its bias."""
    return integer((x.bits & (x.type.form.sign - 1)) >> x.type.form.mantissa, I32)


@_function("mantissa")
def _mantissa(scope: Scope, x: Value) -> Value:
    """The number scaled to [0.5, 1)."""
    form = x.type.form
    if not x.bits & (form.sign - 1) or form.is_nan(x.bits) or form.is_infinite(x.bits):
        return x
    number = floats.unpack(form, x.bits)
    scaled = number._replace(exponent=-number.mantissa.bit_length())
    return Value(floats.pack(form, scaled, scope.mode(x.type)), x.type)


@_function("frexp_exponent")
def _frexp_exponent(_: Scope, x: Value) -> Value:
    """n where the number is in [0.5, 1) * 2**n; 0 for zeros, infinities and NaNs."""
    form = x.type.form
    if not x.bits & (form.sign - 1) or form.is_nan(x.bits) or form.is_infinite(x.bits):
        return integer(0, I32)
    number = floats.unpack(form, x.bits)
    return integer(number.exponent + number.mantissa.bit_length(), I32)


@_function("fma_ldexp")
def _fma_ldexp(scope: Scope, a: Value, b: Value, c: Value, n: Value) -> Value:
    """(a * b + c) * 2**n with one rounding."""
    bits = floats.multiply_add(a.type.form, a.bits, b.bits, c.bits, scope.mode(a.type), n.integer)
    return Value(bits, a.type)


@_function("fma")
def _fma(scope: Scope, a: Value, b: Value, c: Value) -> Value:
    return Value(
        floats.multiply_add(a.type.form, a.bits, b.bits, c.bits, scope.mode(a.type)), a.type
    )


@_function("sqrt")
def _sqrt(scope: Scope, x: Value) -> Value:
    return Value(floats.square_root(x.type.form, x.bits, scope.mode(x.type)), x.type)


@_function("ldexp")
def _ldexp(scope: Scope, x: Value, n: Value) -> Value:
    return Value(floats.scale(x.type.form, x.bits, n.integer, scope.mode(x.type)), x.type)


def _whole(x: Value, rounded: Callable[[Fraction], int]) -> Value:
    form = x.type.form
    if form.is_nan(x.bits):
        return Value(x.bits | form.quiet, x.type)
    if form.is_infinite(x.bits):
        return x
    number = rounded(Fraction(x.number))
    negative = bool(x.bits & form.sign)
    return Value(floats.pack(form, Number(negative, abs(number), 0), Round.NEAREST), x.type)


@_function("trunc")
def _trunc(_: Scope, x: Value) -> Value:
    return _whole(x, math.trunc)


@_function("floor")
def _floor(_: Scope, x: Value) -> Value:
    return _whole(x, math.floor)


@_function("rint")
def _rint(_: Scope, x: Value) -> Value:
    return _whole(x, round)


@_function("fract")
def _fract(scope: Scope, x: Value) -> Value:
    whole = _floor(scope, x)
    negated = whole.bits ^ x.type.form.sign
    return Value(floats.add(x.type.form, x.bits, negated, Round.NEAREST), x.type)


@_function("isEven")
def _is_even(_: Scope, x: Value) -> Value:
    return truth(math.isfinite(x.number) and int(x.number) % 2 == 0)


@_function("pow")
def _pow(_: Scope, base: Value, x: Value) -> Value:
    if base.number != 2:
        raise ValueError("only powers of two are taken")
    if math.isnan(x.number):
        return Value(floats.no_value(x.type.form, x.bits), x.type)
    return real(math.inf if x.number >= 1024 else 2.0**x.number, x.type)


@_function("log2")
def _log2(_: Scope, x: Value) -> Value:
    if math.isnan(x.number) or x.number < 0:
        return Value(floats.no_value(x.type.form, x.bits), x.type)
    return real(math.log2(x.number) if x.number else -math.inf, x.type)


def _turn(x: Value, function: Callable[[float], float]) -> Value:
    if not math.isfinite(x.number):
        return Value(floats.no_value(x.type.form, x.bits), x.type)
    # Whole turns are taken off exactly, and quarters so that no digits are lost near a zero.
    part = Fraction(x.number) % 1
    quarter = round(part * 4)
    angle = float(part - Fraction(quarter, 4)) * 2 * math.pi
    sine, cosine = math.sin(angle), math.cos(angle)
    if function is math.cos:
        quarter += 1
    number = (sine, cosine, -sine, -cosine)[quarter % 4]
    if function is math.sin and number == 0:
        number = math.copysign(0.0, x.number)
    return real(number + 0.0 if number else number, x.type)


@_function("sin_turns")
def _sin(_: Scope, x: Value) -> Value:
    return _turn(x, math.sin)


@_function("cos_turns")
def _cos(_: Scope, x: Value) -> Value:
    return _turn(x, math.cos)


@_function("flush")
def _flush(_: Scope, x: Value) -> Value:
    """Zero instead of a denormal."""
    return x if x.bits & x.type.form.infinity else Value(x.bits & x.type.form.sign, x.type)


@cache
def _two_over_pi(places: int) -> int:
    """The first bits of 2 / pi behind the binary point."""

    def inverse_tangent(of: int, one: int) -> int:
        term = total = one // of
        for odd in range(3, 10**6, 2):
            term //= -of * of
            if not term:
                return total
            total += term // odd
        raise AssertionError("the series converges long before")

    one = 1 << (places + 64)
    pi = 4 * (4 * inverse_tangent(5, one) - inverse_tangent(239, one))
    return (2 * one << places) // pi


@_function("two_over_pi")
def _two_over_pi_part(_: Scope, first: Value) -> Value:
    """53 bits of 2 / pi from bit `first` behind the binary point, as a number."""
    bits = _two_over_pi(1201) << first.integer >> (1201 - 53) & ((1 << 53) - 1)
    return Value(floats.from_integer(floats.F64, bits, Round.NEAREST), F64)


@_function("signext")
def _signext(_: Scope, x: Value) -> Value:
    return integer(Value(x.bits, type_of("i", x.type.width)).integer, I64)


@_function("signext_from_bit")
def _signext_from_bit(_: Scope, x: Value, width: Value) -> Value:
    bits = min(width.integer, x.type.width)
    if bits == 0:
        return integer(0, x.type)
    low = x.bits & ((1 << bits) - 1)
    return integer(low - (1 << bits) if low >> (bits - 1) else low, x.type)


@_function("float32")
def _float32(_: Scope, sign: Value, exponent: Value, mantissa: Value) -> Value:
    return Value(sign.bits << 31 | (exponent.bits & 0xFF) << 23 | mantissa.bits & 0x7FFFFF, F32)


@_function("nop")
@_function("s_nop")
def _nothing(_: Scope, *__: Value) -> Value:
    return truth(False)


def function(name: str) -> Function | None:
    """The function called `name`, or None."""
    return FUNCTIONS.get(name) or conversions.conversion(name)


CONSTANTS = {
    "INF": real(math.inf, F64),
    "NAN": real(math.nan, F64),
    "PI": real(math.pi, F64),
    "MAX_FLOAT_F32": Value(floats.F32.most, F32),
    "OVERFLOW_F32": real(math.inf, F32),
    "OVERFLOW_F64": real(math.inf, F64),
    "UNDERFLOW_F32": real(0.0, F32),
    "UNDERFLOW_F64": real(0.0, F64),
    "ROUND_NEAREST_EVEN": integer(0, type_of("u", 4)),
    "ROUND_TOWARD_ZERO": integer(15, type_of("u", 4)),
    "BYTE1": integer(1, U32),
    "BYTE2": integer(2, U32),
    "BYTE3": integer(3, U32),
    "WORD1": integer(1, U32),
}


def constant(name: str) -> Value | None:
    """A named constant, or None."""
    return CONSTANTS.get(name)
