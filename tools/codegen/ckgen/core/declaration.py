# SPDX-License-Identifier: MIT
"""Kernel-set declarations: reading and validating their JSON, before any GPU is considered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckgen.core import codec
from ckgen.core.errors import CkgenError, DeclarationError, FieldError
from ckgen.core.family import EntryField, Family, look_up_family
from ckgen.core.limits import MOST_ENTRIES

WILDCARD = "*"
ANY_NUMBER = -1
"""What users of CK write for any number, alone or in place of all three extents."""
_TOP_LEVEL = ("family", "description", "forbid_spills", "defaults", "kernels", "sets")
_OF_ENTRY = ("gpus", "subsets")


@dataclass(frozen=True)
class Options:
    """What was said about one field: its choices, or None for ``"*"``.

    ``single`` is false for a list, even of one: its author expects expansion, not an error.
    """

    values: tuple[object, ...] | None
    single: bool


@dataclass(frozen=True)
class Entry:
    """One entry, with the options for every field. ``gpus`` is None for all GPUs.

    ``subsets`` are words by which the sets of a declaration choose among its entries.
    """

    label: str
    options: Mapping[str, Options]
    gpus: tuple[str, ...] | None
    subsets: tuple[str, ...] = ()

    @property
    def explicit(self) -> bool:
        """Whether the entry names exactly one kernel: no wildcard and no list."""
        return all(option.single for option in self.options.values())


@dataclass(frozen=True)
class Declaration:
    """Kernels as declared; ``errors`` are the sentences about entries left out for them.

    ``sets`` is what the declaration says about how its kernels are divided into sets, which
    ``ckgen.core.sets`` reads; without, they are one set.
    """

    source: str
    family: Family
    forbid_spills: bool
    entries: tuple[Entry, ...]
    errors: tuple[str, ...]
    sets: object = None


def load_declaration(
    path: Path, families: Mapping[str, Family], known_gpus: tuple[str, ...], source: str = ""
) -> Declaration:
    """The declaration in ``path``; messages call it ``source``, or by its path if that is empty."""
    source = source or str(path)
    return parse_declaration(read_declaration(path, source), families, known_gpus, source)


def read_declaration(path: Path, source: str) -> object:
    """The JSON in ``path``, of a declaration or of something else; messages call it ``source``."""
    try:
        return codec.load_json(path)
    except FieldError as error:
        raise DeclarationError(str(error).replace(str(path), source, 1)) from error


def parse_declaration(
    data: object, families: Mapping[str, Family], known_gpus: tuple[str, ...], source: str
) -> Declaration:
    """A declaration from its JSON. A fault outside the entries raises ``DeclarationError``."""
    if not isinstance(data, dict):
        raise unexpected(source, "a JSON object", data)
    try:
        family = look_up_family(families, data.get("family"))
    except CkgenError as error:
        raise DeclarationError(f"{source}, field 'family': {error}") from error
    if not isinstance(data.get("description", ""), str):
        raise unexpected(f"{source}, field 'description'", "text", data["description"])
    fields = {field.name: field for field in family.entry_fields}
    at_top = [field.name for field in family.entry_fields if field.set_level]
    _refuse_unknown(data, (*_TOP_LEVEL, *at_top), source)
    base = {
        **_decode_fields({k: v for k, v in data.items() if k in at_top}, fields, source),
        **_decode_defaults(data.get("defaults", {}), fields, source),
    }
    kernels = data.get("kernels")
    if not isinstance(kernels, list) or not kernels:
        raise unexpected(f"{source}, field 'kernels'", "a list of at least one entry", kernels)
    if len(kernels) > MOST_ENTRIES:
        raise DeclarationError(
            f"{source}, field 'kernels': has {len(kernels):,} entries, and a declaration may have "
            f"{MOST_ENTRIES:,}; divide it"
        )
    entries: list[Entry] = []
    errors: list[str] = []
    for index, value in enumerate(kernels, start=1):
        try:
            label = f"{source}, entry {index}"
            entries.append(parse_entry(value, family, known_gpus, label, base))
        except DeclarationError as error:
            errors.append(str(error))
    forbid_spills = _forbid_spills(data, source)
    return Declaration(
        source, family, forbid_spills, tuple(entries), tuple(errors), data.get("sets")
    )


def parse_entry(
    value: object,
    family: Family,
    known_gpus: tuple[str, ...],
    label: str,
    base: Mapping[str, Options] | None = None,
) -> Entry:
    """One entry from its JSON, called ``label``; ``base`` holds for fields that it leaves out."""
    fields = {field.name: field for field in family.entry_fields}
    if not isinstance(value, dict):
        raise unexpected(label, "a JSON object", value)
    _refuse_unknown(value, (*fields, *_OF_ENTRY), label)
    own = {key: item for key, item in value.items() if key not in _OF_ENTRY}
    said = {**(base or {}), **_decode_fields(own, fields, label)}
    for field in fields.values():
        if field.required and field.name not in said:
            raise DeclarationError(f"{label}: the field {field.name!r} is missing")
    options = {
        name: said.get(name, Options((field.default,), single=True))
        for name, field in fields.items()
    }
    gpus = _parse_gpus(value.get("gpus"), known_gpus, label)
    return Entry(label, options, gpus, _parse_subsets(value.get("subsets", []), label))


def parse_fields(family: Family, values: Mapping[str, object]) -> dict[str, Options]:
    """What ``values`` say about fields of the family; raises ``DeclarationError`` if nothing."""
    fields = {field.name: field for field in family.entry_fields}
    _refuse_unknown(values, tuple(fields), family.name)
    return _decode_fields(values, fields, family.name)


def unexpected(label: str, expected: str, value: object) -> DeclarationError:
    """The error that ``value`` is not what was ``expected``."""
    return DeclarationError(f"{label}: expected {expected}, not {codec.show(value)}")


def _decode_defaults(
    value: object, fields: Mapping[str, EntryField], source: str
) -> dict[str, Options]:
    if not isinstance(value, dict):
        raise unexpected(f"{source}, field 'defaults'", "a JSON object", value)
    label = f"{source}, defaults"
    _refuse_unknown(value, tuple(fields), label)
    return _decode_fields(value, fields, label)


def _decode_fields(
    values: Mapping[str, object], fields: Mapping[str, EntryField], label: str
) -> dict[str, Options]:
    return {name: _decode_options(fields[name], value, label) for name, value in values.items()}


def _decode_options(field: EntryField, value: object, label: str) -> Options:
    if value in (WILDCARD, ANY_NUMBER, [ANY_NUMBER] * 3):
        return Options(None, single=False)
    several = isinstance(value, list) and (
        not field.triple
        or (not value and not field.may_be_empty)
        or (bool(value) and isinstance(value[0], list))
    )
    items = value if isinstance(value, list) and several else [value]
    try:
        if not items:
            raise FieldError("a list of choices must not be empty")
        choices = dict.fromkeys(field.decode(item) for item in items)
    except FieldError as error:
        raise DeclarationError(f"{label}, field {field.name!r}: {error}") from error
    return Options(tuple(choices), single=not several)


def _parse_gpus(value: object, known: tuple[str, ...], label: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value:
        raise unexpected(f"{label}, field 'gpus'", "a list of GPU names", value)
    for name in value:
        if name not in known:
            raise DeclarationError(
                f"{label}, field 'gpus': there is no GPU {codec.show(name)}; "
                f"known ones are {', '.join(known)}"
            )
    return tuple(name for name in known if name in value)


def _parse_subsets(value: object, label: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise unexpected(f"{label}, field 'subsets'", "a list of words", value)
    return tuple(dict.fromkeys(value))


def _forbid_spills(data: Mapping[str, Any], source: str) -> bool:
    try:
        return bool(codec.decode(bool, data.get("forbid_spills", False)))
    except FieldError as error:
        raise DeclarationError(f"{source}, field 'forbid_spills': {error}") from error


def _refuse_unknown(data: Mapping[str, object], known: tuple[str, ...], label: str) -> None:
    for key in data:
        if key not in known:
            raise DeclarationError(
                f"{label}: there is no field {key!r}; the fields are {', '.join(known)}"
            )
