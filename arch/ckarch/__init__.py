# SPDX-License-Identifier: MIT
"""GPU facts: ``load_specs()`` gives what is in ``arch_specs.json`` as typed, immutable values."""

from ckarch.errors import ArchError, SpecError, UnknownNameError
from ckarch.loader import load_specs
from ckarch.model import (
    AgprKind,
    ArchSpecs,
    DtypeCombination,
    DtypeSpec,
    Fp8Encoding,
    GpuSpec,
    MatrixIsa,
    PipelineSpec,
    RegisterSpec,
    Triple,
)
from ckarch.occupancy import KernelResources, waves_per_simd

__all__ = [
    "AgprKind",
    "ArchError",
    "ArchSpecs",
    "DtypeCombination",
    "DtypeSpec",
    "Fp8Encoding",
    "GpuSpec",
    "KernelResources",
    "MatrixIsa",
    "PipelineSpec",
    "RegisterSpec",
    "SpecError",
    "Triple",
    "UnknownNameError",
    "load_specs",
    "waves_per_simd",
]
