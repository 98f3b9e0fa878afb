# SPDX-License-Identifier: MIT
"""Cells of the matrix: each is either refused by a rule, or has a kernel that stands for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from ckarch import ArchSpecs
from ckgen.core.rules import Rule
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

from cksupport.kernels import Kernel, Key
from cksupport.questions import Fields, Place, Question, Table
from cksupport.refusals import Refusal, legal_or_refused

Candidates = Callable[[Fields, Target], Iterator[KernelSpec]]
"""Every kernel with the chosen fields of a declaration, legal or not, the best suited first."""


@dataclass(frozen=True)
class Cell:
    """A place of a table with its answer: a legal ``kernel`` that is cheap to build and run, or a
    refusal.
    """

    place: Place
    kernel: Kernel | None
    refusal: Refusal | None

    def __str__(self) -> str:
        if self.kernel is not None:
            return f"{self.place}: {self.kernel if not self.place.gpu else self.kernel.spec.name}"
        return f"{self.place}: refused by {self.refusal}"

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        answer: dict[str, Any] = {}
        if self.kernel is not None:
            answer = {"gpu": self.kernel.gpu, "kernel": self.kernel.spec.name}
        if self.refusal is not None:
            answer = {"rule": self.refusal.rule, "sentence": self.refusal.sentence}
        return {**asdict(self.place), **answer}

    @property
    def spec(self) -> KernelSpec | None:
        """What the kernel is; several cells may share one."""
        return None if self.kernel is None else self.kernel.spec

    @property
    def key(self) -> Key | None:
        """What results are found by."""
        return None if self.kernel is None else self.kernel.key


def answer_all(
    tables: Iterable[Table], candidates: Candidates, rules: tuple[Rule, ...], arch: ArchSpecs
) -> tuple[Cell, ...]:
    """The cells of all tables, in their order: the cheapest legal kernel each, or the rule that
    refuses all of them.
    """
    return tuple(
        _answer(question, candidates, rules, arch)
        for table in tables
        for question in table.questions
    )


def _answer(
    question: Question, candidates: Candidates, rules: tuple[Rule, ...], arch: ArchSpecs
) -> Cell:
    place = question.place
    found = _found(candidates, rules, question.fields, Target.of(arch, place.gpu))
    if isinstance(found, Refusal):
        return Cell(place, None, found)
    return Cell(place, Kernel(place.gpu, found), None)


@cache
def _found(
    candidates: Candidates, rules: tuple[Rule, ...], chosen: Fields, target: Target
) -> KernelSpec | Refusal:
    """Tables ask many of the same questions."""
    return legal_or_refused(candidates(chosen, target), rules, target)
