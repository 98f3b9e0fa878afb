# SPDX-License-Identifier: MIT
"""GEMM, as the support matrix asks."""

from __future__ import annotations

from collections.abc import Sequence

from ckarch import ArchSpecs
from ckgen.gemm.context import device_functions
from ckgen.gemm.spec import GemmSpec

from cksupport.cells import Cell, answer_all
from cksupport.family import SupportFamily
from cksupport.gemm.candidates import candidates
from cksupport.gemm.draw import GemmDraw
from cksupport.gemm.placed import PlacedLaunch
from cksupport.gemm.problems import Problem, launches
from cksupport.gemm.tables import all_tables
from cksupport.questions import Table


class GemmSupport(SupportFamily[GemmSpec, Sequence[Problem]]):
    """The matrix of GEMM."""

    name = "gemm"
    about_kernels = """\
A kernel stands for its cell: one with little code whose waves repeat their warp tile along m, n and
k. It is run with every number of turns of the main loop that leads to another loop or tail, with
remainders where it pads, with gaps between rows filled with NaN (integers: the most negative
number; pk_fp4, which has no NaN: 6), and with guards around C.
"""

    tables = staticmethod(all_tables)
    launches = staticmethod(launches)
    place = staticmethod(PlacedLaunch.of)
    functions = staticmethod(device_functions)

    def cells(self, tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
        return answer_all(tables, candidates, self.kernels.rules, arch)

    def draw(self, arch: ArchSpecs, seed: int, gpus: Sequence[str] = ()) -> GemmDraw:
        return GemmDraw(arch, seed, gpus)

    def operands_of(self, spec: GemmSpec) -> str:
        return f"{spec.dtype_a} {spec.dtype_b}"

    def variant(self, spec: GemmSpec) -> str:
        return str(spec.variant)

    def wants_one_multiprocessor(self, spec: GemmSpec) -> bool:
        return spec.persistent


FAMILY = GemmSupport()
