# SPDX-License-Identifier: MIT
"""How CK spreads loads and stores over the threads of a workgroup, as far as rules depend on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from ckarch import GpuSpec

from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.product.dtypes import bytes_of
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Dtype, Epilogue, Pipeline, ProductSpec


@dataclass(frozen=True)
class ThreadGrid:
    """``rows`` x ``columns`` elements, contiguous along columns, moved ``vector`` at a time."""

    what: str
    rows: int
    columns: int
    vector: int
    waves: int
    wave_size: int

    @property
    def moved(self) -> int:
        """Elements that a thread moves at a time: no more than there are for each."""
        return min(self.vector, self.rows * self.columns // (self.waves * self.wave_size))

    def complaint(self) -> str | None:
        """Why the threads cannot cover the elements evenly, or None if they can.

        A row is never divided between waves, so the lanes of a row must divide a wave, and the
        waves together must sweep the rows a whole number of times.
        """
        threads = self.waves * self.wave_size
        elements = self.rows * self.columns
        shape = f"{self.what} {self.rows}x{self.columns}"
        if elements < threads:
            return f"{shape} has fewer elements than the {threads} threads"
        vector = self.moved
        lanes = self.columns // vector
        if self.columns % vector or lanes > self.wave_size or self.wave_size % lanes:
            return (
                f"a row of {shape} takes {self.columns}/{vector} lanes, "
                f"which do not divide a wave of {self.wave_size}"
            )
        sweep = self.waves * (self.wave_size // lanes)
        if self.rows % sweep:
            many = f"{self.waves} waves cover {sweep} rows at a time"
            return f"{many}, not the {self.rows} of {shape}"
        return None


def load_grids(spec: ProductSpec, target: Target) -> tuple[ThreadGrid, ...]:
    """How the tiles of A and of B are loaded from memory; preshuffled weights need no spreading."""
    tile, layout = spec.tile, spec.operand_layout
    given = spec.vectors or (None, None)
    a = _load_grid("the A tile", spec, target, tile.m, layout.a_by_rows, spec.dtype_a, given[0])
    if spec.preshuffled:
        return (a,)
    by_k = not layout.b_by_rows
    return a, _load_grid("the B tile", spec, target, tile.n, by_k, spec.dtype_b, given[1])


def _load_grid(
    what: str,
    spec: ProductSpec,
    target: Target,
    outer: int,
    k_contiguous: bool,
    dtype: Dtype,
    given: int | None,
) -> ThreadGrid:
    wave_size = target.gpu.wave_size
    columns = spec.tile.k if k_contiguous else outer
    rows = outer if k_contiguous else spec.tile.k
    per_thread = outer * spec.tile.k // spec.tiling.threads(wave_size)
    vector = given or load_vector(dtype, columns, per_thread, target)
    # Each of the waves that take turns loads tiles of its own.
    turns = PIPELINE_CLASSES[spec.pipeline].takes_turns
    waves = spec.waves.m * spec.waves.n if turns else spec.tiling.wave_count
    return ThreadGrid(what, rows, columns, vector, waves, wave_size)


def load_vector(dtype: Dtype, contiguous: int, per_thread: int, target: Target) -> int:
    """Elements per load: 16 or 8 bytes if both extents allow, else one, or a byte of packed."""
    facts = target.arch.dtype(dtype)
    for width in (16, 8):
        elements = int(width / facts.bytes)
        if contiguous % elements == 0 and per_thread and per_thread % elements == 0:
            return elements
    return facts.pack


def store_vector(spec: ProductSpec, target: Target, of: Dtype | None = None) -> int:
    """Elements of C per store: up to 16 bytes once shuffled, else the one that a lane holds.

    Rows of D tensors, which are ``of`` their own dtype, are loaded likewise.
    """
    if spec.epilogue is Epilogue.DEFAULT:
        return 1
    if spec.vectors is not None:
        return spec.vectors.k
    dtype = of or spec.dtype_stored
    return min(spec.tiling.coverage.n, int(16 / target.arch.dtype(dtype).bytes))


@dataclass(frozen=True)
class ShuffleShape:
    """What the cshuffle epilogue moves through LDS at once: ``group`` warp tiles of m per wave."""

    group: int
    group_wanted: int
    grid: ThreadGrid


def shuffle_shape(spec: ProductSpec, target: Target) -> ShuffleShape:
    """The step of the cshuffle epilogue, which stores C in vectors of 16 bytes."""
    tiling, wave_size = spec.tiling, target.gpu.wave_size
    covered = tiling.coverage
    vector = store_vector(spec, target)
    per_lane = max(1, spec.warp_tile.m * spec.warp_tile.n // wave_size)
    wanted = 1 if per_lane >= vector else vector // per_lane
    group = max(1, min(wanted, tiling.repeat.m))
    waves = spec.waves.m * spec.waves.n
    rows = covered.m * group
    grid = ThreadGrid("the shuffled part of C", rows, covered.n, vector, waves, wave_size)
    return ShuffleShape(group, wanted, grid)


def lds_bytes(spec: ProductSpec, target: Target) -> int:
    """LDS of one workgroup: every buffer of the pipeline must also serve the epilogue.

    Waves that take turns hand their sums over in it, to the one that stores them.
    """
    arch = target.arch
    tiles = [(spec.tile.m, spec.dtype_a)]
    if not spec.preshuffled:
        tiles.append((spec.tile.n, spec.dtype_b))
    stage = sum(
        _round_up(bytes_of(extent * spec.tile.k, dtype, arch), 16) for extent, dtype in tiles
    )
    shuffled = 0
    if spec.epilogue is Epilogue.CSHUFFLE:
        grid = shuffle_shape(spec, target).grid
        shuffled = bytes_of(grid.rows * grid.columns, spec.dtype_stored, arch)
    handed_over = 0
    if PIPELINE_CLASSES[spec.pipeline].takes_turns:
        handed_over = bytes_of(spec.tile.m * spec.tile.n, spec.dtype_acc, arch)
    return max(stage, shuffled, handed_over) * arch.pipeline(spec.pipeline).lds_buffers


def wave_layouts(pipeline: Pipeline, target: Target) -> tuple[Dim3, ...]:
    """The layouts of waves that the pipeline is offered with on the GPU."""
    groups = PIPELINE_CLASSES[pipeline].wave_groups
    if groups > 1:
        return (Dim3(1, 1, groups),)
    return tuple(Dim3(*waves) for waves in target.gpu.wave_layouts)


def warp_tile_tables(
    preshuffled: bool, target: Target
) -> Mapping[str, tuple[tuple[int, int, int], ...]]:
    """The warp tiles that the GPU has for plain or preshuffled weights, by dtypes."""
    return target.gpu.preshuffle_warp_tiles if preshuffled else target.gpu.warp_tiles


def warp_tiles_of(spec: ProductSpec, target: Target) -> tuple[tuple[int, int, int], ...]:
    """The warp tiles that the GPU has for the spec's dtypes."""
    return tuple(warp_tile_tables(spec.preshuffled, target).get(spec.dtype_key, ()))


