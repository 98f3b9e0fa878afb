# SPDX-License-Identifier: MIT
"""Attention, as the support matrix asks."""

from __future__ import annotations

from collections.abc import Sequence

from ckarch import ArchSpecs
from ckgen.fmha.spec import FmhaSpec, Pipeline

from cksupport.cells import Cell
from cksupport.family import SupportFamily
from cksupport.fmha import kinds
from cksupport.fmha.axes import axes_of, checks, label, spec_of
from cksupport.fmha.placed import PlacedProblem
from cksupport.fmha.problems import Launch, drawn, taken
from cksupport.kernels import Kernel
from cksupport.pair_tables import PairTables
from cksupport.questions import Table

PAIRS = PairTables(axes_of, label, checks, spec_of)


class FmhaSupport(SupportFamily[FmhaSpec, Launch]):
    """The matrix of attention."""

    name = "fmha"
    about_kernels = """\
The first two tables have a kernel of their own for each cell: one of a set that ships if there is
one, else what a declaration gives that says no more. There are too many combinations of choices to
try each, so in the others a cell stands for two of them, and its kernel, which it shares with many
others, has both: a few kernels meet every pair that the rules allow together. Where no kernel made
of the choices of this page has both, the cell has the rule that refuses most of those that would.
What says untested was not tried yet. A kernel is run on six problems that are drawn from all that
it says it can: lengths, heads, strides, windows, pages; each tensor lies in memory of its own and
has gaps filled with NaN. A kernel that is right and spills vector registers to memory is counted
apart, and listed at the end: it is slow, and a set does not ship it. Of the pipeline v3 the two
groups of waves meet at different barriers by design, which is no finding here.
"""
    tells_spills = True

    launches = staticmethod(drawn)
    launches_on = staticmethod(taken)
    place = staticmethod(PlacedProblem.of)

    def tables(self, arch: ArchSpecs) -> tuple[Table, ...]:
        return (*kinds.tables(arch), *PAIRS.all(arch))

    def cells(self, tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
        first = [table for table in tables if table.name in kinds.NAMES]
        others = [table for table in tables if table.name not in kinds.NAMES]
        own = tuple(
            kinds.cell(question.place, arch) for table in first for question in table.questions
        )
        return (*own, *(PAIRS.cells(others, arch) if others else ()))

    def stages(self, cells: Sequence[Cell]) -> Sequence[Sequence[Kernel]]:
        """The tables of kinds and of head sizes, one after the other, before all pairs."""
        found: dict[str, list[Kernel]] = {}
        for cell in cells:
            if cell.kernel is not None:
                table = cell.place.table
                found.setdefault(table if table in kinds.NAMES else "", []).append(cell.kernel)
        return tuple(found.values())

    def operands_of(self, spec: FmhaSpec) -> str:
        return f"{spec.variant} {spec.pipeline} {spec.dtype.operand}"

    def variant(self, spec: FmhaSpec) -> str:
        return str(spec.variant)

    def functions(self, spec: FmhaSpec, arch: ArchSpecs) -> tuple[str, ...]:
        return ("run",)

    def by_design(self, spec: FmhaSpec) -> frozenset[str]:
        # Each half runs a loop of its own with as many barriers.
        return frozenset({"divergent_barrier"} if spec.pipeline is Pipeline.V3 else ())


FAMILY = FmhaSupport()
