# SPDX-License-Identifier: MIT
"""The C++17 header with the tables that ``arch_types.hpp`` gives types to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from enum import Enum
from typing import Any

from ckarch.model import TILE_TABLES, ArchSpecs, GpuSpec, RegisterSpec, Triple

_NAME_TABLES = ("pipelines", "buffer_atomic_adds")
_GPU_TABLES = (*_NAME_TABLES, "wave_layouts", *TILE_TABLES)


def cpp_header(specs: ArchSpecs) -> str:
    """The text of ``arch_specs.hpp``."""
    gpus = specs.architectures.values()
    traits = sorted(specs.unsupported_traits)
    parts = [
        "// SPDX-License-Identifier: MIT",
        "// Generated from arch_specs.json, after validation.",
        "#pragma once",
        "",
        "#include <string_view>",
        "",
        '#include "arch/arch_types.hpp"',
        "",
        "namespace ckdispatch::arch {",
        "",
        _table("DtypeSpec", "dtypes", map(_record, specs.dtypes.values())),
        _table("DtypeCombination", "dtype_combinations", map(_record, specs.dtype_combinations)),
        _table("PipelineSpec", "pipelines", map(_record, specs.pipelines.values())),
        _table("UnsupportedTrait", "unsupported_traits", map(_braced, traits)),
        "namespace tables {",
        "",
        *map(_gpu_tables, gpus),
        "}  // namespace tables",
        "",
        _table("GpuSpec", "gpus", map(_gpu, gpus)),
        "/// The GPU called `name`, or nullptr.",
        "constexpr const GpuSpec* find_gpu(std::string_view name) {",
        "    return find_by_name<GpuSpec>(gpus, name);",
        "}",
        "",
        "}  // namespace ckdispatch::arch",
        "",
    ]
    return "\n".join(parts)


def _table(kind: str, name: str, rows: Iterable[str]) -> str:
    """A table, or an empty view where there is no row, since C++ has no empty arrays."""
    listed = list(rows)
    if not listed:
        return f"inline constexpr View<{kind}> {name}{{}};\n"
    body = "".join(f"    {row},\n" for row in listed)
    return f"inline constexpr {kind} {name}[] = {{\n{body}}};\n"


def _value(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}::{value.value}"
    if isinstance(value, RegisterSpec):
        return _record(value)
    # JSON's spelling of texts, numbers and booleans is also that of C++.
    return json.dumps(value, ensure_ascii=False)


def _braced(values: Iterable[Any]) -> str:
    return "{" + ", ".join(map(_value, values)) + "}"


def _record(record: Any) -> str:
    return _braced(getattr(record, field.name) for field in fields(record))


def _gpu_tables(gpu: GpuSpec) -> str:
    """The tables that the row of one GPU refers to."""
    parts = [
        _table("std::string_view", f"{gpu.name}_{table}", map(_value, getattr(gpu, table)))
        for table in _NAME_TABLES
    ]
    parts.append(_table("Triple", f"{gpu.name}_wave_layouts", map(_braced, gpu.wave_layouts)))
    for table in TILE_TABLES:
        tiles: dict[str, tuple[Triple, ...]] = dict(getattr(gpu, table))
        name = f"{gpu.name}_{table}"
        parts += [_table("Triple", f"{name}_{key}", map(_braced, tiles[key])) for key in tiles]
        parts.append(_table("WarpTiles", name, (f'{{"{key}", {name}_{key}}}' for key in tiles)))
    return "\n".join(parts)


def _gpu(gpu: GpuSpec) -> str:
    values = [
        f"tables::{gpu.name}_{field.name}"
        if field.name in _GPU_TABLES
        else _value(getattr(gpu, field.name))
        for field in fields(gpu)
    ]
    return "{" + ",\n     ".join(values) + "}"
