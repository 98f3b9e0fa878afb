# SPDX-License-Identifier: MIT
"""Who else writes a family's kernels: what the compile times of ours are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ckgen.core.spec import KernelSpec


class Rival(Protocol):
    """A program of CK's that writes sources of kernels, for one GPU."""

    @property
    def name(self) -> str:
        """What it is called in tables: the name of its folder in CK."""

    @property
    def program(self) -> Path:
        """The program, which is of the same download as CK's headers."""

    @property
    def path_in_ck(self) -> str:
        """Where CK has the program."""

    @property
    def flags(self) -> tuple[str, ...]:
        """What the compiler must be told for its sources and not for ours."""

    def writes(self, spec: KernelSpec) -> bool:
        """Whether it knows a kernel with the template arguments of ``spec``."""

    def write_source(self, spec: KernelSpec, source: Path) -> None:
        """Write ``source``, which instantiates that kernel and launches it; its folder is there."""


def find_program(files: Sequence[Path], path_in_ck: str) -> Path | None:
    """The file that CK has at ``path_in_ck``, among some of its files."""
    ending = Path(path_in_ck).parts
    return next((file for file in files if file.parts[-len(ending) :] == ending), None)
