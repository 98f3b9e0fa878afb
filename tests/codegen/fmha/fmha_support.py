# SPDX-License-Identifier: MIT
"""Attention specs to start from, each legal on gfx942 unless said otherwise."""

from __future__ import annotations

from typing import Any

from ckgen.core.choice import Choice
from ckgen.core.family import Family
from ckgen.core.spec import field_types
from ckgen.core.tile import Extents
from ckgen.families import FAMILIES
from ckgen.fmha.spec import FmhaSpec
from codegen_support import ARCH

FMHA: Family = FAMILIES["fmha"]
_FIELDS = {field.name: field for field in FMHA.entry_fields}
_TYPES = field_types(FmhaSpec)


def fmha(**said: Any) -> FmhaSpec:
    """The kernel that an entry means which says so much, by default fp16 of head size 64; words and
    tuples become choices and extents.
    """
    choice = {name: field.default for name, field in _FIELDS.items()}
    choice |= {"dtype": "fp16", "hdim_q": 64, **said}
    made = FMHA.build({name: _value(name, value) for name, value in choice.items()}, ARCH)
    assert isinstance(made, FmhaSpec)
    return made


def _value(name: str, value: Any) -> Any:
    kind = _TYPES[name]
    if value is None:
        return None
    if kind is Extents:
        return Extents(value)
    return kind(value) if issubclass(kind, Choice) else value
