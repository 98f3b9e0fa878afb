# SPDX-License-Identifier: MIT
"""The sets that one declaration divides its kernels into.

``"sets": {"my_{dtype}_{layout}_all": {"dtype": ["fp16", "bf16"], "layout": ["rcr", "rrr"]}}`` are
four sets: each takes the kernels with one choice for every field that it names. With ``"subset"`` a
set takes only the entries that name that word among their ``"subsets"``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any

from ckgen.core import codec
from ckgen.core.declaration import Declaration, Entry, Options, unexpected
from ckgen.core.errors import DeclarationError, FieldError
from ckgen.core.limits import MOST_SETS

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_SUBSET = "subset"


@dataclass(frozen=True)
class NamedSet:
    """A set by its name, with the choice for each field that it is restricted to."""

    name: str
    only: Mapping[str, Any]
    subset: str | None


def named_sets(declaration: Declaration, default: str) -> tuple[NamedSet, ...]:
    """The sets of ``declaration``; one called ``default`` with all kernels if it names none."""
    said, source = declaration.sets, declaration.source
    if said is None:
        return (NamedSet(default, MappingProxyType({}), None),)
    if not isinstance(said, dict) or not said:
        raise unexpected(f"{source}, field 'sets'", "a JSON object of at least one set", said)
    sets: list[NamedSet] = []
    for pattern, value in said.items():
        sets += _sets(pattern, value, declaration)
        if len(sets) > MOST_SETS:
            raise _too_many_sets(f"{source}, field 'sets'", len(sets))
    names = Counter(one.name for one in sets)
    repeated = next((name for name, number in names.items() if number > 1), None)
    if repeated is not None:
        raise DeclarationError(f"{source}, field 'sets': {repeated!r} appears twice")
    return tuple(sets)


def _too_many_sets(label: str, number: int) -> DeclarationError:
    return DeclarationError(
        f"{label}: makes {number:,} sets, and a declaration may have {MOST_SETS:,}; "
        "name fewer choices"
    )


def restrict(declaration: Declaration, to: NamedSet) -> Declaration:
    """Only those entries, and of their choices only those, that belong to the set ``to``."""
    entries = [
        restricted
        for entry in declaration.entries
        if to.subset is None or to.subset in entry.subsets
        if (restricted := _restrict_entry(entry, to.only)) is not None
    ]
    # Where entries are wrong, the sentences about them say more than that none is left.
    if not entries and not declaration.errors:
        raise DeclarationError(f"{declaration.source}: no entry belongs to the set {to.name!r}")
    return replace(declaration, entries=tuple(entries))


def _sets(pattern: str, value: object, declaration: Declaration) -> list[NamedSet]:
    label = f"{declaration.source}, set {pattern!r}"
    if not isinstance(value, dict):
        raise unexpected(label, "a JSON object", value)
    fields = {field.name: field for field in declaration.family.entry_fields}
    subset = value.get(_SUBSET)
    known = sorted({word for entry in declaration.entries for word in entry.subsets})
    if subset is not None and subset not in known:
        raise DeclarationError(
            f"{label}, field 'subset': no entry names {codec.show(subset)}; "
            f"there is {', '.join(known) or 'no subset'}"
        )
    choices: dict[str, list[Any]] = {}
    for name, said in value.items():
        if name == _SUBSET:
            continue
        if name not in fields or fields[name].triple:
            usable = [field for field in fields if not fields[field].triple]
            raise DeclarationError(
                f"{label}: a set cannot be restricted by {name!r}; the fields are "
                f"{', '.join((*usable, _SUBSET))}"
            )
        items = said if isinstance(said, list) else [said]
        try:
            choices[name] = [fields[name].decode(item) for item in items]
        except FieldError as error:
            raise DeclarationError(f"{label}, field {name!r}: {error}") from error
    number = prod(map(len, choices.values()))
    if number > MOST_SETS:
        raise _too_many_sets(label, number)
    only = [dict(zip(choices, values, strict=False)) for values in product(*choices.values())]
    return [NamedSet(_name(pattern, one, label), MappingProxyType(one), subset) for one in only]


def _name(pattern: str, only: Mapping[str, Any], label: str) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in only:
            raise DeclarationError(f"{label}: {match[0]} is not a field that the set restricts")
        return str(only[match[1]])

    name = re.sub(r"\{(\w*)\}", value, pattern)
    if not _NAME.fullmatch(name):
        raise DeclarationError(
            f"{label}: {name!r} is not a name of letters, digits and underscores"
        )
    return name


def _restrict_entry(entry: Entry, only: Mapping[str, Any]) -> Entry | None:
    options = dict(entry.options)
    for name, value in only.items():
        offered = options[name]
        if offered.values is not None and value not in offered.values:
            return None
        options[name] = Options(
            (value,), single=True
        )  # so a kernel that is legal nowhere is an error
    return replace(entry, options=options)
