# SPDX-License-Identifier: MIT
"""Conversions between number formats, made from the names that pseudocode calls them by."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from pcode import floats
from pcode.floats import Format, Number, Round
from pcode.state import Scope
from pcode.values import Type, Value, integer, named_type, type_of

Function = Callable[..., Value]
NAMED: dict[str, Function] = {}


def _norm(x: Value, low: int, high: int) -> int:
    if math.isnan(x.number):
        return 0
    limited = max(-1.0 if low else 0.0, min(1.0, x.number))
    return round(Fraction(limited) * high)


for _source in ("f16", "f32"):
    NAMED[f"{_source}_to_snorm"] = lambda _, x: integer(_norm(x, -32767, 32767), type_of("i", 16))
    NAMED[f"{_source}_to_unorm"] = lambda _, x: integer(_norm(x, 0, 65535), type_of("u", 16))


def _between_floats(source: Type, target: Type) -> Function:
    def convert(scope: Scope, x: Value) -> Value:
        form = scope.small_format(repr(source)) if source.width <= 8 else source.form
        # Whatever becomes shorter is rounded as halves and doubles are.
        bits = floats.convert(form, target.form, x.bits, scope.round64)
        return Value(bits | target.form.quiet if target.form.is_nan(bits) else bits, target)

    return convert


def _to_small(target: Type) -> Function:
    def convert(scope: Scope, x: Value) -> Value:
        form = scope.small_format(repr(target))
        return Value(floats.convert(x.type.form, form, x.bits, Round.NEAREST), target)

    return convert


def _to_integer(target: Type) -> Function:
    def convert(_: Scope, x: Value) -> Value:
        low, high = (-target.top, target.top - 1) if target.is_signed else (0, target.mask)
        return integer(floats.to_integer(x.type.form, x.bits, low, high), target)

    return convert


def _from_integer(target: Type) -> Function:
    def convert(scope: Scope, x: Value) -> Value:
        return Value(floats.from_integer(target.form, x.integer, scope.mode(target)), target)

    return convert


def _between_integers(target: Type) -> Function:
    def convert(_: Scope, x: Value) -> Value:
        low, high = (-target.top, target.top - 1) if target.is_signed else (0, target.mask)
        return integer(max(low, min(high, x.integer)), target)

    return convert


def _scaled_number(form: Format, bits: int, power: int) -> Number | None:
    """A finite number times a power of two, or None."""
    if form.is_nan(bits) or form.is_infinite(bits):
        return None
    number = floats.unpack(form, bits)
    return number._replace(exponent=number.exponent + power)


def _from_scaled(source: str, target: Type) -> Function:
    """A small format times 2**(scale - 127); the largest scale is a NaN, and a NaN of the small
    format comes before it.
    """

    def convert(scope: Scope, x: Value, scale: Value) -> Value:
        form = scope.small_format(source)
        number = _scaled_number(form, x.bits, scale.integer - 127)
        if form.is_nan(x.bits):
            return Value(floats.convert(form, target.form, x.bits, Round.NEAREST), target)
        if scale.integer == 255:
            return Value(target.form.nan, target)
        if number is None:
            return Value(floats.convert(form, target.form, x.bits, Round.NEAREST), target)
        return Value(floats.pack(target.form, number, scope.mode(target)), target)

    return convert


def _random_up(form: Format, number: Number, random: int) -> Number:
    """Adds random bits to those that are dropped, as many of them as a normal f32 has too many, and
    then drops them.
    """
    last = max(number.exponent + number.mantissa.bit_length() - 1 - form.mantissa, form.least)
    drop = last - number.exponent
    count = 23 - form.mantissa
    whole = number.mantissa >> drop if drop >= 0 else number.mantissa << -drop
    rest = number.mantissa & ((1 << drop) - 1) if drop > 0 else 0
    rest = rest >> (drop - count) if drop >= count else rest << (count - drop)
    return Number(number.negative, whole + (rest + (random >> (32 - count)) >> count), last)


def _to_scaled(target: Type, stochastic: bool) -> Function:
    """A number divided by 2**(scale - 127) in a small format. A format without NaN has its largest
    number instead, with its sign.
    """

    def convert(scope: Scope, x: Value, *rest: Value) -> Value:
        scale, form = rest[-1].integer, scope.small_format(repr(target))
        if x.type.form.is_nan(x.bits) or scale == 255:
            nan = floats.first_nan(x.type.form, x.bits)
            sign = form.sign if nan & x.type.form.sign else 0
            return Value(sign | (form.nan or form.most), target)
        number = _scaled_number(x.type.form, x.bits, 127 - scale)
        if number is None:
            return Value(floats.convert(x.type.form, form, x.bits, Round.NEAREST), target)
        if stochastic:
            number = _random_up(form, number, rest[0].bits)
        return Value(floats.pack(form, number, Round.NEAREST), target)

    return convert


def _stochastic(target: Type) -> Function:
    def convert(scope: Scope, x: Value, random: Value) -> Value:
        form = scope.small_format(repr(target)) if target.width <= 8 else target.form
        if _scaled_number(x.type.form, x.bits, 0) is None:
            return Value(floats.convert(x.type.form, form, x.bits, Round.NEAREST), target)
        number = _random_up(form, floats.unpack(x.type.form, x.bits), random.bits)
        return Value(floats.pack(form, number, Round.NEAREST), target)

    return convert


_CONVERSION = re.compile(r"([a-z]+\d+)_to_([a-z]+\d+)(_sr|_SR)?(_scale)?")


@cache
def conversion(name: str) -> Function | None:
    """The conversion called `name`, such as "f32_to_i16", or None."""
    if name in NAMED:
        return NAMED[name]
    found = _CONVERSION.fullmatch(name)
    if not found:
        return None
    source, target = named_type(found[1]), named_type(found[2])
    if source is None or target is None:
        return None
    if found[4]:
        if source.width <= 8:
            return _from_scaled(found[1], target)
        return _to_scaled(target, bool(found[3]))
    if found[3]:
        return _stochastic(target)
    if target.is_float and target.width <= 8:
        return _to_small(target)
    if source.is_float and target.is_float:
        return _between_floats(source, target)
    if source.is_float:
        return _to_integer(target)
    return _from_integer(target) if target.is_float else _between_integers(target)


# Called like an instruction, but there is none of that name.
NAMED["v_cvt_i16_f32"] = _to_integer(type_of("i", 16))
NAMED["v_cvt_u16_f32"] = _to_integer(type_of("u", 16))
