# SPDX-License-Identifier: MIT
"""Rules about storing C."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.geometry import shuffle_shape
from ckgen.gemm.spec import Epilogue, GemmSpec


def _cshuffle_odd_repeat(spec: GemmSpec, target: Target) -> str | None:
    if spec.epilogue is not Epilogue.CSHUFFLE:
        return None
    repeat = spec.tiling.repeat
    shape = shuffle_shape(spec, target)
    odd_m, odd_n = (value > 1 and value % 2 == 1 for value in (repeat.m, repeat.n))
    wide = 32 in (spec.warp_tile.m, spec.warp_tile.n)
    if not (wide and (odd_m or odd_n)) and repeat.m % shape.group == 0:
        return None
    return (
        f"with tile {spec.tile} a wave repeats its warp tile {spec.warp_tile} "
        f"{repeat.m}x{repeat.n} times, and the cshuffle epilogue mixes up odd repeats"
    )


def _cshuffle_cover(spec: GemmSpec, target: Target) -> str | None:
    if spec.epilogue is not Epilogue.CSHUFFLE:
        return None
    shape = shuffle_shape(spec, target)
    if spec.tile.m % shape.group_wanted:
        return f"tile {spec.tile} is not a multiple of {shape.group_wanted} along m"
    return shape.grid.complaint()


def _byte_store(spec: GemmSpec, target: Target) -> str | None:
    """CK has no store of one byte.

    Seen with fp8 x fp8 to bf8 64x64x64 on gfx942, compv3: «static assertion failed due to
    requirement sizeof(thread_buffer<unsigned _BitInt(8), 1>) == 4» in amd_buffer_store_impl.
    """
    if spec.epilogue is Epilogue.CSHUFFLE or target.arch.dtype(spec.dtype_stored).bytes > 1:
        return None
    return (
        f"the {spec.epilogue} epilogue stores single elements, and CK cannot store a single "
        f"{spec.dtype_c}"
    )


EPILOGUE_RULES: tuple[Rule, ...] = (
    Rule(
        "gemm.cshuffle_odd_repeat",
        "With the cshuffle epilogue a wave must not repeat a 32-wide warp tile an odd number of "
        "times beyond one, nor leave part of a shuffle group over: both give wrong results.",
        ("tile", "epilogue"),
        _cshuffle_odd_repeat,
    ),
    Rule(
        "gemm.cshuffle_cover",
        "The threads must cover what the cshuffle epilogue stores at once evenly, 16 bytes each.",
        ("epilogue", "tile", "waves", "warp_tile"),
        _cshuffle_cover,
    ),
    Rule(
        "gemm.byte_store",
        "A C of 8-bit elements needs the cshuffle epilogue, which stores 16 of them at once: CK "
        "has no store of one byte.",
        ("epilogue", "dtype_c"),
        _byte_store,
    ),
)
