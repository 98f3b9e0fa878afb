# SPDX-License-Identifier: MIT
"""How many kernels the generator makes in a second, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ckarch import ArchSpecs
from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import expand
from ckgen.core.family import Family
from ckgen.core.generate import generate
from ckgen.core.spec import KernelSpec
from ckgen.families import FAMILIES
from ckgen.product.spec import Layout

from ckbench.errors import BenchError
from ckbench.process import Seconds

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Generation:
    """What it took to find all legal kernels of a catalogue, and to write their sources."""

    kernels: int
    rejected: int
    expand: Seconds
    write: Seconds

    @property
    def per_s(self) -> float:
        """Kernels per second of one core, from the wildcards to the files."""
        return self.kernels / (self.expand.cpu + self.write.cpu)

    @property
    def per_wall_s(self) -> float:
        """The same by the clock, which runs on while a busy machine serves others."""
        return self.kernels / (self.expand.wall + self.write.wall)


def measure_generation(arch: ArchSpecs, gpu: str, folder: Path) -> Generation:
    """Generate every fp16 kernel that is legal on ``gpu`` into ``folder``, in this process."""
    family = FAMILIES["gemm"]
    (specs, rejected), expanding = _timed(_all_legal, family, arch, gpu)
    if not specs:
        raise BenchError(f"There is nothing to generate: no fp16 kernel is legal on {gpu}.")
    generated, writing = _timed(
        generate, family, specs, arch, folder, 1, lambda number, total, kernel: None
    )
    if not all(kernel.written for kernel in generated):
        raise BenchError(f"{folder} already held sources, so that generating was not measured.")
    return Generation(len(generated), rejected, expanding, writing)


def _timed(call: Callable[..., _Result], *arguments: Any) -> tuple[_Result, Seconds]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = call(*arguments)
    return result, Seconds(time.perf_counter() - wall, time.process_time() - cpu)


def _all_legal(family: Family, arch: ArchSpecs, gpu: str) -> tuple[list[KernelSpec], int]:
    layouts = [layout.value for layout in Layout]
    fields = {"variant": ["standard"], "dtype": ["fp16"], "layout": layouts}
    catalogue = dict(family.catalogue(fields))
    catalogue["kernels"] = [{**entry, "gpus": [gpu]} for entry in catalogue["kernels"]]
    declaration = parse_declaration(catalogue, FAMILIES, arch.gpus, "the catalogue")
    expansion = expand(declaration, arch)
    if expansion.errors:
        raise BenchError(expansion.errors[0])
    return [kernel.spec for kernel in expansion.kernels], sum(expansion.dropped.values())
