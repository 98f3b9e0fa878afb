# SPDX-License-Identifier: MIT
"""Floating-point numbers of any format as their bits, with every result rounded once from the exact
one.
"""

from __future__ import annotations

import enum
import math
from typing import NamedTuple


class Round(enum.IntEnum):
    """Rounding, numbered as in the MODE register."""

    NEAREST = 0
    UP = 1
    DOWN = 2
    ZERO = 3


class Top(enum.Enum):
    """What the patterns with the largest exponent are."""

    IEEE = "infinity and NaN"
    NAN = "numbers, but all ones is NaN"
    FNUZ = "numbers, and the pattern of minus zero is NaN"
    FINITE = "numbers"


class Format:
    """A sign, `exponent` bits and `mantissa` bits."""

    def __init__(self, exponent: int, mantissa: int, top: Top = Top.IEEE) -> None:
        ones = (1 << (exponent + mantissa)) - 1
        self.mantissa = mantissa
        self.top = top
        self.width = 1 + exponent + mantissa
        self.bias = (1 << (exponent - 1)) - (0 if top is Top.FNUZ else 1)
        self.sign = 1 << (exponent + mantissa)
        self.fraction = (1 << mantissa) - 1
        self.infinity = ones & ~self.fraction
        self.quiet = 1 << (mantissa - 1)
        self.least = 1 - self.bias - mantissa  # the exponent of a denormal's last bit
        self.most = {Top.IEEE: self.infinity - 1, Top.NAN: ones - 1}.get(top, ones)
        # Of 8 bits, the NaN that is made has all ones.
        nans = {
            Top.IEEE: ones if self.width == 8 else self.infinity | self.quiet,
            Top.NAN: ones,
            Top.FNUZ: self.sign,
        }
        self.nan = nans.get(top, 0)

    def is_nan(self, bits: int) -> bool:
        """Whether `bits` is not a number."""
        if self.top is Top.IEEE:
            return bits & (self.sign - 1) > self.infinity
        if self.top is Top.NAN:
            return bits & (self.sign - 1) == self.nan
        return self.top is Top.FNUZ and bits == self.nan

    def is_infinite(self, bits: int) -> bool:
        """Whether `bits` is an infinity."""
        return self.top is Top.IEEE and bits & (self.sign - 1) == self.infinity


F16, F32, F64, BF16 = Format(5, 10), Format(8, 23), Format(11, 52), Format(8, 7)
FP8, BF8 = Format(4, 3, Top.NAN), Format(5, 2)
FP8_FNUZ, BF8_FNUZ = Format(4, 3, Top.FNUZ), Format(5, 2, Top.FNUZ)
FP6, BF6, FP4 = Format(2, 3, Top.FINITE), Format(3, 2, Top.FINITE), Format(2, 1, Top.FINITE)


class Number(NamedTuple):
    """A finite number: (-1)**negative * mantissa * 2**exponent."""

    negative: bool
    mantissa: int
    exponent: int


def unpack(form: Format, bits: int) -> Number:
    """A finite pattern as a number."""
    field = (bits & (form.sign - 1)) >> form.mantissa
    fraction = bits & form.fraction
    if field:
        return Number(bits >= form.sign, fraction | 1 << form.mantissa, field - 1 + form.least)
    return Number(bits >= form.sign, fraction, form.least)


def pack(form: Format, number: Number, mode: Round, sticky: bool = False) -> int:
    """The nearest pattern in the direction of `mode`; `sticky`: the exact value is a little larger
    in size.
    """
    negative, mantissa, exponent = number
    sign = form.sign if negative else 0
    if sticky:
        mantissa, exponent = mantissa << 2 | 1, exponent - 2
    if not mantissa:
        return 0 if form.top is Top.FNUZ else sign
    last = max(exponent + mantissa.bit_length() - 1 - form.mantissa, form.least)
    shift = last - exponent
    if shift <= 0:
        kept = mantissa << -shift
    else:
        kept, rest = mantissa >> shift, mantissa & ((1 << shift) - 1)
        if mode is Round.NEAREST:
            half = 1 << (shift - 1)
            kept += rest > half or (rest == half and kept & 1)
        elif rest and mode is (Round.DOWN if negative else Round.UP):
            kept += 1
    if kept.bit_length() > form.mantissa + 1:
        kept, last = kept >> 1, last + 1
    field = last - form.least + 1 if kept >> form.mantissa else 0
    result = field << form.mantissa | kept & form.fraction
    if result > form.most:
        return sign | _overflow(form, negative, mode)
    return 0 if form.top is Top.FNUZ and not result else sign | result


