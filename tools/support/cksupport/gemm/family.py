# SPDX-License-Identifier: MIT
"""GEMM, as the support matrix asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from ckarch import ArchSpecs
from ckdispatch.device import Device
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.gemm.context import device_functions
from ckgen.gemm.spec import GemmSpec

from cksupport.cells import Cell, answer_all
from cksupport.family import Launch, SupportFamily
from cksupport.gemm.candidates import candidates
from cksupport.gemm.draw import GemmDraw
from cksupport.gemm.placed import PlacedLaunch
from cksupport.gemm.problems import launches
from cksupport.gemm.tables import all_tables
from cksupport.questions import Table


class GemmSupport(SupportFamily):
    """The matrix of GEMM."""

    name = "gemm"
    about_kernels = """\
A kernel stands for its cell: one with little code whose waves repeat their warp tile along m, n and
k. It is run with every number of turns of the main loop that leads to another loop or tail, with
remainders where it pads, with gaps between rows filled with NaN (integers: the most negative
number; pk_fp4, which has no NaN: 6), and with guards around C.
"""

    def tables(self, arch: ArchSpecs) -> tuple[Table, ...]:
        return all_tables(arch)

    def cells(self, tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
        return answer_all(tables, candidates, self.kernels.rules, arch)

    def draw(self, arch: ArchSpecs, seed: int, gpus: Sequence[str] = ()) -> GemmDraw:
        return GemmDraw(arch, seed, gpus)

    def operands_of(self, spec: KernelSpec) -> str:
        gemm = cast(GemmSpec, spec)
        return f"{gemm.dtype_a} {gemm.dtype_b}"

    def variant(self, spec: KernelSpec) -> str:
        return str(cast(GemmSpec, spec).variant)

    def wants_one_multiprocessor(self, spec: KernelSpec) -> bool:
        return cast(GemmSpec, spec).persistent

    def functions(self, spec: KernelSpec, arch: ArchSpecs) -> Iterable[str]:
        return device_functions(cast(GemmSpec, spec), arch)

    def launches(self, spec: KernelSpec, target: Target) -> Sequence[Launch]:
        return launches(cast(GemmSpec, spec), target)

    def place(self, spec: KernelSpec, launch: Launch, device: Device, seed: int) -> PlacedLaunch:
        return PlacedLaunch.of(cast(GemmSpec, spec), launch, device, seed)


FAMILY = GemmSupport()
