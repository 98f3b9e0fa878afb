# SPDX-License-Identifier: MIT
"""Which kernels a family's command is about."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ckarch import ArchSpecs
from ckfamilies import REPOSITORY

from ckgen.core import codec
from ckgen.core.declaration import (
    ANY_NUMBER,
    WILDCARD,
    Declaration,
    load_declaration,
    parse_declaration,
    read_declaration,
)
from ckgen.core.errors import DeclarationError, FieldError, UsageError
from ckgen.core.expand import ExpandedKernel, expand
from ckgen.core.family import EntryField, Family
from ckgen.core.sets import named_sets, restrict
from ckgen.core.spec import KernelSpec
from ckgen.core.target import DEFAULT_GPU, Target
from ckgen.families import FAMILIES

_SHIPPED = REPOSITORY / "kernels"
"""Declarations lie there and, in runfiles and in a wheel, manifests and descriptions of kernels."""


@dataclass(frozen=True)
class Selection:
    """The kernels to work on, with those of the wanted GPUs that each is legal on.

    ``left_out`` counts those that are legal on none of them.
    """

    kernels: tuple[ExpandedKernel, ...]
    left_out: int


def wanted_gpus(options: argparse.Namespace, arch: ArchSpecs) -> tuple[str, ...]:
    """The GPUs of ``--gpu-target``, in the order of the arch table."""
    wanted = [name for text in options.gpu_target for name in text.split(",") if name]
    for name in wanted:
        if name not in arch.gpus:
            raise UsageError(
                f"--gpu-target: there is no GPU {name!r}; known ones are {', '.join(arch.gpus)}"
            )
    return tuple(name for name in arch.gpus if name in wanted)


def fill_in(family: Family, options: argparse.Namespace) -> list[str]:
    """Say what must be said and was not; returns the options that were filled in.

    The kernels of a profile are counted for every GPU unless some are named.
    """
    sources = (options.preselected, options.declaration, options.explain)
    profile = getattr(options, "profile", None)
    filled = []
    if not options.gpu_target and not (profile and options.list and not options.json):
        options.gpu_target = [DEFAULT_GPU]
        filled.append(f"--gpu-target {DEFAULT_GPU}")
    if profile is None and not any(source is not None for source in sources):
        for field in family.entry_fields:
            if field.set_level and field.required and not getattr(options, field.name):
                setattr(options, field.name, [str(field.usual)])
                filled.append(f"{option_name(field)} {field.usual}")
    return filled


def select(family: Family, options: argparse.Namespace, arch: ArchSpecs) -> Selection:
    """The kernels that the command line asks for; none at all is a ``DeclarationError``."""
    gpus = wanted_gpus(options, arch)
    fields = set_level_fields(family, options, [Target.of(arch, gpu) for gpu in gpus])
    declaration = _declaration(family, options, arch, fields, gpus)
    expansion = expand(declaration, arch)
    if expansion.errors:
        raise DeclarationError("\n".join(expansion.errors))
    asked = [kernel for kernel in expansion.kernels if has_fields(family, kernel.spec, fields)]
    said = ", ".join(f"{name} {' or '.join(map(str, values))}" for name, values in fields.items())
    if not asked:
        raise DeclarationError(
            f"{declaration.source}: none of its {len(expansion.kernels)} kernels has {said}"
        )
    kernels = tuple(
        replace(kernel, gpus=tuple(gpu for gpu in gpus if gpu in kernel.gpus)) for kernel in asked
    )
    legal = tuple(kernel for kernel in kernels if kernel.gpus)
    if not legal:
        raise DeclarationError(
            f"{declaration.source}: none of its {len(expansion.kernels)} kernels is legal on "
            f"{' or '.join(gpus)}" + (f" with {said}" if said else "")
        )
    return Selection(legal, len(kernels) - len(legal))


def has_fields(family: Family, spec: KernelSpec, fields: Mapping[str, list[Any]]) -> bool:
    """Whether ``spec`` is what the options of the fields say."""
    return all(
        any(word in map(str, values) for word in family.set_words(spec, name))
        for name, values in fields.items()
    )


def set_level_fields(
    family: Family, options: argparse.Namespace, targets: Sequence[Target]
) -> dict[str, list[Any]]:
    """What the options of the fields say, as JSON values."""
    fields: dict[str, list[Any]] = {}
    for field in family.entry_fields:
        texts = getattr(options, field.name) if field.set_level else None
        if texts:
            words = [word for text in texts for word in text.split(",") if word]
            if not words:
                raise UsageError(f"{option_name(field)}: {' '.join(texts)!r} names nothing")
            try:
                found = [value for word in words for value in _values(field, word, targets)]
            except FieldError as error:
                raise UsageError(f"{option_name(field)}: {error}") from error
            fields[field.name] = list(dict.fromkeys(map(codec.encode, found)))
    return fields


def _values(field: EntryField, word: str, targets: Sequence[Target]) -> Sequence[object]:
    """One, or all that some GPU has."""
    if word in (WILDCARD, str(ANY_NUMBER)):
        return [value for target in targets for value in field.choices(target, {})]
    return [field.decode(int(word) if word.isdecimal() else word)]


def _declaration(
    family: Family,
    options: argparse.Namespace,
    arch: ArchSpecs,
    fields: Mapping[str, list[Any]],
    gpus: tuple[str, ...],
) -> Declaration:
    if options.preselected is not None:
        known = preselected_sets(family, arch)
        # Whoever asks a family's command need not say the family again.
        for name in (options.preselected, f"{family.name}_{options.preselected}"):
            if name in known:
                return replace(known[name], source=name)
        raise UsageError(
            f"--preselected: there is no set {options.preselected!r}; there is {', '.join(known)}"
        )
    if options.declaration is not None:
        return load_declaration(options.declaration, FAMILIES, arch.gpus)
    catalogue: dict[str, Any] = dict(family.catalogue(fields))
    catalogue["kernels"] = [{**entry, "gpus": list(gpus)} for entry in catalogue["kernels"]]
    return parse_declaration(catalogue, FAMILIES, arch.gpus, f"the {family.name} catalogue")


def preselected_sets(family: Family, arch: ArchSpecs) -> dict[str, Declaration]:
    """The sets that ship with the family, by name."""
    return {
        one.name: restrict(declaration, one)
        for name, declaration in shipped_declarations(family, arch).items()
        for one in named_sets(declaration, name)
    }


def shipped_declarations(family: Family, arch: ArchSpecs) -> dict[str, Declaration]:
    """The declarations of ``kernels/`` that are of the family, by the stem of their file."""
    found = {}
    for path in sorted(_SHIPPED.glob("*.json")):
        source = f"{_SHIPPED.name}/{path.name}"
        data = read_declaration(path, source)
        # Nothing but a declaration says its family at the top.
        if isinstance(data, dict) and data.get("family") == family.name:
            found[path.stem] = parse_declaration(data, FAMILIES, arch.gpus, source)
    return found


def option_name(field: EntryField) -> str:
    """The command-line option that sets ``field``."""
    return f"--{field.option or field.name}"
