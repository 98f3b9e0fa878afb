# SPDX-License-Identifier: MIT
"""Rules about storing C."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.geometry import shuffle_shape
from ckgen.gemm.spec import Epilogue, GemmSpec


def _cshuffle_group(spec: GemmSpec, target: Target) -> str | None:
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


def _cshuffle_cover(spec: GemmSpec, target: Target) -> str | None:
    if spec.epilogue is not Epilogue.CSHUFFLE:
        return None
    shape = shuffle_shape(spec, target)
    if spec.tile.m % shape.group_wanted:
        return f"tile {spec.tile} is not a multiple of {shape.group_wanted} along m"
    return shape.grid.complaint()


EPILOGUE_RULES: tuple[Rule, ...] = (
    Rule(
        "gemm.cshuffle_group",
        "The cshuffle epilogue stores groups of warp tiles along m, as many as make a vector of 16 "
        "bytes a lane; a group that a wave does not fill gives wrong results.",
        ("tile", "epilogue"),
        _cshuffle_group,
    ),
    Rule(
        "gemm.cshuffle_cover",
        "The threads must cover what the cshuffle epilogue stores at once evenly, 16 bytes each.",
        ("epilogue", "tile", "waves", "warp_tile"),
        _cshuffle_cover,
    ),
)
