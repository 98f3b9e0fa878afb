# SPDX-License-Identifier: MIT
"""What must agree across the fields of the specs, once each field has the right shape."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ckarch.checks import Report, at
from ckarch.model import FLAWED_TILES, TILE_TABLES, USABLE_TILES

MAX_WORKGROUP_SIZE = 1024
"""Work-items in a workgroup, the limit of every AMD GPU."""

_FP8_DTYPES = frozenset({"fp8", "bf8"})


def check_agreement(report: Report, document: dict[str, Any], gpu_fields: Collection[str]) -> None:
    """Report every disagreement; ``gpu_fields`` are the fields whose origin must be stated."""
    _check_sources(report, document["sources"], gpu_fields)
    _check_dtypes(report, document)
    for index, trait in enumerate(document["unsupported_traits"]):
        place = f"unsupported_traits[{index}].pipeline"
        _check_known(report, place, "pipeline", trait["pipeline"], document["pipelines"])
    for name, gpu in document["architectures"].items():
        path = at("architectures", name)
        _check_hardware(report, path, gpu)
        _check_pipelines(report, path, gpu, document["pipelines"])
        for index, dtype in enumerate(gpu["buffer_atomic_adds"]):
            place = f"{path}.buffer_atomic_adds[{index}]"
            _check_known(report, place, "dtype", dtype, document["dtypes"])
        _check_tiles(report, path, gpu, document["dtype_combinations"])


def _check_known(report: Report, path: str, kind: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        report.add(path, f"unknown {kind} {name!r}; known ones: {', '.join(known)}")


def _check_sources(
    report: Report, sources: list[dict[str, Any]], gpu_fields: Collection[str]
) -> None:
    stated: set[str] = set()
    for index, source in enumerate(sources):
        for position, field in enumerate(source["fields"]):
            path = f"sources[{index}].fields[{position}]"
            _check_known(report, path, "GPU field", field, gpu_fields)
            if field in stated:
                report.add(path, f"the origin of {field!r} is already stated")
            stated.add(field)
    for field in gpu_fields:
        if field not in stated:
            report.add("sources", f"no origin is stated for the GPU field {field!r}")


def _check_dtypes(report: Report, document: dict[str, Any]) -> None:
    dtypes = document["dtypes"]
    for name, dtype in dtypes.items():
        if dtype["bytes"] * dtype["pack"] % 1:
            report.add(f"dtypes.{name}.pack", "an object of pack elements must fill whole bytes")
    pairs: set[tuple[str, str]] = set()
    for index, combination in enumerate(document["dtype_combinations"]):
        path = f"dtype_combinations[{index}]"
        for role in ("a", "b", "accumulator", "output"):
            _check_known(report, at(path, role), "dtype", combination[role], dtypes)
        pair = (combination["a"], combination["b"])
        if pair in pairs:
            report.add(path, f"{pair[0]} x {pair[1]} is listed twice")
        pairs.add(pair)


def _check_hardware(report: Report, path: str, gpu: dict[str, Any]) -> None:
    registers, inside = gpu["registers"], at(path, "registers")
    for place, values, whole, part in (
        (path, gpu, "compute_units", "xcds"),
        (path, gpu, "l2_bytes", "xcds"),
        (path, gpu, "lds_pool_bytes", "lds_granule"),
        (inside, registers, "vgprs_per_simd", "vgpr_granule"),
        (inside, registers, "sgprs_per_simd", "sgpr_granule"),
    ):
        if values[whole] % values[part]:
            problem = f"{values[whole]} is not a multiple of {part}, {values[part]}"
            report.add(at(place, whole), problem)
    for place, values, part, whole in (
        (path, gpu, "lds_bytes", "lds_pool_bytes"),
        (inside, registers, "max_vgprs_per_wave", "vgprs_per_simd"),
    ):
        if values[part] > values[whole]:
            report.add(at(place, part), f"{values[part]} exceeds {whole}, {values[whole]}")
    most = MAX_WORKGROUP_SIZE // gpu["wave_size"]
    for index, (m, n, k) in enumerate(gpu["wave_layouts"]):
        if m * n * k > most:
            report.add(
                f"{path}.wave_layouts[{index}]",
                f"{m * n * k} waves exceed a workgroup, which holds {most} of {gpu['wave_size']}",
            )


def _check_pipelines(
    report: Report, path: str, gpu: dict[str, Any], pipelines: dict[str, Any]
) -> None:
    for index, name in enumerate(gpu["pipelines"]):
        _check_known(report, f"{path}.pipelines[{index}]", "pipeline", name, pipelines)
    preshuffles = any(pipelines.get(name, {}).get("preshuffle") for name in gpu["pipelines"])
    if preshuffles and not gpu["preshuffle_warp_tiles"]:
        report.add(at(path, "preshuffle_warp_tiles"), "empty, but a preshuffle pipeline is listed")
    if gpu["preshuffle_warp_tiles"] and not preshuffles:
        report.add(
            at(path, "pipelines"), "no preshuffle pipeline, but preshuffle_warp_tiles has entries"
        )


def _check_tiles(
    report: Report, path: str, gpu: dict[str, Any], combinations: list[dict[str, Any]]
) -> None:
    keys = {f"{c['a']}_{c['b']}_{c['accumulator']}": c for c in combinations}
    for table in TILE_TABLES:
        for key in gpu[table]:
            _check_known(report, f"{path}.{table}.{key}", "dtype key", key, keys)
    for table in FLAWED_TILES:
        for key, tiles in gpu[table].items():
            usable = [tile for tiles in USABLE_TILES for tile in gpu[tiles].get(key, [])]
            for index, tile in enumerate(tiles):
                if tile not in usable:
                    report.add(
                        f"{path}.{table}.{key}[{index}]",
                        f"{tile} is in neither {' nor '.join(USABLE_TILES)}",
                    )
    used = {keys[key][operand] for key in gpu["warp_tiles"] if key in keys for operand in "ab"}
    if used & _FP8_DTYPES and gpu["fp8_encoding"] == "none":
        report.add(at(path, "fp8_encoding"), "none, but warp_tiles has fp8 or bf8 entries")
    if gpu["fp8_emulated"] and gpu["fp8_encoding"] == "none":
        report.add(at(path, "fp8_emulated"), "true, but fp8_encoding is none")
