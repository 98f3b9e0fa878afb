# SPDX-License-Identifier: MIT
"""Rules about how tile, waves and warp tile fit together."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.product.spec import ProductSpec

MINIMUM_TILE = Dim3(16, 16, 8)
MAX_THREADS = 1024
"""What HIP allows in one workgroup."""

SHAPE_RULES = Rules()


@SHAPE_RULES.rule(f"A workgroup must not have more than {MAX_THREADS} threads.", ("waves",))
def block_size(spec: ProductSpec, target: Target) -> str | None:
    threads = spec.tiling.threads(target.gpu.wave_size)
    if threads <= MAX_THREADS:
        return None
    return (
        f"waves {spec.waves} of {target.gpu.wave_size} lanes are {threads} threads, "
        f"more than {MAX_THREADS}"
    )


@SHAPE_RULES.rule(f"The tile must be at least {MINIMUM_TILE}.", ("tile",), Purpose.SPEED)
def tile_minimum(spec: ProductSpec, target: Target) -> str | None:
    if all(extent >= least for extent, least in zip(spec.tile, MINIMUM_TILE, strict=False)):
        return None
    return f"tile {spec.tile} is smaller than {MINIMUM_TILE}"


@SHAPE_RULES.rule(
    "The tile must be a multiple of what its waves cover with a warp tile each.",
    ("tile", "warp_tile", "waves"),
)
def tile_divisible(spec: ProductSpec, target: Target) -> str | None:
    covered = spec.tiling.coverage
    if not any(extent % part for extent, part in zip(spec.tile, covered, strict=False)):
        return None
    return (
        f"tile {spec.tile} is not a multiple of {covered}, which waves {spec.waves} "
        f"with warp tile {spec.warp_tile} cover"
    )


@SHAPE_RULES.rule(
    "The tile's k must be a power of two: CK swizzles LDS by exclusive or, which otherwise leaves "
    "the row.",
    ("tile",),
)
def tile_k_power_of_two(spec: ProductSpec, target: Target) -> str | None:
    k = spec.tile.k
    if k & (k - 1) == 0:
        return None
    return f"tile {spec.tile} has k {k}, which is not a power of two"
