# SPDX-License-Identifier: MIT
"""Tables of every choice against every other, and the kernel in which both are met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ckarch import ArchSpecs
from ckgen.core.spec import KernelSpec

from cksupport.cells import Cell
from cksupport.kernels import Kernel
from cksupport.pairs import Axes, Combination, Cover, Pair, Rule, cover, pairs_of
from cksupport.questions import Place, Question, Table

_NOTE = "Choices of {}, against those of all that have no table above."


@dataclass(frozen=True)
class PairTables:
    """The tables of a family: its axes, of which ``GPU`` is one, what a table calls a value, what
    refuses, and the kernel of a combination.
    """

    axes_of: Callable[[ArchSpecs], Axes]
    label: Callable[[Any], str]
    checks: Callable[[ArchSpecs], Sequence[Rule]]
    spec_of: Callable[[Combination, ArchSpecs], KernelSpec]

    def all(self, arch: ArchSpecs) -> tuple[Table, ...]:
        """A table for each axis: what can be chosen of it, against what can be chosen of those
        after it.
        """
        questions: dict[str, list[Question]] = {}
        for place in _pairs(self, arch):
            questions.setdefault(place.table, []).append(Question(place, ()))
        return tuple(
            Table(axis, axis[0].upper() + axis[1:], _NOTE.format(axis), asked)
            for axis, asked in questions.items()
        )

    def cells(self, tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
        """The cells of some tables; many share a kernel."""
        pairs, found = _pairs(self, arch), self.covered(arch)
        places = [question.place for table in tables for question in table.questions]
        return tuple(self._cell(place, pairs[place], found, arch) for place in places)

    def covered(self, arch: ArchSpecs) -> Cover:
        """The combinations that are tried, by the pairs that they meet."""
        return _covered(self, arch)

    def kernel_of(self, combination: Combination, arch: ArchSpecs) -> Kernel:
        """The kernel of a combination, for its GPU."""
        return Kernel(combination["GPU"], self.spec_of(combination, arch))

    def _cell(self, place: Place, pair: Pair, found: Cover, arch: ArchSpecs) -> Cell:
        if pair in found.refused:
            return Cell(place, None, found.refused[pair])
        return Cell(place, self.kernel_of(found.met[pair], arch), None)


@cache
def _covered(tables: PairTables, arch: ArchSpecs) -> Cover:
    return cover(tables.axes_of(arch), tables.checks(arch))


@cache
def _pairs(tables: PairTables, arch: ArchSpecs) -> Mapping[Place, Pair]:
    label = tables.label
    return {
        Place(axis, "", f"{other}: {label(row)}", label(column)): ((axis, column), (other, row))
        for (axis, column), (other, row) in pairs_of(tables.axes_of(arch))
    }
