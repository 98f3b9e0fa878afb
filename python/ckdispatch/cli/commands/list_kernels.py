# SPDX-License-Identifier: MIT
"""``list``: the kernels of sets, and what their code uses."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.families import commands_of
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import Commands, add_command, add_kernels
from ckdispatch.cli.report import Block, Column, Facts, Report, Table
from ckdispatch.families import EXAMPLE, FAMILIES

if TYPE_CHECKING:
    from ckarch import ArchSpecs

    from ckdispatch.registry import Registry

_USES = tuple(Column(title, right=True) for title in ("VGPRs", "LDS", "spills", "waves/SIMD"))


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "list",
        run,
        "list kernels, with what their code uses on each GPU",
        "LDS is in bytes, spills are of VGPRs, waves/SIMD is how many of its waves fit at once.\n\n"
        f"Example:\n  ckdispatch list --kernels {EXAMPLE.example_kernels}",
    )
    add_kernels(parser)
    for name in _filters():
        parser.add_argument(f"--{name}", help=f"only kernels of this {name}")
    parser.add_argument("--gpu", help="only kernels with code for this GPU, such as gfx942")


def run(options: argparse.Namespace) -> Report:
    """A table of the kernels that pass the filters, and how many there are of which kind."""
    registry = load_kernels(options.kernels)
    asked = {
        name: value
        for name in (*_filters(), "gpu")
        if (value := getattr(options, name)) is not None
    }
    chosen = [_chosen(registry, family, asked) for family in registry.families]
    found = [one for one in chosen if len(one)]
    if not found:
        document = (chosen[0] if chosen else registry).to_json()
        report = {"kernels": [], "statistics": document["statistics"]}
        return Report(report, (), ExitCode.NOT_FOUND, _nothing(registry, asked))
    from ckdispatch.registry import Registry

    together = Registry(name=registry.name)
    blocks: list[Block] = []
    kernels = []
    for one in found:
        together.merge(one)
        document = one.to_json()
        shown = list(_with_occupancies(document["kernels"], options.gpu))
        kernels += shown
        blocks += [_table(shown), _statistics(document)]
    statistics = together.to_json()["statistics"]
    return Report({"kernels": kernels, "statistics": statistics}, tuple(blocks))


def _chosen(registry: Registry, family: str, asked: Mapping[str, str]) -> Registry:
    """The kernels of a family that have what is asked for, each by the family's own word for it."""
    words = _words(family)
    if not asked.keys() <= words.keys():
        from ckdispatch.registry import Registry

        return Registry(name=registry.name)
    chosen: dict[str, Any] = {words[name]: value for name, value in asked.items()}
    return registry.filter(family=family, **chosen)


def _filters() -> list[str]:
    """What kernels of some family can be narrowed down by."""
    return list(dict.fromkeys(name for one in FAMILIES.values() for name in one.commands.FIELDS))


def _words(family: str) -> dict[str, str]:
    return {**commands_of(family).FIELDS, "gpu": "gpu"}


def _with_occupancies(kernels: list[dict[str, Any]], gpu: str | None) -> Iterator[dict[str, Any]]:
    """The kernels with ``waves_per_simd`` on each GPU, None where that is not known."""
    from ckarch import load_specs

    specs = load_specs()
    for kernel in kernels:
        resources = {
            name: {**used, "waves_per_simd": _waves(kernel["spec"], name, used, specs)}
            for name, used in kernel["resources"].items()
            if gpu is None or name == gpu
        }
        yield {**kernel, "resources": resources}


def _waves(
    spec: Mapping[str, Any], gpu: str, used: Mapping[str, int], specs: ArchSpecs
) -> int | None:
    from ckarch import KernelResources, waves_per_simd

    if gpu not in specs.architectures:
        return None
    target = specs.gpu(gpu)
    # A manifest does not say it; a library, once it was opened, does.
    family = commands_of(spec["family"])
    group = used["workgroup_size"] or family.workgroup_size(spec, target.wave_size)
    taken = {name: used[name] for name in ("vgprs", "agprs", "sgprs", "lds_bytes")}
    return waves_per_simd(target, KernelResources(**taken, workgroup_size=group))


def _table(kernels: list[dict[str, Any]]) -> Table:
    family = commands_of(kernels[0]["spec"]["family"])
    columns = (Column("kernel", whole=False), Column("GPU"), *family.COLUMNS, *_USES)
    return Table(columns, tuple(row for kernel in kernels for row in _rows(kernel)))


def _rows(kernel: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    spec = kernel["spec"]
    own = commands_of(spec["family"]).cells(spec)
    for gpu, used in sorted(kernel["resources"].items()):
        waves = used["waves_per_simd"]
        figures = (used["vgprs"], used["lds_bytes"], used["vgpr_spills"])
        yield (kernel["name"], gpu, *own, *map(str, figures), "?" if waves is None else str(waves))


def _statistics(document: Mapping[str, Any]) -> Facts:
    def counted(values: Mapping[str, int]) -> str:
        return ", ".join(f"{count} {value}" for value, count in sorted(values.items()))

    fields, found = commands_of(document["kernels"][0]["family"]).FIELDS, document["statistics"]
    return Facts(
        (
            ("kernels", str(found["kernels"])),
            ("by GPU", counted(found["gpus"])),
            *((f"by {name}", counted(found["fields"][word])) for name, word in fields.items()),
            ("spilling", str(found["spilling"])),
        )
    )


def _nothing(registry: Registry, asked: Mapping[str, str]) -> str:
    found = registry.to_json()["statistics"]
    if not found["kernels"]:
        return f"there is no kernel in {registry.name}"
    there: dict[str, set[str]] = {name: set() for name in asked}
    for family in registry.families:
        statistics = registry.filter(family=family).to_json()["statistics"]
        counted = {"gpu": statistics["gpus"], **statistics["fields"]}
        words = _words(family)
        for name in asked.keys() & words.keys():
            there[name] |= set(counted[words[name]])
    wanted = " and ".join(f"{name} {value}" for name, value in asked.items())
    have = ", ".join(f"{name} {' or '.join(sorted(there[name]))}" for name in asked)
    return f"none of the {found['kernels']} kernels has {wanted}; they have {have}"
