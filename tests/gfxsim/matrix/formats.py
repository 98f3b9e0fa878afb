# SPDX-License-Identifier: MIT
"""Element formats of matrix instructions: which number a code stands for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np


@dataclass(frozen=True)
class Format:
    """A number format. `special`: what the highest exponent ("ieee", "last is nan") or the negative
    zero ("fnuz") means.
    """

    name: str
    bits: int
    exponent: int = 0
    bias: int = 0
    special: str = ""
    signed: bool = True

    @property
    def is_integer(self) -> bool:
        return self.exponent == 0

    def decode(self, code: int) -> float:
        """The number that a code stands for."""
        sign_bit = 1 << self.bits - 1
        if self.is_integer:
            return code - 2 * sign_bit if self.signed and code & sign_bit else code
        mantissa_bits = self.bits - 1 - self.exponent
        magnitude, sign = code & sign_bit - 1, -1.0 if code & sign_bit else 1.0
        exponent, mantissa = magnitude >> mantissa_bits, magnitude & (1 << mantissa_bits) - 1
        top = exponent == (1 << self.exponent) - 1
        if (self.special == "fnuz" and code == sign_bit) or (
            self.special == "last is nan" and magnitude == sign_bit - 1
        ):
            return np.nan
        if self.special == "ieee" and top:
            return np.nan if mantissa else sign * np.inf
        if exponent == 0:
            return sign * mantissa * 2.0 ** (1 - self.bias - mantissa_bits)
        return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - self.bias)

    def values(self, codes: np.ndarray) -> np.ndarray:
        """The numbers of an array of codes."""
        if self.bits > 16:
            return (
                codes.astype(np.uint32 if self.bits == 32 else np.uint64)
                .view(f"f{self.bits // 8}")
                .astype(np.float64)
            )
        found: np.ndarray = numbers(self)[codes]
        return found

    def encode(self, value: float) -> int:
        """The code of a number that the format has."""
        if self.bits > 16:
            return int(np.array(value, dtype=f"f{self.bits // 8}").view(f"u{self.bits // 8}"))
        return int(np.flatnonzero(numbers(self) == value)[0])


@cache
def numbers(form: Format) -> np.ndarray:
    """The number of each code of a format of at most 16 bits."""
    kind = np.int64 if form.is_integer else np.float64
    return np.array([form.decode(code) for code in range(1 << form.bits)], dtype=kind)


F64 = Format("f64", 64, 11, 1023, "ieee")
F32 = Format("f32", 32, 8, 127, "ieee")
XF32 = Format("xf32", 32, 8, 127, "ieee")
F16 = Format("f16", 16, 5, 15, "ieee")
BF16 = Format("bf16", 16, 8, 127, "ieee")
FP8 = Format("fp8", 8, 4, 7, "last is nan")
BF8 = Format("bf8", 8, 5, 15, "ieee")
FP8_FNUZ = Format("fp8", 8, 4, 8, "fnuz")
BF8_FNUZ = Format("bf8", 8, 5, 16, "fnuz")
FP6 = Format("fp6", 6, 2, 1)
BF6 = Format("bf6", 6, 3, 3)
FP4 = Format("fp4", 4, 2, 1)
I32 = Format("i32", 32)
I8 = Format("i8", 8)
U8 = Format("u8", 8, signed=False)
I4 = Format("i4", 4)
U4 = Format("u4", 4, signed=False)


@cache
def simple_codes(form: Format) -> tuple[int, ...]:
    """Codes of numbers with sums of products that every accumulator has exactly: halves up to 4, or
    any integers.
    """
    if form.is_integer:
        return tuple(range(1 << form.bits))
    if form.bits > 16:
        return tuple(form.encode(half / 2) for half in range(-8, 9))
    found = numbers(form)
    small = np.flatnonzero(np.abs(found) <= 4)
    return tuple(map(int, small[found[small] * 2 % 1 == 0]))


def random_codes(rng: np.random.Generator, form: Format, shape: tuple[int, ...]) -> np.ndarray:
    """Codes of simple numbers."""
    return rng.choice(np.array(simple_codes(form), dtype=np.uint64), size=shape)