def accumulators_per_lane(spec: ProductSpec, target: Target) -> int:
    """32-bit registers that each lane needs for its part of C.

    Waves that take turns have all of C each, and room for what another hands over.
    """
    lanes = spec.waves.m * spec.waves.n * target.gpu.wave_size
    sums = PIPELINE_CLASSES[spec.pipeline].wave_groups
    return sums * ceil(spec.tile.m * spec.tile.n / lanes)


def registers_per_lane(spec: ProductSpec, target: Target) -> int:
    """Registers that a lane can have if all waves of the workgroup are to run at once."""
    registers, waves = target.gpu.registers, waves_per_simd(spec, target.gpu)
    return min(registers.max_vgprs_per_wave, registers.vgprs_per_simd // waves)


def waves_per_simd(spec: ProductSpec, gpu: GpuSpec, workgroups: int = 1) -> int:
    """Waves that a SIMD has of so many workgroups, all of which are on the SIMDs that share LDS."""
    simds = gpu.simds_per_cu * (2 if gpu.workgroup_processor_mode else 1)
    return ceil(workgroups * spec.tiling.wave_count / simds)


def unshared(spec: ProductSpec, workgroups: int, target: Target) -> str | None:
    """Why so many workgroups cannot be on the same SIMDs, or None if they can."""
    gpu = target.gpu
    lds, waves = workgroups * lds_bytes(spec, target), waves_per_simd(spec, gpu, workgroups)
    if lds > gpu.lds_pool_bytes:
        return f"{lds} bytes of LDS, and {target.name} has {gpu.lds_pool_bytes}"
    if waves > gpu.registers.max_waves_per_simd:
        return (
            f"{waves} waves for each SIMD, and {target.name} has room for "
            f"{gpu.registers.max_waves_per_simd}"
        )
    registers, sums = gpu.registers.vgprs_per_simd // waves, accumulators_per_lane(spec, target)
    if sums > registers:
        return f"{sums} registers for sums alone, and {target.name} has {registers} for each wave"
    return None


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
