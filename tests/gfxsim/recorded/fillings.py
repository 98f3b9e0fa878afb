# SPDX-License-Identifier: MIT
"""What stands in the operands of a recorded case: special numbers, by a rule in which no generator
of random numbers has a part.

A filling is written as "v40+2=F16~5": the two registers from v40 on hold f16, of which one in five
is special. See `Filling`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from matrix import formats, nans
from matrix.formats import Format

FORMATS: dict[str, Format] = {
    "F64": formats.F64,
    "F32": formats.F32,
    "F16": formats.F16,
    "BF16": formats.BF16,
    "FP8": formats.FP8,
    "BF8": formats.BF8,
    "FP8_FNUZ": formats.FP8_FNUZ,
    "BF8_FNUZ": formats.BF8_FNUZ,
    "FP6": formats.FP6,
    "BF6": formats.BF6,
    "FP4": formats.FP4,
}
# Integers and bits that nobody calls a number; some are numbers of 8 bits and less, or exponents.
_BITS = {
    "B16": (0, 1, 0xFFFF, 0x8000, 0x7FFF, 0x7F80, 0xFEFB, 5, 0xFFF9, 15),
    "B32": (
        0,
        1,
        0xFFFFFFFF,
        0x80000000,
        0x7FFFFFFF,
        0x7F80FF00,
        0x7CFD7EFB,
        0x40484F50,
        0x3F800000,
        5,
        0xFFFFFFF9,
        24,
    ),
    "B64": (0, 1, 2**64 - 1, 1 << 63, 2**63 - 1, 0x7F80FF007CFD7EFB, 0x3FF << 52, 5, 2**64 - 7),
}
# What meets in the lanes: the first, second and third operand of each. Together: invalid sums and
# products, with and without a NaN beside them; NaNs of both signs, quiet ("q"), signalling ("s",
# "t") and with payloads, in every place; results that are too large, for 8 bits and less too, or
# too small.
MEETINGS = (
    ("+inf", "-inf", "+inf"),
    ("-inf", "+0", "-q"),
    ("+0", "+inf", "+s"),
    ("-0", "-inf", "+2"),
    ("+q", "-s", "+1"),
    ("-q", "+q", "+inf"),
    ("+s", "-q", "-inf"),
    ("-s", "+1", "+s"),
    ("+t", "+inf", "+0"),
    ("+1", "-q", "-s"),
    ("-1", "+s", "+q"),
    ("+most", "+most", "-inf"),
    ("-most", "+6", "+most"),
    ("+tiny", "+6", "-small"),
    ("-small", "+tiny", "+tiny"),
    ("+normal", "+1.5", "+t"),
    ("+1.5", "+below", "+6"),
    ("+6", "-896", "-q"),
    ("+896", "+1", "+inf"),
    ("+below", "+1", "-1"),
)
# Scales of matrices: a factor of one, that of NaN, and extremes.
_SCALE_ONE, _SCALE_NAN, _SCALES = 127, 255, (0, 1, 120, 134, 253, 254)
# The places of two elements among four, 2 bits each, in ascending order.
_PAIRS = (0x4, 0x8, 0xC, 0x9, 0xD, 0xE)

_WRITTEN = re.compile(r"([vsml])(\d*)(?:\+(\d+))?=(\w+?)(?:([~^])(\d+))?(?:\*(\d+))?")


@dataclass(frozen=True)
class Filling:
    """Where numbers go, and which.

    `letter`: vector registers (from 256 on: accumulation registers), scalar registers, global
    memory, LDS. `kind`: a format, or "E8M0" (scales in the lowest bytes), "PAIRS" (indices of a
    sparse matrix), "MASK", or an address (`Case.states` in case.py). `spread`: "" — by the table of
    meetings; "~" — one number in `share` is a NaN, an infinity or a zero and the others are 1 or
    -1; "^" — one in `share` is a denormal, the largest or another finite number. `period`: lanes
    after which the numbers repeat.
    """

    letter: str
    first: int
    count: int
    kind: str
    spread: str = ""
    share: int = 0
    period: int = 64

    def __str__(self) -> str:
        place = self.letter + (
            f"{self.first}{f'+{self.count}' if self.count > 1 else ''}"
            if self.letter in "vs"
            else ""
        )
        return f"{place}={self.kind}{self.spread}{self.share or ''}" + (
            f"*{self.period}" if self.period != 64 else ""
        )


def parse(text: str) -> Filling:
    """The filling that is written so."""
    found = _WRITTEN.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no filling of an operand; one is written as 'v40+2=F16~5'")
    letter, first, count, kind, spread, share, period = found.groups()
    return Filling(
        letter,
        int(first or 0),
        int(count or 1),
        kind,
        spread or "",
        int(share or 0),
        int(period or 64),
    )


def name_of(form: Format) -> str:
    """The kind of a matrix's elements."""
    if form == formats.XF32:
        return "F32"
    return next(name for name, other in FORMATS.items() if other == form)