def _overflow(form: Format, negative: bool, mode: Round) -> int:
    if form.top is Top.FINITE:
        return form.most
    if mode is Round.ZERO or mode is (Round.UP if negative else Round.DOWN):
        return form.most
    return form.infinity if form.top is Top.IEEE else form.nan


def value(form: Format, bits: int) -> float:
    """The number as a float, which is exact for every format here."""
    if form.is_nan(bits):
        return math.nan
    negative, mantissa, exponent = unpack(form, bits)
    size = math.inf if form.is_infinite(bits) else math.ldexp(mantissa, exponent)
    return -size if negative else size


def from_float(form: Format, number: float, mode: Round = Round.NEAREST) -> int:
    """A Python float in a format."""
    if math.isnan(number):
        return form.nan
    if math.isinf(number):
        return form.infinity | (form.sign if number < 0 else 0)
    mantissa, exponent = math.frexp(abs(number))
    negative = math.copysign(1, number) < 0
    return pack(form, Number(negative, int(math.ldexp(mantissa, 53)), exponent - 53), mode)


def from_integer(form: Format, number: int, mode: Round) -> int:
    """An integer in a format."""
    return pack(form, Number(number < 0, abs(number), 0), mode)


def convert(source: Format, target: Format, bits: int, mode: Round) -> int:
    """A number in another format.

    A NaN of 16 bits or more keeps its payload's upper bits and becomes quiet where it loses some;
    one of 8 bits has a sign at most.
    """
    if source is target:
        return bits
    sign = target.sign if bits >= source.sign and source.top is not Top.FNUZ else 0
    if source.is_nan(bits):
        if source.width <= 8 or target.width <= 8:
            return target.nan if target.top is Top.FNUZ else sign | target.nan
        shift = target.mantissa - source.mantissa
        fraction = bits & source.fraction
        return (
            sign
            | target.infinity
            | (fraction << shift if shift >= 0 else fraction >> -shift | target.quiet)
        )
    if source.is_infinite(bits):
        if target.top is Top.FINITE:
            return sign | target.most
        return (
            sign | target.infinity
            if target.top is Top.IEEE
            else target.nan
            if target.top is Top.FNUZ
            else sign | target.nan
        )
    return pack(target, unpack(source, bits), mode)


def first_nan(form: Format, *operands: int) -> int:
    """What becomes of NaNs: the first operand that is one, made quiet; an invalid operation gives
    the positive one without payload.
    """
    return next((bits | form.quiet for bits in operands if form.is_nan(bits)), form.nan)


def no_value(form: Format, a: int) -> int:
    """What a root, a logarithm or a sine gives where it has no value: a NaN stays what it is, and
    all else gives the negative one.
    """
    return first_nan(form, a) if form.is_nan(a) else form.sign | form.nan


def multiply_add(form: Format, a: int, b: int, c: int, mode: Round, power: int = 0) -> int:
    """(a * b + c) * 2**power with one rounding."""
    if form.is_nan(a) or form.is_nan(b) or form.is_nan(c):
        return first_nan(form, a, b, c)
    product_sign = (a ^ b) & form.sign
    if form.is_infinite(a) or form.is_infinite(b):
        zero = not (a & (form.sign - 1)) or not (b & (form.sign - 1))
        if zero or (form.is_infinite(c) and c & form.sign != product_sign):
            return form.nan
        return product_sign | form.infinity
    if form.is_infinite(c):
        return c
    x, y, z = unpack(form, a), unpack(form, b), unpack(form, c)
    product = Number(bool(product_sign), x.mantissa * y.mantissa, x.exponent + y.exponent)
    return _sum(form, product, z, mode, power)


