# SPDX-License-Identifier: MIT
"""What the specs hold, as immutable values. Field names are those of ``arch_specs.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from ckarch.errors import UnknownNameError

_Named = TypeVar("_Named")

Triple = tuple[int, int, int]
"""Extents along m, n and k."""

USABLE_TILES = ("warp_tiles", "preshuffle_warp_tiles")
FLAWED_TILES = ("broken_warp_tiles", "contiguous_k_warp_tiles")
TILE_TABLES = (*USABLE_TILES, *FLAWED_TILES)
"""The fields of a GPU that list warp tiles by dtypes."""


class MatrixIsa(str, Enum):
    """The matrix instructions of a GPU."""

    MFMA = "mfma"
    WMMA = "wmma"


class Fp8Encoding(str, Enum):
    """How kernels for a GPU read 8-bit floats."""

    NONE = "none"
    FNUZ = "fnuz"
    OCP = "ocp"


class AgprKind(str, Enum):
    """Where accumulation registers live."""

    NONE = "none"
    SEPARATE = "separate"
    UNIFIED = "unified"


@dataclass(frozen=True)
class DtypeSpec:
    """An element type: ``bytes`` per element, and ``pack`` elements in one ``cxx_type`` object."""

    name: str
    bytes: float
    cxx_type: str
    pack: int
    description: str


@dataclass(frozen=True)
class DtypeCombination:
    """What multiplying ``a`` by ``b`` accumulates in, and what it stores unless told otherwise."""

    a: str
    b: str
    accumulator: str
    output: str
    note: str

    @property
    def key(self) -> str:
        """The name of this combination in a GPU's warp tile tables."""
        return f"{self.a}_{self.b}_{self.accumulator}"


@dataclass(frozen=True)
class PipelineSpec:
    """A pipeline; ``lds_buffers`` is how many equal parts it divides a workgroup's LDS into."""

    name: str
    lds_buffers: int
    preshuffle: bool


@dataclass(frozen=True)
class RegisterSpec:
    """The registers of one SIMD; VGPRs are counted for one lane, at the GPU's wave size."""

    vgprs_per_simd: int
    vgpr_granule: int
    max_vgprs_per_wave: int
    agprs: AgprKind
    sgprs_per_simd: int
    sgpr_granule: int
    max_sgprs_per_wave: int
    max_waves_per_simd: int


@dataclass(frozen=True)
class GpuSpec:
    """One GPU target, described by the ``product`` that its figures belong to.

    ``lds_bytes`` is the most that one workgroup may use; ``lds_pool_bytes`` is what the workgroups
    on one CU (in workgroup-processor mode: on one pair of CUs) share. ``broken_warp_tiles`` lists
    warp tiles of the other two tables that compile but compute wrong results,
    ``contiguous_k_warp_tiles`` those that take only A and B whose k is contiguous. ``l2_bytes`` is
    the whole device's, over its ``xcds``. ``matrix_flops_per_cycle`` is of one compute unit and
    dense 16-bit operands. ``buffer_atomic_adds`` lists the dtypes that kernels can add to memory
    atomically without ever leaving the tensor. ``fp8_emulated``: kernels compute with fp8 and bf8,
    and the GPU has no instructions for them. ``half_registers``: the compiler gives 16-bit values
    the halves of registers, unless it is told not to. ``matrix_operand_copies``: how many lanes of
    a wave hold each element of A and of B for a matrix instruction. ``matrix_flushes_subnormals``:
    those on 16-bit floats take subnormal numbers for zeros. ``loads_to_lds``: loads can go from
    memory straight to LDS; ``lds_transposing_loads``: reads from LDS can transpose.
    """

    name: str
    family: str
    product: str
    matrix_isa: MatrixIsa
    wave_size: int
    matrix_operand_copies: int
    matrix_flushes_subnormals: bool
    fp8_encoding: Fp8Encoding
    fp8_emulated: bool
    half_registers: bool
    compute_units: int
    xcds: int
    simds_per_cu: int
    workgroup_processor_mode: bool
    max_clock_mhz: int
    matrix_flops_per_cycle: int
    memory_bandwidth_gb_s: float
    l2_bytes: int
    infinity_cache_bytes: int
    lds_bytes: int
    lds_pool_bytes: int
    lds_granule: int
    lds_banks: int
    loads_to_lds: bool
    lds_transposing_loads: bool
    registers: RegisterSpec
    pipelines: tuple[str, ...]
    buffer_atomic_adds: tuple[str, ...]
    wave_layouts: tuple[Triple, ...]
    warp_tiles: Mapping[str, tuple[Triple, ...]]
    preshuffle_warp_tiles: Mapping[str, tuple[Triple, ...]]
    broken_warp_tiles: Mapping[str, tuple[Triple, ...]]
    contiguous_k_warp_tiles: Mapping[str, tuple[Triple, ...]]

    def k_per_lane(self, columns: int, k: int) -> int:
        """How many neighbours along k of one column a lane holds of a matrix instruction's B."""
        return columns * k * self.matrix_operand_copies // self.wave_size

    def lds_limit(self, pipeline: PipelineSpec) -> int:
        """The most bytes that one stage of A and B tiles may take with this pipeline."""
        return self.lds_bytes // pipeline.lds_buffers


@dataclass(frozen=True)
class ArchSpecs:
    """Everything in ``arch_specs.json``."""

    architectures: Mapping[str, GpuSpec]
    dtypes: Mapping[str, DtypeSpec]
    pipelines: Mapping[str, PipelineSpec]
    unsupported_traits: frozenset[tuple[str, str, str]]
    dtype_combinations: tuple[DtypeCombination, ...]

    @property
    def gpus(self) -> tuple[str, ...]:
        """The names of all GPUs, in the order of the file."""
        return tuple(self.architectures)

    def gpu(self, name: str) -> GpuSpec:
        """The GPU called ``name``; raises ``UnknownNameError`` with the known names otherwise."""
        return _look_up("GPU", name, self.architectures)

    def dtype(self, name: str) -> DtypeSpec:
        """The dtype called ``name``; raises ``UnknownNameError`` otherwise."""
        return _look_up("dtype", name, self.dtypes)

    def pipeline(self, name: str) -> PipelineSpec:
        """The pipeline called ``name``; raises ``UnknownNameError`` otherwise."""
        return _look_up("pipeline", name, self.pipelines)

    def dtype_combination(self, a: str, b: str) -> DtypeCombination:
        """How ``a`` times ``b`` is computed; raises ``UnknownNameError`` for an unlisted pair."""
        for combination in self.dtype_combinations:
            if (combination.a, combination.b) == (a, b):
                return combination
        known = ", ".join(f"{c.a} x {c.b}" for c in self.dtype_combinations)
        raise UnknownNameError(f"dtypes {a!r} x {b!r} cannot be multiplied; known pairs: {known}.")


def _look_up(kind: str, name: str, known: Mapping[str, _Named]) -> _Named:
    try:
        return known[name]
    except KeyError:
        names = ", ".join(known)
        raise UnknownNameError(f"unknown {kind} {name!r}; known ones: {names}.") from None
