# SPDX-License-Identifier: MIT
"""The exact arithmetic under the pseudocode, against the machine's own and against rational
numbers.
"""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest

from pcode import floats
from pcode.floats import Format, Round, Top

_CODES = {floats.F16: "<e", floats.F32: "<f", floats.F64: "<d"}
_Operation = Callable[[Format, int, int, Round], int]
_OWN: dict[_Operation, Callable[[float, float], float]] = {
    floats.add: lambda a, b: a + b,
    floats.multiply: lambda a, b: a * b,
    floats.divide: lambda a, b: a / b,
}
_SMALL = (
    floats.FP8,
    floats.BF8,
    floats.FP8_FNUZ,
    floats.BF8_FNUZ,
    floats.FP6,
    floats.BF6,
    floats.FP4,
)


def _machine(form: Format, bits: int) -> float:
    number: float = struct.unpack(_CODES[form], bits.to_bytes(form.width // 8, "little"))[0]
    return number


def _patterns(form: Format, count: int) -> list[int]:
    rng = random.Random(form.width)
    edges = [
        0,
        1,
        form.fraction,
        form.infinity,
        form.infinity | 1,
        form.nan,
        form.most,
        1 << form.mantissa,
    ]
    found = [bits | sign for bits in edges for sign in (0, form.sign)]
    found += [rng.getrandbits(form.width) for _ in range(count)]
    one = form.bias << form.mantissa
    return found + [one ^ rng.getrandbits(form.mantissa) for _ in range(count)]


@pytest.mark.parametrize("form", _CODES)
def test_patterns_are_the_machines_numbers(form: Format) -> None:
    for bits in _patterns(form, 300):
        number = _machine(form, bits)
        if math.isnan(number):
            assert form.is_nan(bits)
        else:
            assert floats.value(form, bits) == number
            assert floats.from_float(form, number) == bits


@pytest.mark.parametrize("operation", _OWN)
def test_doubles_are_rounded_as_the_machine_does(operation: _Operation) -> None:
    form = floats.F64
    for a, b in zip(_patterns(form, 1000), reversed(_patterns(form, 1000)), strict=False):
        left, right = _machine(form, a), _machine(form, b)
        if right == 0 and operation is floats.divide:
            continue
        wanted = _OWN[operation](left, right)
        got = operation(form, a, b, Round.NEAREST)
        assert (
            form.is_nan(got)
            if math.isnan(wanted)
            else got == int.from_bytes(struct.pack("<d", wanted), "little")
        )


def test_square_roots_are_rounded_as_the_machine_does() -> None:
    for bits in _patterns(floats.F64, 500):
        number = _machine(floats.F64, bits)
        if number >= 0:
            assert floats.value(
                floats.F64, floats.square_root(floats.F64, bits, Round.NEAREST)
            ) == math.sqrt(number)


def _neighbours(form: Format, exact: Fraction) -> tuple[float, float]:
    """The numbers of a format below and above an exact one, by search over all patterns."""
    numbers = sorted(
        {floats.value(form, bits) for bits in range(1 << form.width) if not form.is_nan(bits)}
    )
    below = [number for number in numbers if number <= exact]
    above = [number for number in numbers if number >= exact]
    return below[-1] if below else -math.inf, above[0] if above else math.inf


@pytest.mark.parametrize("mode", Round)
def test_directed_rounding_stays_on_its_side(mode: Round) -> None:
    form = floats.FP6
    for a, b in itertools.product(range(0, 64, 3), range(1, 64, 5)):
        exact = Fraction(floats.value(form, a)) * Fraction(floats.value(form, b))
        below, above = _neighbours(form, exact)
        got = floats.value(form, floats.multiply(form, a, b, mode))
        low, high = (
            max(below, -floats.value(form, form.most)),
            min(above, floats.value(form, form.most)),
        )
        allowed = {
            Round.UP: {high},
            Round.DOWN: {low},
            Round.ZERO: {low if exact > 0 else high},
        }.get(mode, {low, high})
        assert got in allowed
        if mode is Round.NEAREST and low != high:
            assert abs(Fraction(got) - exact) <= min(exact - Fraction(low), Fraction(high) - exact)


@pytest.mark.parametrize("form", [floats.F32, floats.F64])
def test_multiply_add_rounds_once(form: Format) -> None:
    rng = random.Random(7)
    for _ in range(500):
        exponents = [form.bias + rng.randint(-30, 30) for _ in range(3)]
        a, b, c = (
            rng.getrandbits(1) * form.sign | field << form.mantissa | rng.getrandbits(form.mantissa)
            for field in exponents
        )
        exact = Fraction(floats.value(form, a)) * Fraction(floats.value(form, b)) + Fraction(
            floats.value(form, c)
        )
        got = Fraction(floats.value(form, floats.multiply_add(form, a, b, c, Round.NEAREST)))
        last = Fraction(math.ulp(float(exact))) * (1 << (52 - form.mantissa))
        assert abs(got - exact) <= last / 2


@pytest.mark.parametrize("form", _SMALL)
def test_small_formats_survive_the_way_through_f32(form: Format) -> None:
    for bits in range(1 << form.width):
        wide = floats.convert(form, floats.F32, bits, Round.NEAREST)
        back = floats.convert(floats.F32, form, wide, Round.NEAREST)
        assert back == bits or (form.is_nan(bits) and form.is_nan(back))


def test_formats_have_the_limits_of_their_definitions() -> None:
    limits: dict[Format, float] = {floats.FP8: 448, floats.BF8: 57344}
    limits |= {floats.FP8_FNUZ: 240, floats.BF8_FNUZ: 57344}
    limits |= {floats.FP6: 7.5, floats.BF6: 28, floats.FP4: 6}
    for form, most in limits.items():
        assert floats.value(form, form.most) == most
    too_large = floats.from_float(floats.F32, 1e9)
    assert floats.convert(floats.F32, floats.BF8, too_large, Round.NEAREST) == floats.BF8.infinity
    assert floats.FP8.is_nan(floats.convert(floats.F32, floats.FP8, too_large, Round.NEAREST))
    assert floats.convert(floats.F32, floats.FP4, too_large, Round.NEAREST) == floats.FP4.most
    assert floats.FP4.top is Top.FINITE
