# SPDX-License-Identifier: MIT
"""The tables of the matrix: every choice against every other, and the kernel in which both are met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ckarch import ArchSpecs

from cksupport.cells import Cell
from cksupport.grouped_conv.axes import axes_of, checks, label, spec_of
from cksupport.kernels import Kernel
from cksupport.pairs import Combination, Cover, Pair, cover, pairs_of
from cksupport.questions import Place, Question, Table

_NOTE = "Choices of {}, against those of all that have no table above."


def all_tables(arch: ArchSpecs) -> tuple[Table, ...]:
    """A table for each axis: what can be chosen of it, against what can be chosen of those after it."""
    questions: dict[str, list[Question]] = {}
    for place in _pairs(arch):
        questions.setdefault(place.table, []).append(Question(place, ()))
    return tuple(Table(axis, axis[0].upper() + axis[1:], _NOTE.format(axis), asked) for axis, asked in questions.items())


def cells(tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
    """The cells of some tables; many share a kernel."""
    pairs, found = _pairs(arch), covered(arch)
    places = [question.place for table in tables for question in table.questions]
    return tuple(_cell(place, pairs[place], found, arch) for place in places)


@lru_cache(maxsize=None)
def covered(arch: ArchSpecs) -> Cover:
    """The combinations that are tried, by the pairs that they meet."""
    return cover(axes_of(arch), checks(arch))


def kernel_of(combination: Combination, arch: ArchSpecs) -> Kernel:
    """The kernel of a combination, for its GPU."""
    return Kernel(combination["GPU"], spec_of(combination, arch))


def _cell(place: Place, pair: Pair, found: Cover, arch: ArchSpecs) -> Cell:
    if pair in found.refused:
        return Cell(place, None, found.refused[pair])
    return Cell(place, kernel_of(found.met[pair], arch), None)


@lru_cache(maxsize=None)
def _pairs(arch: ArchSpecs) -> Mapping[Place, Pair]:
    return {
        Place(axis, "", f"{other}: {label(row)}", label(column)): ((axis, column), (other, row))
        for (axis, column), (other, row) in pairs_of(axes_of(arch))
    }
