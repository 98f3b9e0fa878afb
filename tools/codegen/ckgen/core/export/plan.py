# SPDX-License-Identifier: MIT
"""What a build file needs to know, whatever the build system."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import ArchSpecs

from ckgen.core.recipe import load_recipe, wave_sizes
from ckgen.core.render import Renderer
from ckgen.core.writer import write_if_changed

TEMPLATES = Path(__file__).parent / "templates"
LIBRARY = "libck_kernels.so"
TABLE = "all_kernels"
INCLUDE = "include"
FIND_COMPILER = "find_hip_compiler.sh"


@dataclass(frozen=True)
class Unit:
    """One kernel to compile: its source is ``<name>.cpp``, its object ``<name>.o``.

    ``group`` is the index of its GPUs; kernels for the same ones share a command.
    """

    number: int
    name: str
    group: int


@dataclass(frozen=True)
class BuildPlan:
    """All kernels of one folder, each to be its own object, and all together one library.

    ``groups`` has what the GPUs of each group are to the recipe.
    """

    units: tuple[Unit, ...]
    groups: tuple[Mapping[str, Sequence[str]], ...]

    @property
    def total(self) -> int:
        """The number of kernels."""
        return len(self.units)


def make_plan(kernels: Sequence[tuple[str, Sequence[str]]], arch: ArchSpecs) -> BuildPlan:
    """A plan for kernels given by name and GPUs."""
    numbers: dict[tuple[str, ...], int] = {}
    units = [
        Unit(at, name, numbers.setdefault(tuple(gpus), len(numbers)))
        for at, (name, gpus) in enumerate(kernels, start=1)
    ]
    groups = []
    for names in numbers:
        gpus = [arch.gpu(name) for name in names]
        groups.append(
            {
                "gpus": names,
                "gpu_flags": load_recipe().gpu_flags(gpus),
                "wave_sizes": wave_sizes(gpus),
            }
        )
    return BuildPlan(tuple(units), tuple(groups))


def write_shared_files(
    plan: BuildPlan, headers: Mapping[str, Path], output_dir: Path
) -> list[Path]:
    """What every build system needs beside the kernels: the table of kernels, the search for a
    compiler, and the headers.

    The headers are copied, so that the folder can be taken to another machine as it is.
    """
    texts = {
        f"{TABLE}.cpp": Renderer(TEMPLATES / f"{TABLE}.cpp.j2").render({"plan": plan}),
        FIND_COMPILER: Renderer(TEMPLATES / f"{FIND_COMPILER}.j2").render(
            {"search": load_recipe().search, "quote": shlex.quote, "join": shlex.join}
        ),
    }
    for name, source in headers.items():
        texts[f"{INCLUDE}/{name}"] = source.read_text(encoding="utf-8")
    for name, text in texts.items():
        write_if_changed(output_dir / name, text)
    return [output_dir / name for name in texts]
