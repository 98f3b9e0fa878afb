# SPDX-License-Identifier: MIT
"""Typed values of the pseudocode: bits with a kind and a width."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from pcode import floats
from pcode.floats import Format, Round

_FORMATS = {
    ("f", 16): floats.F16,
    ("f", 32): floats.F32,
    ("f", 64): floats.F64,
    ("bf", 16): floats.BF16,
    ("fp", 8): floats.FP8,
    ("bf", 8): floats.BF8,
    ("fp", 6): floats.FP6,
    ("bf", 6): floats.BF6,
    ("fp", 4): floats.FP4,
}


class Type:
    """A kind ("u", "i", "b" for plain bits, or a floating-point one) and a width in bits."""

    form: Format
    """Of a floating-point kind; the others have none."""

    def __init__(self, kind: str, width: int) -> None:
        self.kind = kind
        self.width = width
        self.mask = (1 << width) - 1
        self.top = 1 << (width - 1)
        self.is_float = (kind, width) in _FORMATS
        if self.is_float:
            self.form = _FORMATS[kind, width]
        self.is_signed = kind == "i"

    def __repr__(self) -> str:
        return f"{self.kind}{self.width}"


@cache
def type_of(kind: str, width: int) -> Type:
    """The one Type with that kind and width."""
    if width < 1:
        raise ValueError(f"there is no value of {width} bits")
    return Type(kind, width)


_NAME = re.compile(r"(u|i|b|f|bf|fp)([1-9]\d*)")


@cache
def named_type(name: str) -> Type | None:
    """The type called `name`, such as "u32", or None."""
    found = _NAME.fullmatch(name)
    return type_of(found[1], int(found[2])) if found else None


U1, U32, U64 = type_of("u", 1), type_of("u", 32), type_of("u", 64)
I32, I64 = type_of("i", 32), type_of("i", 64)
F16, F32, F64 = type_of("f", 16), type_of("f", 32), type_of("f", 64)


class Value(NamedTuple):
    """A pattern of bits, never negative, and how to read it."""

    bits: int
    type: Type

    @property
    def integer(self) -> int:
        """The number that an integer's bits stand for."""
        bits, kind = self
        return bits - (kind.top << 1) if kind.is_signed and bits & kind.top else bits

    @property
    def number(self) -> float:
        """The value of a floating-point pattern."""
        return floats.value(self.type.form, self.bits)


def integer(number: int, kind: Type) -> Value:
    """A number that wraps to fit its type."""
    return Value(number & kind.mask, kind)


def truth(condition: bool) -> Value:
    """One bit."""
    return Value(int(condition), U1)


def real(number: float, kind: Type) -> Value:
    """A float in a type."""
    return Value(floats.from_float(kind.form, number), kind)


def view(value: Value, kind: Type) -> Value:
    """`value.kind`: the same bits read as another type, extended as their own type says; floats
    change format.
    """
    bits, old = value
    if old is kind:
        return value
    if old.is_float and kind.is_float and old.width != kind.width:
        return Value(floats.convert(old.form, kind.form, bits, Round.NEAREST), kind)
    return Value((value.integer if old.is_signed else bits) & kind.mask, kind)


def cast(value: Value, kind: Type, mode: Round) -> Value:
    """`32'F(value)` and its like: the same number in another type. Plain bits stay as they are."""
    bits, old = value
    if old.is_float:
        if kind.is_float:
            return Value(floats.convert(old.form, kind.form, bits, mode), kind)
        return Value(bits & kind.mask, kind)
    if not kind.is_float or old.kind == "b":
        return view(value, kind)
    return Value(floats.from_integer(kind.form, value.integer, mode), kind)