def _sum(form: Format, x: Number, y: Number, mode: Round, power: int = 0) -> int:
    exponent = min(x.exponent, y.exponent)
    left, right = x.mantissa << (x.exponent - exponent), y.mantissa << (y.exponent - exponent)
    total = (-left if x.negative else left) + (-right if y.negative else right)
    if total:
        return pack(form, Number(total < 0, abs(total), exponent + power), mode)
    # An exact zero is positive unless both terms are negative or rounding is downward.
    negative = x.negative if x.negative == y.negative else mode is Round.DOWN
    return form.sign if negative else 0


def add(form: Format, a: int, b: int, mode: Round) -> int:
    """a + b."""
    if form.is_nan(a) or form.is_nan(b):
        return first_nan(form, a, b)
    if form.is_infinite(a):
        return form.nan if form.is_infinite(b) and a != b else a
    if form.is_infinite(b):
        return b
    return _sum(form, unpack(form, a), unpack(form, b), mode)


def multiply(form: Format, a: int, b: int, mode: Round) -> int:
    """a * b."""
    if form.is_nan(a) or form.is_nan(b):
        return first_nan(form, a, b)
    sign = (a ^ b) & form.sign
    if form.is_infinite(a) or form.is_infinite(b):
        zero = not (a & (form.sign - 1)) or not (b & (form.sign - 1))
        return form.nan if zero else sign | form.infinity
    x, y = unpack(form, a), unpack(form, b)
    return pack(form, Number(bool(sign), x.mantissa * y.mantissa, x.exponent + y.exponent), mode)


def divide(form: Format, a: int, b: int, mode: Round) -> int:
    """a / b."""
    sign, mask = (a ^ b) & form.sign, form.sign - 1
    if form.is_nan(a) or form.is_nan(b):
        return first_nan(form, a, b)
    if form.is_infinite(a):
        return form.nan if form.is_infinite(b) else sign | form.infinity
    if form.is_infinite(b):
        return sign
    if not b & mask:
        return sign | form.infinity if a & mask else form.nan
    x, y = unpack(form, a), unpack(form, b)
    extra = 2 * form.mantissa + 4 + y.mantissa.bit_length()
    quotient, rest = divmod(x.mantissa << extra, y.mantissa)
    return pack(
        form, Number(bool(sign), quotient, x.exponent - y.exponent - extra), mode, bool(rest)
    )


def square_root(form: Format, a: int, mode: Round) -> int:
    """The square root of a."""
    if form.is_nan(a) or (a > form.sign):
        return no_value(form, a)
    if form.is_infinite(a) or not a & (form.sign - 1):
        return a
    x = unpack(form, a)
    extra = 2 * form.mantissa + 6
    extra += (x.exponent - extra) & 1
    mantissa = x.mantissa << extra
    root = math.isqrt(mantissa)
    return pack(form, Number(False, root, (x.exponent - extra) // 2), mode, root * root != mantissa)


def scale(form: Format, a: int, power: int, mode: Round) -> int:
    """a * 2**power with one rounding."""
    if form.is_nan(a) or form.is_infinite(a):
        return first_nan(form, a) if form.is_nan(a) else a
    x = unpack(form, a)
    # Beyond this the result is certain, and the integers stay small.
    power = max(-4 * form.bias, min(4 * form.bias, power))
    return pack(form, x._replace(exponent=x.exponent + power), mode)


def to_integer(form: Format, a: int, low: int, high: int) -> int:
    """Truncated and clamped to [low, high]; NaN is 0."""
    if form.is_nan(a):
        return 0
    negative, mantissa, exponent = unpack(form, a)
    if form.is_infinite(a):
        return low if negative else high
    size = mantissa << exponent if exponent >= 0 else mantissa >> -exponent
    return max(low, min(high, -size if negative else size))
