# SPDX-License-Identifier: MIT
"""Operands of any width in the rows of a wave's vector registers."""

from __future__ import annotations

from probe import State


def write_rows(state: State, first: int, bits: int, values: list[int]) -> None:
    """One value for each lane."""
    for place in range((bits + 31) // 32):
        row = [value >> 32 * place & 0xFFFFFFFF for value in values]
        if bits < 32:
            # What lies above a short operand is not zero.
            row = [
                int(old) & ~((1 << bits) - 1) & 0xFFFFFFFF | new
                for old, new in zip(state.v[first], row, strict=False)
            ]
        state.v[first + place] = row


def read_rows(state: State, first: int, bits: int, lane: int) -> int:
    """The value of one lane."""
    value: int = state.v.item(first, lane)
    for place in range(1, (bits + 31) // 32):
        value |= state.v.item(first + place, lane) << 32 * place
    return value


def write_row(state: State, first: int, bits: int, lane: int, value: int) -> None:
    """Sets the value of one lane."""
    for place in range((bits + 31) // 32):
        state.v[first + place, lane] = value >> 32 * place & 0xFFFFFFFF
