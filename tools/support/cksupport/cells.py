# SPDX-License-Identifier: MIT
"""Cells of the matrix: each is either refused by a rule, or has a kernel that stands for it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from ckarch import ArchSpecs
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.core.tile import Dim3

from cksupport.family import SupportFamily
from cksupport.kernels import Kernel, Key
from cksupport.refusals import Refusal, legal_or_refused

Fields = tuple[tuple[str, tuple[Any, ...]], ...]
"""Fields of a declaration, each with its choices; hashable, so that answers can be kept."""


def fields(**choices: Any) -> Fields:
    """Fields for a question; a choice that is not a tuple is the only one."""
    return tuple(
        (name, value if isinstance(value, tuple) and not isinstance(value, Dim3) else (value,))
        for name, value in choices.items()
    )


@dataclass(frozen=True)
class Place:
    """Where a cell stands: its table, its GPU, its row and its column."""

    table: str
    gpu: str
    row: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}: {self.gpu}, {self.row}, {self.column}"


@dataclass(frozen=True)
class Question:
    """May a kernel with these fields be had on the GPU?

    ``fields`` has the choices for fields of a declaration: one for what the cell is about, several,
    the best first, for what may be whatever is legal. Other fields are free, or their defaults, as
    the family has it.
    """

    place: Place
    fields: Fields


@dataclass(frozen=True)
class Cell:
    """A question with its answer: a legal ``spec`` that is cheap to build and run, or a refusal."""

    place: Place
    spec: KernelSpec | None
    refusal: Refusal | None

    def __str__(self) -> str:
        if self.spec is not None:
            return f"{self.place}: {self.spec.name}"
        return f"{self.place}: refused by {self.refusal}"

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        answer: dict[str, Any] = {}
        if self.spec is not None:
            answer["kernel"] = self.spec.name
        if self.refusal is not None:
            answer |= {"rule": self.refusal.rule, "sentence": self.refusal.sentence}
        return {**asdict(self.place), **answer}

    @property
    def kernel(self) -> Kernel | None:
        """The kernel that stands for the cell; several may share one."""
        return None if self.spec is None else Kernel(self.place.gpu, self.spec)

    @property
    def key(self) -> Key | None:
        """What results are found by."""
        return None if self.kernel is None else self.kernel.key


@dataclass(frozen=True)
class Table:
    """One table of the matrix, a grid of rows and columns for every GPU."""

    name: str
    title: str
    note: str
    questions: Sequence[Question]

    def only(self, gpus: Container[str]) -> Table:
        """The table for some GPUs."""
        chosen = tuple(one for one in self.questions if one.place.gpu in gpus)
        return replace(self, questions=chosen)

    @property
    def gpus(self) -> tuple[str, ...]:
        return _distinct(question.place.gpu for question in self.questions)

    @property
    def rows(self) -> tuple[str, ...]:
        return _distinct(question.place.row for question in self.questions)

    @property
    def columns(self) -> tuple[str, ...]:
        return _distinct(question.place.column for question in self.questions)


def answer(question: Question, family: SupportFamily, arch: ArchSpecs) -> Cell:
    """The cell: the cheapest legal kernel, or the rule that refuses all of them."""
    found = _found(family, question.fields, Target.of(arch, question.place.gpu))
    if isinstance(found, Refusal):
        return Cell(question.place, None, found)
    return Cell(question.place, found, None)


@lru_cache(maxsize=None)
def _found(family: SupportFamily, chosen: Fields, target: Target) -> KernelSpec | Refusal:
    """Tables ask many of the same questions."""
    return legal_or_refused(family.candidates(chosen, target), family.kernels.rules, target)


def answer_all(tables: Iterable[Table], family: SupportFamily, arch: ArchSpecs) -> tuple[Cell, ...]:
    """The cells of all tables, in their order."""
    return tuple(answer(question, family, arch) for table in tables for question in table.questions)


def by_place(cells: Iterable[Cell]) -> Mapping[Place, Cell]:
    """The cells by where they stand."""
    return {cell.place: cell for cell in cells}


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
