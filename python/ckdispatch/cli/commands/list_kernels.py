# SPDX-License-Identifier: MIT
"""``list``: the kernels of sets, and what their code uses."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.families import family_face
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import Commands, add_command, add_kernels
from ckdispatch.cli.report import Column, Facts, Report, Table

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
        "Example:\n  ckdispatch list --kernels gemm_fp16_rcr_essential --pipeline mem",
    )
    add_kernels(parser)
    parser.add_argument("--variant", help="only kernels of this variant, such as multi_d")
    parser.add_argument("--dtype", help="only kernels whose A is of this dtype, such as fp16")
    parser.add_argument("--layout", help="only kernels of this layout, such as rcr")
    parser.add_argument("--pipeline", help="only kernels of this pipeline, such as compv4")
    parser.add_argument("--gpu", help="only kernels with code for this GPU, such as gfx942")


def run(options: argparse.Namespace) -> Report:
    """A table of the kernels that pass the filters, and how many there are of which kind."""
    from ckarch import load_specs

    registry = load_kernels(options.kernels)
    words = {**family_face(_family(registry)).FIELDS, "gpu": "gpu"}
    asked = {name: value for name in words if (value := getattr(options, name)) is not None}
    chosen = {words[name]: value for name, value in asked.items()}
    document = (registry.filter(**chosen) if chosen else registry).to_json()
    specs = load_specs()
    kernels = [_with_occupancy(kernel, options.gpu, specs) for kernel in document["kernels"]]
    report = {"kernels": kernels, "statistics": document["statistics"]}
    if not kernels:
        return Report(report, (), ExitCode.NOT_FOUND, _nothing(registry, asked))
    return Report(report, (_table(kernels), _statistics(registry, document["statistics"])))


def _family(registry: Registry) -> str:
    return registry.family.name.lower()


def _with_occupancy(kernel: Mapping[str, Any], gpu: str | None, specs: ArchSpecs) -> dict[str, Any]:
    """The kernel with ``waves_per_simd`` on each GPU, None where that is not known."""
    resources = {
        name: {**used, "waves_per_simd": _waves(kernel["spec"], name, used, specs)}
        for name, used in kernel["resources"].items()
        if gpu is None or name == gpu
    }
    return {**kernel, "resources": resources}


def _waves(
    spec: Mapping[str, Any], gpu: str, used: Mapping[str, int], specs: ArchSpecs
) -> int | None:
    from ckarch import KernelResources, waves_per_simd

    if gpu not in specs.architectures:
        return None
    target = specs.gpu(gpu)
    # A manifest does not say it; a library, once it was opened, does.
    face = family_face(spec["family"])
    group = used["workgroup_size"] or face.workgroup_size(spec, target.wave_size)
    taken = {name: used[name] for name in ("vgprs", "agprs", "sgprs", "lds_bytes")}
    return waves_per_simd(target, KernelResources(**taken, workgroup_size=group))


def _table(kernels: list[dict[str, Any]]) -> Table:
    face = family_face(kernels[0]["spec"]["family"])
    columns = (Column("kernel", whole=False), Column("GPU"), *face.COLUMNS, *_USES)
    return Table(columns, tuple(row for kernel in kernels for row in _rows(kernel)))


def _rows(kernel: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    spec = kernel["spec"]
    own = family_face(spec["family"]).cells(spec)
    for gpu, used in sorted(kernel["resources"].items()):
        waves = used["waves_per_simd"]
        figures = (used["vgprs"], used["lds_bytes"], used["vgpr_spills"])
        yield (kernel["name"], gpu, *own, *map(str, figures), "?" if waves is None else str(waves))


def _statistics(registry: Registry, found: Mapping[str, Any]) -> Facts:
    def counted(values: Mapping[str, int]) -> str:
        return ", ".join(f"{count} {value}" for value, count in sorted(values.items()))

    fields = family_face(_family(registry)).FIELDS
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
    there = {"gpu": found["gpus"]}
    for name, word in family_face(_family(registry)).FIELDS.items():
        there[name] = found["fields"][word]
    wanted = " and ".join(f"{name} {value}" for name, value in asked.items())
    have = ", ".join(f"{name} {' or '.join(sorted(there[name]))}" for name in asked)
    return f"none of the {found['kernels']} kernels has {wanted}; they have {have}"
