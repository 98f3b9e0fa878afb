# SPDX-License-Identifier: MIT
"""The extents of tiles by their names, and what follows from them."""

from __future__ import annotations

from typing import NamedTuple

from ckgen.fmha.spec import FmhaSpec, Variant


class AttendingTile(NamedTuple):
    """Of the products q k' and p v: rows of q, keys, and the depths and columns of both."""

    bm0: int
    bn0: int
    bk0: int
    bn1: int
    bk1: int
    bk0max: int


class BackwardTile(NamedTuple):
    """Rows of q, keys, and the depths of the five products."""

    bm0: int
    bn0: int
    bk0: int
    bk1: int
    bk2: int
    bk3: int
    bk4: int


class Product(NamedTuple):
    """One product of a backward kernel: what a workgroup computes, and how waves and instructions
    divide it.
    """

    name: str
    extents: tuple[int, int, int]
    waves: tuple[int, ...]
    warp_tile: tuple[int, ...]


def lengths(variant: Variant) -> dict[str, int]:
    """How many numbers the rows of a spec have."""
    if variant is Variant.DQ_DK_DV:
        return {"tile": 7, "waves": 9, "warp_tile": 6, "pads": 4}
    if variant in (Variant.FWD, Variant.SPLITKV, Variant.PAGEDKV, Variant.BATCH_PREFILL):
        return {"tile": 6, "waves": 3, "warp_tile": 3, "pads": 4}
    return {
        "tile": 2 if variant in (Variant.APPENDKV, Variant.CONVERT_DQ) else 1,
        "waves": 1,
        "warp_tile": 0,
        "pads": 4,
    }


def attending_tile(spec: FmhaSpec) -> AttendingTile | None:
    """The tile of a kernel that multiplies q, k and v, unless it is none."""
    if not spec.attends or len(spec.tile) != 6 or min(spec.tile) < 1:
        return None
    return AttendingTile(*spec.tile)


def backward_tile(spec: FmhaSpec) -> BackwardTile | None:
    """The tile of a kernel that computes gradients, unless it is none."""
    if spec.variant is not Variant.DQ_DK_DV or len(spec.tile) != 7 or min(spec.tile) < 1:
        return None
    return BackwardTile(*spec.tile)


def triple(row: tuple[int, ...], index: int = 0) -> tuple[int, int, int] | None:
    """Three positive numbers of a row of triples, or None if it does not have them."""
    part = row[3 * index : 3 * index + 3]
    return (part[0], part[1], part[2]) if len(part) == 3 and min(part) > 0 else None


def products(spec: FmhaSpec) -> tuple[Product, ...]:
    """The products of a backward kernel, or none if its rows are not complete."""
    tile = backward_tile(spec)
    waves = [triple(spec.waves, index) for index in range(3)]
    warps = [triple(spec.warp_tile, index) for index in range(2)]
    if tile is None or None in waves or None in warps:
        return ()
    by_keys, by_heads, of_dq = (one or (1, 1, 1) for one in waves)
    scores, sums = (one or (1, 1, 1) for one in warps)
    last = (scores[0], scores[1], min(scores[2], tile.bk4))
    return (
        Product("q k'", (tile.bm0, tile.bn0, tile.bk0), by_keys, scores),
        Product("p' do", (tile.bn0, spec.hdim_v, tile.bk1), by_heads, sums),
        Product("do v'", (tile.bm0, tile.bn0, tile.bk2), by_keys, scores),
        Product("ds' q", (tile.bn0, spec.hdim_q, tile.bk3), by_heads, sums),
        Product("ds k", (tile.bm0, spec.hdim_q, tile.bk4), of_dq, last),
    )


def lanes(spec: FmhaSpec, wave_size: int) -> int:
    """Lanes of a workgroup."""
    counted = (
        wave_size if spec.attends or spec.variant in (Variant.DQ_DK_DV, Variant.COMBINE) else 64
    )
    return spec.wave_count * counted
