# SPDX-License-Identifier: MIT
"""What a GPU can do at most, by the figures of ``arch/``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ckarch import GpuSpec, load_specs


def roofs(gpus: Iterable[str]) -> dict[str, dict[str, Any]]:
    """For each GPU that is known: its peak in TFLOP/s for dense 16-bit operands, its bandwidth in
    TB/s, and what a SIMD holds.
    """
    known = load_specs()
    return {name: _roof(known.gpu(name)) for name in gpus if name in known.architectures}


def _roof(gpu: GpuSpec) -> dict[str, Any]:
    return {
        "product": gpu.product,
        "tflops": gpu.matrix_flops_per_cycle * gpu.compute_units * gpu.max_clock_mhz / 1e6,
        "tbytes": gpu.memory_bandwidth_gb_s / 1e3,
        "lds": gpu.lds_bytes,
        "vgprs": gpu.registers.max_vgprs_per_wave,
        "waves": gpu.registers.max_waves_per_simd,
    }
