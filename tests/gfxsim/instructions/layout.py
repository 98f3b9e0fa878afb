# SPDX-License-Identifier: MIT
"""Which registers the tests use for what. No two overlap, and operands of up to 1024 bits fit."""

from __future__ import annotations

VECTOR_SOURCES = (4, 40, 80)
VECTOR_RESULT = 120
SCALAR_SOURCES = (8, 16, 24)
SCALAR_RESULT = 40
SCALAR_CARRY = 60  # where a vector instruction puts its mask
SCALAR_MASK = 64  # from where it takes one


def registers(letter: str, first: int, bits: int) -> str:
    """ "v4", or "v[4:5]" for more than 32 bits."""
    count = (bits + 31) // 32
    return f"{letter}{first}" if count == 1 else f"{letter}[{first}:{first + count - 1}]"
