# SPDX-License-Identifier: MIT
"""Cells of the matrix: each is either refused by a rule, or has a kernel that stands for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from ckarch import ArchSpecs
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

from cksupport.family import SupportFamily
from cksupport.kernels import Kernel, Key
from cksupport.questions import Fields, Place, Question, Table
from cksupport.refusals import Refusal, legal_or_refused

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
