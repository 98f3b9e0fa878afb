# SPDX-License-Identifier: MIT
"""Rules about what a GPU has: instructions, LDS, registers and waves."""

from __future__ import annotations

from ckarch.model import AgprKind

from ckgen.core.rules import Rules
from ckgen.core.target import Target
from ckgen.fmha.geometry import attending_tile, backward_tile, lanes, triple
from ckgen.fmha.spec import FmhaSpec, Pipeline, Variant

HARDWARE_RULES = Rules("fmha")

_TILING = ("tile", "waves", "warp_tile")
_MOST_LANES = 1024
_ASYNC_BUFFERS = 3
_INTERLEAVED = 8
"""Products that the schedule of qr at head size 256 interleaves with reads."""


def _key(spec: FmhaSpec) -> str:
    return f"{spec.dtype.operand}_{spec.dtype.operand}_fp32"


def _bytes(spec: FmhaSpec, target: Target) -> int:
    return int(target.arch.dtype(spec.dtype.operand).bytes)


@HARDWARE_RULES.rule("The GPU multiplies the dtype in each warp tile.", ("warp_tile",))
def warp_tile_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    have = target.gpu.warp_tiles.get(_key(spec), ())
    for index in range(len(spec.warp_tile) // 3):
        warp = triple(spec.warp_tile, index)
        if warp is not None and warp not in have:
            listed = ", ".join("x".join(map(str, one)) for one in have)
            return (
                f"{target.name} has no warp tile {'x'.join(map(str, warp))} for {spec.dtype}, "
                f"only {listed or 'none'}"
            )
    return None


@HARDWARE_RULES.rule(
    "Warp tile 16x16x32 of 16-bit forward kernels needs an instruction of its own: of two of depth "
    "16 the wrong keys meet, because P comes from registers.",
    ("warp_tile", "tile"),
)
def deep_warp_tile(spec: FmhaSpec, target: Target) -> str | None:
    if (
        not spec.attends
        or spec.dtype.is_fp8
        or spec.warp_tile != (16, 16, 32)
        or target.gpu.lds_transposing_loads
    ):
        return None
    return (
        f"{target.name} multiplies 16x16x32 by two instructions, "
        "for which P lies in the wrong order"
    )


@HARDWARE_RULES.rule(
    "fp8 of forward kernels on matrix cores takes warp tile 32x32x32, "
    "which CK's order of P is made for.",
    ("warp_tile", "tile"),
)
def fp8_warp_tile(spec: FmhaSpec, target: Target) -> str | None:
    if not spec.attends or not spec.dtype.is_fp8 or target.gpu.matrix_isa != "mfma":
        return None
    if triple(spec.warp_tile) is None or spec.warp_tile == (32, 32, 32):
        return None
    return f"fp8 on {target.name} takes warp tile 32x32x32, not {spec.warp_tile}"


@HARDWARE_RULES.rule("A workgroup has at most 1024 lanes.", ("waves",))
def block_size(spec: FmhaSpec, target: Target) -> str | None:
    number = lanes(spec, target.gpu.wave_size)
    return (
        f"waves {spec.waves} are {number} lanes, more than {_MOST_LANES}"
        if number > _MOST_LANES
        else None
    )


@HARDWARE_RULES.rule(
    "Each lane of qr_async loads whole vectors of K straight to LDS, the same number of them.",
    ("tile", "waves", "pipeline"),
)
def async_vectors(spec: FmhaSpec, target: Target) -> str | None:
    tile, waves = attending_tile(spec), triple(spec.waves)
    if tile is None or waves is None or spec.pipeline is not Pipeline.QR_ASYNC:
        return None
    vector = (16 if target.gpu.lds_transposing_loads else 4) // _bytes(spec, target)
    moved = lanes(spec, target.gpu.wave_size) * vector
    if tile.bn0 * tile.bk0 % moved == 0:
        return None
    return (
        f"K of {tile.bn0}x{tile.bk0} is not a multiple of the {moved} elements that "
        f"{target.name} moves to LDS at a time"
    )


@HARDWARE_RULES.rule(
    "The schedule of qr with all of 256 elements of q interleaves matrix instructions by eights.",
    ("tile", "warp_tile"),
)
def wide_schedule(spec: FmhaSpec, target: Target) -> str | None:
    tile, waves, warp = attending_tile(spec), triple(spec.waves), triple(spec.warp_tile)
    if tile is None or waves is None or warp is None:
        return None
    if spec.pipeline is not Pipeline.QR or tile.bk0max != 256 or target.gpu.wave_size != 64:
        return None
    number = (
        (tile.bm0 // warp[0])
        * (tile.bn0 // warp[1])
        * (tile.bk0 // _depth(spec, warp, target))
        // waves[0]
    )
    if number % _INTERLEAVED == 0:
        return None
    return (
        f"a wave has {number} matrix instructions in a step, which is no multiple of {_INTERLEAVED}"
    )


def _depth(spec: FmhaSpec, warp: tuple[int, int, int], target: Target) -> int:
    """Of the instruction that a warp tile is made of: the least that there is, but on GPUs with
    deeper ones for 16 bits.
    """
    if not spec.dtype.is_fp8 and target.gpu.lds_transposing_loads:
        return warp[2]
    return min(
        (k for m, n, k in target.gpu.warp_tiles.get(_key(spec), ()) if (m, n) == warp[:2]),
        default=warp[2],
    )


@HARDWARE_RULES.rule(
    "Tiles of K and V fit the LDS that a workgroup may use, those of qr_async three times.", _TILING
)
def lds_size(spec: FmhaSpec, target: Target) -> str | None:
    needed = lds_bytes(spec, target)
    if needed <= target.gpu.lds_bytes:
        return None
    return (
        f"it needs {needed} bytes of LDS, and a workgroup of {target.name} may use "
        f"{target.gpu.lds_bytes}"
    )


def lds_bytes(spec: FmhaSpec, target: Target) -> int:
    """The least that a kernel needs; rows of K and V have an eighth more,
    against bank conflicts.
    """
    size = _bytes(spec, target)
    tile, backward = attending_tile(spec), backward_tile(spec)
    if tile is not None:
        part = max(tile.bn0 * tile.bk0, tile.bn1 * tile.bk1) * size * 9 // 8
        if spec.pipeline in (Pipeline.TRLOAD, Pipeline.V3):
            return 2 * (tile.bn0 * tile.bk0max + tile.bn0 * tile.bn1) * size
        return part * (_ASYNC_BUFFERS if spec.pipeline is Pipeline.QR_ASYNC else 1)
    if backward is not None:
        return (backward.bn0 * spec.hdim_q + 2 * backward.bm0 * (spec.hdim_q + spec.hdim_v)) * size
    return 0


@HARDWARE_RULES.rule(
    "Scores, output and q fit the registers that a lane has at the occupancy; "
    "else they would be spilled.",
    ("occupancy", "tile", "waves"),
)
def registers(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    number = lanes(spec, target.gpu.wave_size)
    if tile is None or number == 0 or spec.occupancy < 1:
        return None
    needed = (
        tile.bm0 * (tile.bn0 + tile.bn1) + tile.bm0 * tile.bk0max * _bytes(spec, target) // 4
    ) // number
    have = registers_per_lane(spec, target)
    return (
        f"a lane needs at least {needed} registers, and has {have} at occupancy {spec.occupancy}"
        if needed > have
        else None
    )


def registers_per_lane(spec: FmhaSpec, target: Target) -> int:
    """VGPRs, and accumulation registers where there are any, that the compiler may use."""
    have = target.gpu.registers
    files = 2 if have.agprs is AgprKind.SEPARATE else 1
    return files * min(have.max_vgprs_per_wave, have.vgprs_per_simd // spec.occupancy)


@HARDWARE_RULES.rule(
    "The occupancy is at least 1, and no more waves than a SIMD has room for.", ("occupancy",)
)
def occupancy_range(spec: FmhaSpec, target: Target) -> str | None:
    most = target.gpu.registers.max_waves_per_simd
    return (
        None
        if 1 <= spec.occupancy <= most
        else f"the occupancy {spec.occupancy} is not from 1 to {most}"
    )


@HARDWARE_RULES.rule(
    "v3 is for occupancy 2: its two groups of waves share each SIMD.", ("occupancy", "pipeline")
)
def v3_occupancy(spec: FmhaSpec, target: Target) -> str | None:
    return (
        f"v3 is for occupancy 2, not {spec.occupancy}"
        if spec.pipeline is Pipeline.V3 and spec.occupancy != 2
        else None
    )


@HARDWARE_RULES.rule(
    "qr_async of 128 and more elements has occupancy 1: at 2 it spills, and what it loads behind "
    "the compiler's back would be saved before it has arrived.",
    ("occupancy", "pipeline"),
)
def async_occupancy(spec: FmhaSpec, target: Target) -> str | None:
    if (
        spec.pipeline is not Pipeline.QR_ASYNC
        or spec.occupancy == 1
        or max(spec.hdim_q, spec.hdim_v) < 96
    ):
        return None
    return (
        f"qr_async of head size {max(spec.hdim_q, spec.hdim_v)} spills at occupancy "
        f"{spec.occupancy}"
    )


@HARDWARE_RULES.rule(
    "Where backward adds up in any order, the GPU adds fp32 to memory by atomic instructions.",
    ("deterministic", "variant"),
)
def atomic_sums(spec: FmhaSpec, target: Target) -> str | None:
    if (
        spec.variant is not Variant.DQ_DK_DV
        or spec.deterministic
        or "fp32" in target.gpu.buffer_atomic_adds
    ):
        return None
    return f"{target.name} cannot add fp32 to memory atomically"
