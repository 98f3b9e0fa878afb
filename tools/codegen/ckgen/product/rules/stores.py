# SPDX-License-Identifier: MIT
"""Rules about storing C, or adding to it."""

from __future__ import annotations

from ckgen.core.rules import Rules
from ckgen.core.target import Target
from ckgen.product.geometry import shuffle_shape, store_vector
from ckgen.product.spec import Epilogue, ProductSpec, SplitK

_SMALLEST_ADDITION = 4
"""Bytes."""

STORE_RULES = Rules()


@STORE_RULES.rule(
    "The cshuffle epilogue stores groups of warp tiles along m, as many as make a vector of 16 "
    "bytes a lane; a group that a wave does not fill gives wrong results.",
    ("tile", "epilogue"),
)
def cshuffle_group(spec: ProductSpec, target: Target) -> str | None:
    """Warp tiles of a few elements a lane are shuffled several at a time.

    CK's users know odd repeats of 32-wide warp tiles to be wrong. With the CK of today they are
    right, in all five that were drawn at random and in nine more: each fills a group by itself.
    Odd repeats of 16-wide ones leave half a group over, and all nine that were drawn were wrong.
    """
    if spec.epilogue is not Epilogue.CSHUFFLE:
        return None
    repeat, shape = spec.tiling.repeat, shuffle_shape(spec, target)
    if repeat.m % shape.group == 0:
        return None
    return (
        f"with tile {spec.tile} a wave repeats its warp tile {spec.warp_tile} {repeat.m} times "
        f"along m, and the cshuffle epilogue stores {shape.group} at a time"
    )


@STORE_RULES.rule(
    "The threads must cover what the cshuffle epilogue stores at once evenly, 16 bytes each.",
    ("epilogue", "tile", "waves", "warp_tile"),
)
def cshuffle_cover(spec: ProductSpec, target: Target) -> str | None:
    if spec.epilogue is not Epilogue.CSHUFFLE:
        return None
    shape = shuffle_shape(spec, target)
    if spec.tile.m % shape.group_wanted:
        return f"tile {spec.tile} is not a multiple of {shape.group_wanted} along m"
    return shape.grid.complaint()


@STORE_RULES.rule(
    "A kernel with atomic split_k adds its part of C in memory. Where the GPU has no atomic "
    "instruction for C's dtype that stays within a buffer, m must not be padded: CK's other ways "
    "write beyond C where it is not a multiple of the tile.",
    ("dtype_c", "split_k", "pad_m"),
)
def split_k_atomic(spec: ProductSpec, target: Target) -> str | None:
    offered = target.gpu.buffer_atomic_adds
    if spec.split_k is not SplitK.ATOMIC or spec.dtype_c in offered or not spec.pad_m:
        return None
    but = f", only {', '.join(offered)}" if offered else ""
    return (
        f"{target.name} cannot add {spec.dtype_c} to C in one bounds-checked step{but}, and m is "
        "padded"
    )


@STORE_RULES.rule(
    "A kernel with atomic split_k and a small C must store pairs of neighbours, or four of 8 bits, "
    "because there is no atomic addition of fewer bytes than four; CK compiles to nothing "
    "otherwise.",
    ("epilogue", "dtype_c", "split_k"),
)
def split_k_pairs(spec: ProductSpec, target: Target) -> str | None:
    if spec.split_k is not SplitK.ATOMIC:
        return None
    size = int(target.arch.dtype(spec.dtype_c).bytes)
    if store_vector(spec, target) * size % _SMALLEST_ADDITION == 0:
        return None
    together = "in pairs" if 2 * size == _SMALLEST_ADDITION else "in fours"
    return (
        f"{spec.dtype_c} is added to C {together}, and the {spec.epilogue} epilogue "
        f"hands over {store_vector(spec, target)} at a time"
    )
