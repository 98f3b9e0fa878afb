# SPDX-License-Identifier: MIT
"""Which kernels a family's command is about."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.declaration import Declaration, load_declaration, parse_declaration
from ckgen.core.errors import DeclarationError, FieldError, UsageError
from ckgen.core.expand import expand
from ckgen.core.family import EntryField, Family
from ckgen.core.sets import named_sets, restrict
from ckgen.core.spec import KernelSpec
from ckgen.families import FAMILIES


@dataclass(frozen=True)
class Selected:
    """A kernel, and those of the wanted GPUs that it is legal on."""

    spec: KernelSpec
    gpus: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """The kernels to work on; ``left_out`` counts those that are legal on no wanted GPU."""

    kernels: tuple[Selected, ...]
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


def select(family: Family, options: argparse.Namespace, arch: ArchSpecs) -> Selection:
    """The kernels that the command line asks for; none at all is a ``DeclarationError``."""
    gpus = wanted_gpus(options, arch)
    fields = _set_level_fields(family, options)
    declaration = _declaration(family, options, arch, fields, gpus)
    expansion = expand(declaration, arch)
    if expansion.errors:
        raise DeclarationError("\n".join(expansion.errors))
    asked = [
        kernel
        for kernel in expansion.kernels
        if all(family.set_value(kernel.spec, name) in values for name, values in fields.items())
    ]
    kernels = tuple(
        Selected(kernel.spec, tuple(gpu for gpu in gpus if gpu in kernel.gpus)) for kernel in asked
    )
    legal = tuple(kernel for kernel in kernels if kernel.gpus)
    if not legal:
        filters = ", ".join(f"{name} {' or '.join(values)}" for name, values in fields.items())
        raise DeclarationError(
            f"{declaration.source}: none of its {len(expansion.kernels)} kernels is legal on "
            f"{' or '.join(gpus)}" + (f" with {filters}" if filters else "")
        )
    return Selection(legal, len(kernels) - len(legal))


def _set_level_fields(family: Family, options: argparse.Namespace) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for field in family.entry_fields:
        values = getattr(options, field.name) if field.set_level else None
        if values:
            try:
                fields[field.name] = [str(field.decode(value)) for value in values]
            except FieldError as error:
                raise UsageError(f"{option_name(field)}: {error}") from error
    return fields


def _declaration(
    family: Family,
    options: argparse.Namespace,
    arch: ArchSpecs,
    fields: Mapping[str, list[str]],
    gpus: tuple[str, ...],
) -> Declaration:
    if options.preselected is not None:
        known = preselected_sets(family, arch)
        if options.preselected not in known:
            raise UsageError(
                f"--preselected: there is no set {options.preselected!r}; "
                f"there is {', '.join(known)}"
            )
        return known[options.preselected]
    if options.declaration is not None:
        return load_declaration(options.declaration, FAMILIES, arch.gpus)
    for field in family.entry_fields:
        if field.set_level and field.required and field.name not in fields:
            raise UsageError(
                f"{option_name(field)} is needed where neither --preselected nor --declaration "
                "says which kernels to generate"
            )
    catalogue: dict[str, Any] = dict(family.catalogue(fields))
    catalogue["kernels"] = [{**entry, "gpus": list(gpus)} for entry in catalogue["kernels"]]
    return parse_declaration(catalogue, FAMILIES, arch.gpus, f"the {family.name} catalogue")


def preselected_sets(family: Family, arch: ArchSpecs) -> dict[str, Declaration]:
    """The sets that ship with the family, by name."""
    found = {}
    for stem, path in family.preselected.items():
        declaration = load_declaration(path, FAMILIES, arch.gpus, path.name)
        for one in named_sets(declaration, f"{family.name}_{stem}"):
            found[one.name] = restrict(declaration, one)
    return found


def option_name(field: EntryField) -> str:
    """The command-line option that sets ``field``."""
    return f"--{field.option or field.name}"
