# SPDX-License-Identifier: MIT
"""Where the elements of a matrix lie in a wave's registers, as the instruction sets' manuals say.

A layout gives, for an element's block, its place along the edge and its place along k, a lane and a
number of the element in that lane: of one element, or of arrays of them. Elements of a lane follow
each other without gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# (block, along, k) -> (lane, element)
Layout = Callable[[Any, Any, Any], tuple[Any, Any]]


def mfma_input(along: int, depth: int, blocks: int) -> Layout:
    """A or B of gfx9: a lane has neighbours along k."""
    per_lane = depth * along * blocks // 64
    return lambda b, i, k: (i + along * (b + blocks * (k // per_lane)), k % per_lane)


def mfma_halves(along: int, depth: int, part: int) -> Layout:
    """A or B of gfx950 in eight registers (A of sparse matrices: four): first one half of the
    matrix, then the other.
    """
    groups = 64 // along
    return lambda _, i, k: (
        i + along * (k // part % groups),
        k // (part * groups) * part + k % part,
    )


def mfma_output(rows: int, columns: int, double: bool = False) -> Layout:
    """C or D of gfx9, by (block, row, column)."""
    height = 1 if double else 4
    blocks_at_once = max(1, 64 * height // (rows * columns))
    rows_at_once = 64 // columns // blocks_at_once
    groups = rows // (height * rows_at_once)

    def place(b: Any, i: Any, j: Any) -> tuple[Any, Any]:
        # Of f64 in 4x4 blocks a register has row after row, and in each row block after block.
        lane = j + columns * (b % blocks_at_once + blocks_at_once * (i // height % rows_at_once))
        return lane, i % height + height * (
            i // (height * rows_at_once) + groups * (b // blocks_at_once)
        )

    return place


def wmma_output(generation: str, wave: int) -> Layout:
    """C or D of gfx11 and gfx12, by (block, row, column)."""
    if generation == "gfx11":
        return lambda _, i, j: (16 * (i % (wave // 16)) + j, i // (wave // 16))
    if wave == 32:
        return lambda _, i, j: (16 * (i // 8) + j, i % 8)
    return lambda _, i, j: (32 * (i // 4 % 2) + 16 * (i // 8) + j, i % 4)


def wmma_input(generation: str, wave: int, bits: int, depth: int) -> Layout:
    """A or B of a dense instruction of gfx11 (the first copy) or gfx12."""
    if generation == "gfx11":
        return lambda _, i, k: (i, k)
    if bits == 16:
        if wave == 32:
            return lambda _, i, k: (16 * (k // 4 % 2) + i, 4 * (k // 8) + k % 4)
        return lambda _, i, k: (16 * (k // 4) + i, k % 4)
    if wave == 32 or (bits == 4 and depth == 16):
        return lambda _, i, k: (16 * (k // (depth // 2)) + i, k % (depth // 2))
    quarter = depth // 4
    return lambda _, i, k: (32 * (k // quarter % 2) + 16 * (k // (2 * quarter)) + i, k % quarter)


def swmmac_a(wave: int, bits: int, depth: int) -> Layout:
    """A of a sparse instruction of gfx12 by the place along k of stored elements, two for every
    four of the matrix.
    """
    if bits == 16:
        if wave == 32:
            return lambda _, i, s: (16 * (s // 4 % 2) + i, 4 * (s // 8) + s % 4)
        return lambda _, i, s: (16 * (s // 4) + i, s % 4)
    if wave == 32 or (bits == 4 and depth == 32):
        return lambda _, i, s: (16 * (s // (depth // 4)) + i, s % (depth // 4))
    part = depth // 8
    return lambda _, i, s: (32 * (s // part % 2) + 16 * (s // (2 * part)) + i, s % part)


def swmmac_b(wave: int, bits: int, depth: int) -> Layout:
    """B of a sparse instruction of gfx12."""
    if bits == 16:
        if wave == 32:
            return lambda _, j, k: (16 * (k // 8 % 2) + j, 8 * (k // 16) + k % 8)
        return lambda _, j, k: (16 * (k // 8) + j, k % 8)
    if wave == 32:
        return lambda _, j, k: (16 * (k // (depth // 2)) + j, k % (depth // 2))
    part = depth // 4
    return lambda _, j, k: (32 * (k // part % 2) + 16 * (k // (2 * part)) + j, k % part)


def positions(layout: Layout, shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The lane of every element of a matrix, and its number there."""
    lane, element = layout(*np.indices(tuple(shape)))
    return lane, element


def pack(layout: Layout, codes: np.ndarray, bits: int, registers: int) -> np.ndarray:
    """Codes by (block, along, k) as registers of 64 lanes; `bits` is the distance between elements
    of a lane.
    """
    lane, element = positions(layout, codes.shape)
    each = np.arange(bits, dtype=np.uint64)
    lanes = np.zeros((64, 32 * registers), dtype=np.uint8)
    ones = codes[..., None].astype(np.uint64) >> each & np.uint64(1)
    lanes[lane[..., None], element[..., None] * bits + each.astype(int)] = ones
    packed: np.ndarray = np.packbits(lanes, axis=1, bitorder="little").view("<u4").T
    return packed


def unpack(layout: Layout, registers: np.ndarray, shape: Sequence[int], bits: int) -> np.ndarray:
    """The codes of a matrix by (block, along, k), or of an accumulator by (block, row, column): the
    reverse of pack.
    """
    lane, element = positions(layout, shape)
    each = np.arange(bits)
    words = np.ascontiguousarray(registers.T, dtype="<u4")
    lanes = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    found = lanes[lane[..., None], element[..., None] * bits + each].astype(np.uint64)
    codes: np.ndarray = (found << each.astype(np.uint64)).sum(axis=-1, dtype=np.uint64)
    return codes
