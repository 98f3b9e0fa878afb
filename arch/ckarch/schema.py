# SPDX-License-Identifier: MIT
"""The schema of ``arch_specs.json``: the fields of the model, each with a check."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_type_hints

from ckarch import checks
from ckarch.agreement import check_agreement
from ckarch.checks import Report
from ckarch.errors import SpecError
from ckarch.model import (
    AgprKind,
    DtypeCombination,
    DtypeSpec,
    Fp8Encoding,
    GpuSpec,
    MatrixIsa,
    PipelineSpec,
    RegisterSpec,
    Triple,
)

SCHEMA_VERSION = 1

_NAME = checks.matching(r"[a-z][a-z0-9_]*", "a name of small letters, digits and underscores")
_TRIPLES = checks.list_of(checks.triple, minimum=1)
_CHECK_OF_TYPE: dict[Any, checks.Check] = {
    int: checks.integer(1),
    float: checks.positive_number,
    bool: checks.boolean,
    str: checks.text,
    Mapping[str, tuple[Triple, ...]]: checks.table(_NAME, _TRIPLES),
    **{
        kind: checks.one_of(*(member.value for member in kind))
        for kind in (AgprKind, Fp8Encoding, MatrixIsa)
    },
}


def _fields(model: type, **others: checks.Check) -> dict[str, checks.Check]:
    """The check of each field but the name: one of ``others``, or else that of its type."""
    types = get_type_hints(model)
    types.pop("name", None)
    return {name: others.get(name) or _CHECK_OF_TYPE[kind] for name, kind in types.items()}


GPU_FIELDS = _fields(
    GpuSpec,
    family=_NAME,
    wave_size=checks.one_of(32, 64),
    infinity_cache_bytes=checks.integer(0),
    registers=checks.record(_fields(RegisterSpec)),
    pipelines=checks.list_of(_NAME, minimum=1),
    buffer_atomic_adds=checks.list_of(_NAME),
    wave_layouts=_TRIPLES,
    warp_tiles=checks.table(_NAME, _TRIPLES, minimum=1),
)

FOREIGN_FIELDS: Mapping[str, str] = MappingProxyType(
    {"warp_size": "wave_size", "warp_configs": "wave_layouts"}
)
"""What AMD's own arch_specs.json calls fields of a GPU, and what they are called here."""

_DOCUMENT = checks.record(
    {
        "schema_version": checks.one_of(SCHEMA_VERSION),
        "sources": checks.list_of(
            checks.record(
                {"fields": checks.list_of(checks.text, minimum=1), "origin": checks.text}
            ),
            minimum=1,
        ),
        "dtypes": checks.table(_NAME, checks.record(_fields(DtypeSpec)), minimum=1),
        "dtype_combinations": checks.list_of(
            checks.record({**dict.fromkeys(_fields(DtypeCombination), _NAME), "note": checks.text}),
            minimum=1,
        ),
        "pipelines": checks.table(_NAME, checks.record(_fields(PipelineSpec)), minimum=1),
        "unsupported_traits": checks.list_of(
            checks.record({"pipeline": _NAME, "epilogue": _NAME, "scheduler": _NAME})
        ),
        "architectures": checks.table(
            checks.matching(r"gfx[0-9a-f]{3,5}", "a GPU name such as gfx942"),
            checks.record(GPU_FIELDS, FOREIGN_FIELDS),
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
