# SPDX-License-Identifier: MIT
"""Rules about how tile, waves and warp tile fit together."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rule
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.product.spec import ProductSpec

MINIMUM_TILE = Dim3(16, 16, 8)
MAX_THREADS = 1024
"""What HIP allows in one workgroup."""


def _block_size(spec: ProductSpec, target: Target) -> str | None:
    threads = spec.tiling.threads(target.gpu.wave_size)
    if threads <= MAX_THREADS:
        return None
    return (
        f"waves {spec.waves} of {target.gpu.wave_size} lanes are {threads} threads, "
        f"more than {MAX_THREADS}"
    )


def _tile_minimum(spec: ProductSpec, target: Target) -> str | None:
    if all(extent >= least for extent, least in zip(spec.tile, MINIMUM_TILE)):
        return None
    return f"tile {spec.tile} is smaller than {MINIMUM_TILE}"


def _tile_divisible(spec: ProductSpec, target: Target) -> str | None:
    covered = spec.tiling.coverage
    if not any(extent % part for extent, part in zip(spec.tile, covered)):
        return None
    return (
        f"tile {spec.tile} is not a multiple of {covered}, which waves {spec.waves} "
        f"with warp tile {spec.warp_tile} cover"
    )


def _tile_k_power_of_two(spec: ProductSpec, target: Target) -> str | None:
    k = spec.tile.k
    if k & (k - 1) == 0:
        return None
    return f"tile {spec.tile} has k {k}, which is not a power of two"


SHAPE_RULES: tuple[Rule, ...] = (
    Rule(
        "block_size",
        f"A workgroup must not have more than {MAX_THREADS} threads.",
        ("waves",),
        _block_size,
    ),
    Rule(
        "tile_minimum",
        f"The tile must be at least {MINIMUM_TILE}.",
        ("tile",),
        _tile_minimum,
        Purpose.SPEED,
    ),
    Rule(
        "tile_divisible",
        "The tile must be a multiple of what its waves cover with a warp tile each.",
        ("tile", "warp_tile", "waves"),
        _tile_divisible,
    ),
    Rule(
        "tile_k_power_of_two",
        "The tile's k must be a power of two: CK swizzles LDS by exclusive or, which otherwise "
        "leaves the row.",
        ("tile",),
        _tile_k_power_of_two,
    ),
)
