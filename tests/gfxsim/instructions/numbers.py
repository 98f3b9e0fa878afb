# SPDX-License-Identifier: MIT
"""Operands that provoke: special values of every number format, their neighbours,
and random bits.
"""

from __future__ import annotations

import random
import re
from functools import cache

from pcode import floats
from pcode.floats import Format, Top

_FORMATS = {
    "F16": floats.F16,
    "F32": floats.F32,
    "F64": floats.F64,
    "BF16": floats.BF16,
    "FP8": floats.FP8,
    "BF8": floats.BF8,
    "FP6": floats.FP6,
    "BF6": floats.BF6,
    "FP4": floats.FP4,
}
_PACKED = re.compile(r"PK(\d*)_(.+)")


@cache
def element(form: str, bits: int) -> tuple[str, int]:
    """The format and width of one number in an operand, which may be packed."""
    found = _PACKED.fullmatch(form)
    if not found:
        return form, bits
    count = int(found[1] or 2)
    return found[2], bits // count


@cache
def float_format(form: str) -> Format | None:
    """The floating-point format of a single or packed operand,
    or None for integers and plain bits.
    """
    return _FORMATS.get(element(form, 32)[0])


@cache
def special_floats(form: Format) -> list[int]:
    """Zeros, denormals, the borders of the range, one and its neighbours, infinities and NaNs."""
    one = form.bias << form.mantissa
    smallest = 1 << form.mantissa
    found = [
        0,
        1,
        smallest - 1,
        smallest,
        smallest + 1,
        one - 1,
        one,
        one + 1,
        one + smallest,
        form.most,
        form.most - 1,
    ]
    found += [
        one - smallest,
        one | form.quiet,
        one + (form.mantissa << form.mantissa),
        form.fraction,
    ]
    if form.top is Top.IEEE:
        found += [form.infinity, form.nan, form.infinity | 1]
    return found + [bits | form.sign for bits in found]


def _float(form: Format, rng: random.Random) -> int:
    kind = rng.random()
    if kind < 0.45:
        return rng.choice(special_floats(form))
    if kind < 0.75:
        exponent = form.bias + rng.randrange(17) - 8
        field = max(0, min(exponent, form.most >> form.mantissa))
        # Few bits set make exact sums, products and ties.
        fraction = rng.getrandbits(form.mantissa) & (-1 << rng.randrange(form.mantissa + 1))
        return rng.getrandbits(1) * form.sign | field << form.mantissa | fraction & form.fraction
    return rng.getrandbits(form.width)


def _integer(bits: int, rng: random.Random) -> int:
    kind = rng.random()
    if kind < 0.3:
        power = 1 << rng.randrange(bits)
        return rng.choice([0, 1, (1 << bits) - 1, power, power - 1, -power, ~power]) & (
            (1 << bits) - 1
        )
    if kind < 0.6:
        number = rng.getrandbits(rng.randrange(bits) + 1)
        return (-number if rng.random() < 0.4 else number) & ((1 << bits) - 1)
    return rng.getrandbits(bits)


def number(form: str, bits: int, rng: random.Random) -> int:
    """One operand of `bits` bits; `form` as AMD calls the format, such as "F32", "PK2_I16" or
    "B64".
    """
    layout, width = _elements(form, bits)
    if width == bits:
        return _float(layout, rng) if layout else _integer(width, rng)
    made = 0
    for place in range(0, bits, width):
        made |= (_float(layout, rng) if layout else _integer(width, rng)) << place
    return made


@cache
def _elements(form: str, bits: int) -> tuple[Format | None, int]:
    """The floating-point format of each number in an operand, if it has one, and its width."""
    part, width = element(form, bits)
    layout = _FORMATS.get(part)
    return (layout if layout and layout.width == width else None), width


def related(value: int, form: str, bits: int, rng: random.Random) -> int:
    """A number that is equal to another, its negative or its neighbour."""
    _, width = element(form, bits)
    if width not in (16, 32, 64):
        return value
    sign = sum(1 << (place + width - 1) for place in range(0, bits, width))
    return rng.choice([value, value ^ sign, value ^ 1, value ^ (1 << (bits - width))])
