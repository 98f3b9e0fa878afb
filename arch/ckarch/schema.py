# SPDX-License-Identifier: MIT
"""The schema of ``arch_specs.json``."""

from __future__ import annotations

from typing import Any

from ckarch import checks
from ckarch.agreement import check_agreement
from ckarch.checks import Report
from ckarch.errors import SpecError
from ckarch.model import AgprKind, Fp8Encoding, MatrixIsa

SCHEMA_VERSION = 1

_NAME = checks.matching(r"[a-z][a-z0-9_]*", "a name of small letters, digits and underscores")
_TILE_TABLE = checks.table(_NAME, checks.list_of(checks.triple, minimum=1))

_REGISTERS = checks.record(
    {
        "vgprs_per_simd": checks.integer(1),
        "vgpr_granule": checks.integer(1),
        "max_vgprs_per_wave": checks.integer(1),
        "agprs": checks.one_of(*(kind.value for kind in AgprKind)),
        "sgprs_per_simd": checks.integer(1),
        "sgpr_granule": checks.integer(1),
        "max_sgprs_per_wave": checks.integer(1),
        "max_waves_per_simd": checks.integer(1),
    }
)

GPU_FIELDS: dict[str, checks.Check] = {
    "family": _NAME,
    "product": checks.text,
    "matrix_isa": checks.one_of(*(isa.value for isa in MatrixIsa)),
    "wave_size": checks.one_of(32, 64),
    "matrix_operand_copies": checks.integer(1),
    "fp8_encoding": checks.one_of(*(encoding.value for encoding in Fp8Encoding)),
    "fp8_emulated": checks.boolean,
    "half_registers": checks.boolean,
    "compute_units": checks.integer(1),
    "xcds": checks.integer(1),
    "simds_per_cu": checks.integer(1),
    "workgroup_processor_mode": checks.boolean,
    "max_clock_mhz": checks.integer(1),
    "matrix_flops_per_cycle": checks.integer(1),
    "memory_bandwidth_gb_s": checks.positive_number,
    "l2_bytes": checks.integer(1),
    "infinity_cache_bytes": checks.integer(0),
    "lds_bytes": checks.integer(1),
    "lds_pool_bytes": checks.integer(1),
    "lds_granule": checks.integer(1),
    "lds_banks": checks.integer(1),
    "registers": _REGISTERS,
    "pipelines": checks.list_of(_NAME, minimum=1),
    "buffer_atomic_adds": checks.list_of(_NAME),
    "wave_layouts": checks.list_of(checks.triple, minimum=1),
    "warp_tiles": checks.table(_NAME, checks.list_of(checks.triple, minimum=1), minimum=1),
    "preshuffle_warp_tiles": _TILE_TABLE,
    "broken_warp_tiles": _TILE_TABLE,
    "contiguous_k_warp_tiles": _TILE_TABLE,
}

_DOCUMENT = checks.record(
    {
        "schema_version": checks.one_of(SCHEMA_VERSION),
        "sources": checks.list_of(
            checks.record(
                {"fields": checks.list_of(checks.text, minimum=1), "origin": checks.text},
            ),
            minimum=1,
        ),
        "dtypes": checks.table(
            _NAME,
            checks.record(
                {
                    "bytes": checks.positive_number,
                    "cxx_type": checks.text,
                    "pack": checks.integer(1),
                    "description": checks.text,
                }
            ),
            minimum=1,
        ),
        "dtype_combinations": checks.list_of(
            checks.record(
                {
                    "a": _NAME,
                    "b": _NAME,
                    "accumulator": _NAME,
                    "output": _NAME,
                    "note": checks.text,
                }
            ),
            minimum=1,
        ),
        "pipelines": checks.table(
            _NAME,
            checks.record({"lds_buffers": checks.integer(1), "preshuffle": checks.boolean}),
            minimum=1,
        ),
        "unsupported_traits": checks.list_of(
            checks.record({"pipeline": _NAME, "epilogue": _NAME, "scheduler": _NAME}),
        ),
        "architectures": checks.table(
            checks.matching(r"gfx[0-9a-f]{3,5}", "a GPU name such as gfx942"),
            checks.record(GPU_FIELDS),
            minimum=1,
        ),
    }
)


def find_problems(document: Any) -> tuple[str, ...]:
    """All problems of ``document``, one line each; empty when it satisfies the schema.

    Agreement across fields is looked at only once every field has the right shape.
    """
    report = Report()
    _DOCUMENT(report, "", document)
    if not report.problems:
        check_agreement(report, document, GPU_FIELDS)
    return tuple(report.problems)


def require_valid(document: Any, origin: str) -> None:
    """Raise ``SpecError`` with every problem of ``document``, which was read from ``origin``."""
    problems = find_problems(document)
    if problems:
        raise SpecError(origin, problems)
