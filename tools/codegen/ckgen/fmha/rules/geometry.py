# SPDX-License-Identifier: MIT
"""Rules about tiles, waves and warp tiles, whatever the GPU."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.fmha.geometry import attending_tile, backward_tile, lengths, products, triple
from ckgen.fmha.spec import FmhaSpec, Pipeline, Variant
from ckgen.fmha.tilings import tilings_of, tilings_on

GEOMETRY_RULES = Rules("fmha")

_TILING = ("tile", "waves", "warp_tile")


@GEOMETRY_RULES.rule(
    "tile, waves, warp_tile and pads have as many numbers as the variant needs.",
    (*_TILING, "pads"),
    Purpose.MEANING,
)
def extents_complete(spec: FmhaSpec, target: Target) -> str | None:
    for field, number in lengths(spec.variant).items():
        row = getattr(spec, field)
        if len(row) != number:
            return f"{field} of {spec.variant} has {number} numbers, not {len(row)}"
    return None


@GEOMETRY_RULES.rule(
    "Extents are positive; the columns of convert_dq are 0 where it adds nothing up.", _TILING
)
def extents_positive(spec: FmhaSpec, target: Target) -> str | None:
    for field in _TILING:
        row = getattr(spec, field)
        checked = row[:1] if field == "tile" and spec.variant is Variant.CONVERT_DQ else row
        if min(checked, default=1) < 1:
            return f"{field} {row} has an extent of 0"
    return None


@GEOMETRY_RULES.rule(
    "Kernels without matrix products have the one tile and number of waves that they "
    "are written for.",
    ("tile", "waves"),
)
def fixed_tile(spec: FmhaSpec, target: Target) -> str | None:
    if spec.attends or spec.variant is Variant.DQ_DK_DV or not spec.tile or not spec.waves:
        return None
    have = tilings_of(spec.variant, spec.dtype, spec.hdim_q, spec.hdim_v)
    if not have or any(one.tile[0] == spec.tile[0] and one.waves == spec.waves for one in have):
        return None
    return (
        f"{spec.variant} is written for tile {have[0].tile} and waves {have[0].waves}, not "
        f"{spec.tile} and {spec.waves}"
    )


@GEOMETRY_RULES.rule("appendkv takes 64 rows of q and 64 keys at a time.", ("tile",))
def append_tile(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is not Variant.APPENDKV or len(spec.tile) != 2 or spec.tile == (64, 64):
        return None
    return f"appendkv is written for tile 64x64, not {spec.tile}"


@GEOMETRY_RULES.rule(
    "convert_dq adds up slices of as many columns as dq_dk_dv made them of where it is "
    "deterministic, and else has no columns.",
    ("tile", "deterministic"),
)
def converted_columns(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is not Variant.CONVERT_DQ or len(spec.tile) != 2:
        return None
    columns = spec.tile[1]
    if not spec.deterministic:
        return (
            f"convert_dq that is not deterministic has no slices of {columns} columns"
            if columns
            else None
        )
    backward = tilings_on(target.gpu, Variant.DQ_DK_DV, spec.dtype, spec.hdim_q, spec.hdim_v)
    have = sorted({one.tile[1] for one in backward if Pipeline.QR_TRLOAD not in one.pipelines})
    if not have or columns in have:
        return None
    return (
        f"dq_dk_dv of head size {spec.hdim_q} makes slices of {' or '.join(map(str, have))} "
        f"columns, not {columns}"
    )


@GEOMETRY_RULES.rule(
    "The tile covers the head sizes: all of hdim_q is bk0max, all of hdim_v bn1.",
    ("tile", "hdim_q", "hdim_v"),
)
def tile_covers_heads(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    if tile is None:
        return None
    if tile.bk0max < spec.hdim_q:
        return f"bk0max {tile.bk0max} is less than hdim_q {spec.hdim_q}"
    return f"bn1 {tile.bn1} is less than hdim_v {spec.hdim_v}" if tile.bn1 < spec.hdim_v else None


@GEOMETRY_RULES.rule(
    "A pipeline can hold rows of 48, 96, 160 or 192 elements of q, or of a power of two up to 256.",
    ("tile",),
)
def qualified_depth(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    if tile is None:
        return None
    depth = tile.bk0max
    if depth in (48, 96, 160, 192) or (depth <= 256 and depth & (depth - 1) == 0):
        return None
    return f"bk0max {depth} is neither 48, 96, 160 or 192 nor a power of two up to 256"


@GEOMETRY_RULES.rule(
    "bk0 divides bk0max, and bk1 divides bn0: both products take whole steps.", ("tile",)
)
def whole_steps(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    if tile is None:
        return None
    if tile.bk0max % tile.bk0:
        return f"bk0 {tile.bk0} does not divide bk0max {tile.bk0max}"
    return f"bk1 {tile.bk1} does not divide bn0 {tile.bn0}" if tile.bn0 % tile.bk1 else None


@GEOMETRY_RULES.rule(
    "qr takes q k' in at least two steps, of which one is loaded while the other is multiplied.",
    ("tile", "pipeline"),
)
def two_steps(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    if tile is None or spec.pipeline is not Pipeline.QR or tile.bk0max >= 2 * tile.bk0:
        return None
    return f"qr takes q k' in at least two steps, and bk0 {tile.bk0} is all of bk0max {tile.bk0max}"


@GEOMETRY_RULES.rule(
    "v3 takes each product in one step: bk0 is bk0max and bk1 is bn0.", ("tile", "pipeline")
)
def v3_steps(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    if (
        tile is None
        or spec.pipeline is not Pipeline.V3
        or (tile.bk0 == tile.bk0max and tile.bk1 == tile.bn0)
    ):
        return None
    return f"v3 takes each product in one step, and tile {spec.tile} has several"


@GEOMETRY_RULES.rule(
    "Waves of forward kernels lie one below the other: sums over a row never leave a wave.",
    ("waves",),
)
def waves_along_rows(spec: FmhaSpec, target: Target) -> str | None:
    waves = triple(spec.waves)
    if not spec.attends or waves is None or waves[1:] == (1, 1):
        return None
    return f"waves {spec.waves} divide the columns of a row"


@GEOMETRY_RULES.rule("v3 is for eight waves, in two groups that take turns.", ("waves", "pipeline"))
def v3_waves(spec: FmhaSpec, target: Target) -> str | None:
    waves = triple(spec.waves)
    if spec.pipeline is not Pipeline.V3 or waves is None or waves[0] == 8:
        return None
    return f"v3 is for 8 waves, not {waves[0]}"


@GEOMETRY_RULES.rule("The tile is a multiple of what waves cover with a warp tile each.", _TILING)
def tile_divisible(spec: FmhaSpec, target: Target) -> str | None:
    tile, waves, warp = attending_tile(spec), triple(spec.waves), triple(spec.warp_tile)
    if tile is None or waves is None or warp is None:
        return None
    parts = (
        ("bm0", tile.bm0, waves[0] * warp[0]),
        ("bn0", tile.bn0, waves[1] * warp[1]),
        ("bk0", tile.bk0, warp[2]),
        ("bn1", tile.bn1, waves[1] * warp[1]),
        ("bk1", tile.bk1, warp[2]),
    )
    for name, extent, part in parts:
        if extent % part:
            return (
                f"{name} {extent} is not a multiple of {part}, which waves {spec.waves} with "
                f"warp tile {spec.warp_tile} cover"
            )
    return None


@GEOMETRY_RULES.rule(
    "Backward takes head sizes in one step: bk0 is hdim_q, bk2 is hdim_v.",
    ("tile", "hdim_q", "hdim_v"),
)
def backward_depth(spec: FmhaSpec, target: Target) -> str | None:
    tile = backward_tile(spec)
    if tile is None or (tile.bk0 == spec.hdim_q and tile.bk2 == spec.hdim_v):
        return None
    return (
        f"bk0 {tile.bk0} and bk2 {tile.bk2} are not the head sizes {spec.hdim_q} and {spec.hdim_v}"
    )


@GEOMETRY_RULES.rule(
    "Backward sums over all rows of a tile at once: bk1 and bk3 are bm0.", ("tile",)
)
def backward_rows(spec: FmhaSpec, target: Target) -> str | None:
    tile = backward_tile(spec)
    if tile is None or tile.bm0 == tile.bk1 == tile.bk3:
        return None
    return f"bk1 {tile.bk1} and bk3 {tile.bk3} are not bm0 {tile.bm0}"


@GEOMETRY_RULES.rule(
    "The five products of backward share one workgroup: they have the same number of waves.",
    ("waves",),
)
def backward_waves(spec: FmhaSpec, target: Target) -> str | None:
    made = products(spec)
    numbers = {one.waves[0] * one.waves[1] * one.waves[2] for one in made}
    return f"waves {spec.waves} are not as many for each product" if len(numbers) > 1 else None


@GEOMETRY_RULES.rule(
    "Each product of backward is a multiple of what its waves cover with a warp tile each.", _TILING
)
def backward_divisible(spec: FmhaSpec, target: Target) -> str | None:
    for one in products(spec):
        covered = (
            one.waves[0] * one.warp_tile[0],
            one.waves[1] * one.warp_tile[1],
            one.warp_tile[2],
        )
        if any(extent % part for extent, part in zip(one.extents, covered, strict=False)):
            of = "x".join(map(str, one.extents))
            return (
                f"{one.name} of {of} is not a multiple of {'x'.join(map(str, covered))}, which "
                "its waves and warp tile cover"
            )
    return None


@GEOMETRY_RULES.rule("dq takes whole steps over the keys: bk4 divides bn0.", ("tile",))
def backward_steps(spec: FmhaSpec, target: Target) -> str | None:
    tile = backward_tile(spec)
    return (
        f"bk4 {tile.bk4} does not divide bn0 {tile.bn0}"
        if tile is not None and tile.bn0 % tile.bk4
        else None
    )


@GEOMETRY_RULES.rule("qr_trload is for one wave.", ("waves", "pipeline"))
def few_rows_waves(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.QR_TRLOAD or not spec.waves or max(spec.waves) == 1:
        return None
    return f"the pipeline qr_trload is for one wave, not {spec.waves}"
