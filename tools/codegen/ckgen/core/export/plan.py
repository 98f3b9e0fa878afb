# SPDX-License-Identifier: MIT
"""What a build file needs to know, whatever the build system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import ArchSpecs

from ckgen.core.flags import load_flags
from ckgen.core.render import Renderer
from ckgen.core.writer import write_if_changed

TEMPLATES = Path(__file__).parent / "templates"
LIBRARY = "libck_kernels.so"
TABLE = "all_kernels"
INCLUDE = "include"


@dataclass(frozen=True)
class Unit:
    """One kernel to compile: its source is ``<name>.cpp``, its object ``<name>.o``.

    ``group`` is the index of its flags; kernels for the same GPUs share them.
    """

    number: int
    name: str
    group: int


@dataclass(frozen=True)
class BuildPlan:
    """All kernels of one folder, each to be its own object, and all together one library."""

    units: tuple[Unit, ...]
    kernel_flags: tuple[tuple[str, ...], ...]
    table_flags: tuple[str, ...]
    link_flags: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of kernels."""
        return len(self.units)


def make_plan(kernels: Sequence[tuple[str, Sequence[str]]], arch: ArchSpecs) -> BuildPlan:
    """A plan for kernels given by name and GPUs."""
    flags = load_flags()
    groups: dict[tuple[str, ...], int] = {}
    units = []
    for number, (name, gpus) in enumerate(kernels, start=1):
        own = flags.for_combined_library([arch.gpu(gpu) for gpu in gpus])
        units.append(Unit(number, name, groups.setdefault(own, len(groups))))
    return BuildPlan(tuple(units), tuple(groups), flags.table, flags.link)


def write_shared_files(
    plan: BuildPlan, headers: Mapping[str, Path], output_dir: Path
) -> list[Path]:
    """What every build system needs beside the kernels: the table of kernels, and the headers.

    The headers are copied, so that the folder can be taken to another machine as it is.
    """
    table = output_dir / f"{TABLE}.cpp"
    text = Renderer(TEMPLATES / f"{TABLE}.cpp.j2").render({"plan": plan})
    write_if_changed(table, text)
    written = [table]
    for name, source in headers.items():
        path = output_dir / INCLUDE / name
        write_if_changed(path, source.read_text(encoding="utf-8"))
        written.append(path)
    return written
