# SPDX-License-Identifier: MIT
"""From ``arch_specs.json``, or the module generated from it, to ``ArchSpecs``."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ckarch.errors import ArchError, SpecError
from ckarch.frozen_map import FrozenMap
from ckarch.model import (
    TILE_TABLES,
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
from ckarch.schema import require_valid

T = TypeVar("T")


def load_specs(path: Path | None = None) -> ArchSpecs:
    """The specs of the file at ``path``, validated.

    Without a path these are the project's own: what the build generated, already validated, or in
    a source tree without it the JSON file beside this package.
    """
    return _own_specs() if path is None else build_specs(read_document(path))


@cache
def _own_specs() -> ArchSpecs:
    """The project's own specs. Nothing of them can be changed, so all share them."""
    try:
        generated = importlib.import_module("ckarch._generated")
    except ModuleNotFoundError:
        return build_specs(read_document(Path(__file__).parent.parent / "arch_specs.json"))
    return build_specs(generated.DOCUMENT)


def read_document(path: Path) -> dict[str, Any]:
    """The JSON at ``path``, once it satisfies the schema; raises ``ArchError`` when it does not."""
    document: dict[str, Any] = parsed(path, "the GPU specs")
    require_valid(document, str(path))
    return document


def parsed(path: Path, what: str) -> Any:
    """The JSON at ``path``, which holds ``what``."""
    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=_without_duplicates)
    except OSError as error:
        raise ArchError(f"cannot read {what} {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ArchError(f"cannot read {what} {path}: it is not UTF-8 text.") from error
    except json.JSONDecodeError as error:
        raise ArchError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}.") from error
    except _DuplicateKey as error:
        raise SpecError(str(path), (f"{error}: written twice in one object",), what) from None


def build_specs(document: dict[str, Any]) -> ArchSpecs:
    """The typed form of a document that satisfies the schema."""
    return ArchSpecs(
        architectures=_by_name(_gpu, document["architectures"]),
        dtypes=_by_name(DtypeSpec, document["dtypes"]),
        pipelines=_by_name(PipelineSpec, document["pipelines"]),
        unsupported_traits=frozenset(
            (trait["pipeline"], trait["epilogue"], trait["scheduler"])
            for trait in document["unsupported_traits"]
        ),
        dtype_combinations=tuple(
            DtypeCombination(**fields) for fields in document["dtype_combinations"]
        ),
    )


def _by_name(make: Callable[..., T], rows: dict[str, dict[str, Any]]) -> FrozenMap[str, T]:
    return FrozenMap({name: make(name=name, **fields) for name, fields in rows.items()})


class _DuplicateKey(Exception):
    """A key that one object has twice."""


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise _DuplicateKey(key)
        members[key] = value
    return members


def _gpu(**fields: Any) -> GpuSpec:
    registers = fields["registers"]
    typed = {
        "matrix_isa": MatrixIsa(fields["matrix_isa"]),
        "fp8_encoding": Fp8Encoding(fields["fp8_encoding"]),
        "registers": RegisterSpec(**{**registers, "agprs": AgprKind(registers["agprs"])}),
        "pipelines": tuple(fields["pipelines"]),
        "buffer_atomic_adds": tuple(fields["buffer_atomic_adds"]),
        "wave_layouts": _triples(fields["wave_layouts"]),
        **{table: _tile_table(fields[table]) for table in TILE_TABLES},
    }
    return GpuSpec(**{**fields, **typed})


def _triples(rows: Iterable[list[int]]) -> tuple[Triple, ...]:
    return tuple((m, n, k) for m, n, k in rows)


def _tile_table(table: dict[str, list[list[int]]]) -> FrozenMap[str, tuple[Triple, ...]]:
    return FrozenMap({key: _triples(rows) for key, rows in table.items()})
