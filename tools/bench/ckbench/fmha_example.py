# SPDX-License-Identifier: MIT
"""The same attention kernel as the generator of CK's example writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from ckgen.core.spec import KernelSpec
from ckgen.fmha.spec import FmhaSpec

from ckbench.ck_fmha.generator import GENERATE, forward_kernels, load_generator
from ckbench.ck_fmha.names import fields_of
from ckbench.errors import BenchError
from ckbench.rival import find_program

NAME = "01_fmha"
"""What it is called in tables."""

TARGET = "@composable_kernel//:examples"


@dataclass(frozen=True)
class FmhaExample:
    """CK's example of attention, of which ``program`` is the generate.py."""

    program: Path
    gpu: str
    name: str = field(default=NAME, init=False)
    path_in_ck: str = field(default=GENERATE, init=False)

    @property
    def flags(self) -> tuple[str, ...]:
        """Sources include a header that lies beside the program, and expect what CK's
        CMakeLists.txt defines.
        """
        return ("-I", str(self.program.parent), "-DCK_TILE_FMHA_FWD_FAST_EXP2=1")

    def writes(self, spec: KernelSpec) -> bool:
        """Whether it makes that kernel, with whatever occupancy."""
        return self._like(spec) is not None

    def write_source(self, spec: KernelSpec, source: Path) -> None:
        """Write what the generator writes for the kernel with the occupancy of ``spec``."""
        kernel = self._like(spec)
        if kernel is None:
            raise BenchError(f"CK's generator makes no kernel like {spec.name} for {self.gpu}.")
        # It is the one template argument that ours have their own of, and decides how long
        # registers are allocated.
        tile = replace(kernel.F_tile, F_occupancy=cast(FmhaSpec, spec).occupancy)
        source.write_text(replace(kernel, F_tile=tile).template, encoding="utf-8")

    def _like(self, spec: KernelSpec) -> Any:
        data = spec.to_json()
        return next(
            (
                kernel
                for fields, kernel in self._kernels
                if all(data.get(name) == value for name, value in fields.items())
            ),
            None,
        )

    @cached_property
    def _kernels(self) -> Sequence[tuple[Mapping[str, Any], Any]]:
        made = forward_kernels(load_generator(self.program), self.gpu)
        try:
            return [(fields_of(kernel.name), kernel) for kernel in made]
        except ValueError as error:
            raise BenchError(
                f"The Composable Kernel in use names its kernels in another way: {error}"
            ) from error


def find_example(files: Sequence[Path], gpu: str) -> FmhaExample:
    """The example among CK's files."""
    program = find_program(files, GENERATE)
    if program is None:
        raise BenchError(
            "--family fmha needs CK's example of attention, which the Composable Kernel in use "
            "does not have; build without CKDISPATCH_CK, or give a checkout that has it."
        )
    return FmhaExample(program, gpu)