@cache
def _named(form: Format) -> dict[str, int]:
    """The numbers of the table in a format; the largest where it has no infinity or no NaN or
    nothing so large.
    """
    mantissa = form.bits - 1 - form.exponent
    sign, one, half = 1 << form.bits - 1, form.bias << mantissa, 1 << mantissa >> 1
    top = (1 << form.exponent) - 1 << mantissa
    most = {"ieee": top - 1, "last is nan": sign - 2}.get(form.special, sign - 1)
    sizes = {
        "0": 0,
        "tiny": 1,
        "small": (1 << mantissa) - 1,
        "normal": 1 << mantissa,
        "below": one - 1,
        "1": one,
        "1.5": one | half,
    }
    sizes |= {
        "2": one + (1 << mantissa),
        "6": one + (2 << mantissa) | half,
        "896": one + (9 << mantissa) | half | half >> 1,
    }
    sizes = {name: min(size, most) for name, size in sizes.items()} | {"most": most}
    codes = {
        f"{plus}{name}": size | bit
        for name, size in sizes.items()
        for plus, bit in (("+", 0), ("-", sign))
    }
    infinities = nans.infinities(form) or [most, most | sign]
    odd = nans.nan_codes(form) or [most, most | sign]
    negative, positive = (
        [code for code in odd if code >> form.bits - 1 == bit] or odd for bit in (1, 0)
    )
    signalling = [code for code in odd if not code & half] or odd
    codes |= {"+inf": infinities[0], "-inf": infinities[1], "+q": positive[0], "-q": negative[0]}
    codes |= {"+s": signalling[0], "-s": negative[-1], "+t": positive[-1]}
    return (
        codes
        if form.special != "fnuz"
        else {name: 0 if name == "-0" else code for name, code in codes.items()}
    )


def _choices(filling: Filling) -> tuple[list[int], list[int], int]:
    """The special codes of a matrix, the ordinary ones, and the bits of each."""
    kind = filling.kind
    if kind == "PAIRS":
        return list(_PAIRS), [], 4
    if kind == "E8M0":
        return [_SCALE_NAN] if filling.spread == "~" else list(_SCALES), [_SCALE_ONE], 32
    form = FORMATS[kind]
    named = _named(form)
    finite = [code for name, code in named.items() if name[1:] not in ("inf", "q", "s", "t")]
    special = (
        [*nans.nan_codes(form), *nans.infinities(form), named["+0"], named["-0"]]
        if filling.spread == "~"
        else finite
    )
    return special, [named["+1"], named["-1"]], form.bits


def _mixed(counters: np.ndarray) -> np.ndarray:
    """Bits that look random, of 64-bit counters."""
    bits = counters * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ bits >> np.uint64(shift)) * np.uint64(factor)
    return bits ^ bits >> np.uint64(31)


def _spread(filling: Filling, number: int) -> tuple[np.ndarray, int]:
    """Codes by (lane, place), with special ones here and there, and the bits of each."""
    special, ordinary, bits = _choices(filling)
    count = filling.count * 32 // bits
    draws = _mixed(
        np.arange(64 * count, dtype=np.uint64).reshape(64, count) + np.uint64((number + 1) << 32)
    )
    draws = draws[np.arange(64) % filling.period]
    low, high = draws & np.uint64(0xFFFFFFFF), draws >> np.uint64(32)
    codes = np.array(special, dtype=np.uint64)[low % np.uint64(len(special))]
    if ordinary:
        usual = np.array(ordinary, dtype=np.uint64)[low % np.uint64(len(ordinary))]
        codes = np.where(high % np.uint64(filling.share) == 0, codes, usual)
    return codes, bits


def _met(filling: Filling, number: int) -> tuple[np.ndarray, int]:
    """Codes by (lane, place) as the table of meetings has them, and the bits of each."""
    if filling.kind in _BITS:
        bits = int(filling.kind[1:])
        column = np.array(_BITS[filling.kind], dtype=np.uint64)
        rows = np.arange(64)[:, None] + 7 * np.arange(filling.count * 32 // bits) + 3 * number
    else:
        form = FORMATS[filling.kind]
        bits = form.bits
        column = np.array([_named(form)[row[number % 3]] for row in MEETINGS], dtype=np.uint64)
        rows = np.arange(64)[:, None] + 7 * np.arange(filling.count * 32 // bits)
    return column[rows % len(column)], bits


@cache
def words(filling: Filling, number: int) -> np.ndarray:
    """The 32-bit words of a case's operand `number`, by (word, lane)."""
    codes, bits = (_spread if filling.spread or filling.kind == "PAIRS" else _met)(filling, number)
    values = [sum(int(code) << bits * place for place, code in enumerate(row)) for row in codes]
    return np.array(
        [[value >> 32 * word & 0xFFFFFFFF for value in values] for word in range(filling.count)],
        dtype=np.uint32,
    )
