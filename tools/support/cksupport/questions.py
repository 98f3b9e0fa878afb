# SPDX-License-Identifier: MIT
"""What the matrix asks: tables of questions, each about kernels with some fields on one GPU."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ckgen.core.tile import Dim3

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
    """Where a cell stands: its table, its GPU, its row and its column; without a GPU if its table
    is for all at once.
    """

    table: str
    gpu: str
    row: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}: {', '.join(filter(None, (self.gpu, self.row, self.column)))}"


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
class Table:
    """One table of the matrix, a grid of rows and columns for every GPU, or one for all."""

    name: str
    title: str
    note: str
    questions: Sequence[Question]

    def only(self, gpus: Container[str]) -> Table:
        """The table for some GPUs."""
        chosen = tuple(one for one in self.questions if not one.place.gpu or one.place.gpu in gpus)
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


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
