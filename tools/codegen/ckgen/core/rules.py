# SPDX-License-Identifier: MIT
"""Rules: what makes a spec legal on a GPU, each with an id, a sentence and one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from ckarch import UnknownNameError

from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

Check = Callable[[Any, Target], str | None]
C = TypeVar("C", bound=Check)


class Purpose(Enum):
    """What would become of a kernel without the rule."""

    RESULTS = "it would not compile, refuse what it should compute, or compute something else"
    MEANING = "nothing would say what it has to compute"
    SPEED = "it would compute the right thing slowly"
    NAMES = "it would be another name of a kernel that there is"


@dataclass(frozen=True)
class Rule:
    """One check. ``check`` returns None, or a clause that names the offending values.

    ``fields`` are the spec's fields by which a violation can be repaired.
    """

    id: str
    sentence: str
    fields: tuple[str, ...]
    check: Check
    purpose: Purpose = Purpose.RESULTS

    def complaint(self, spec: KernelSpec, target: Target) -> str | None:
        """What is wrong, or None. Something that the arch table does not know is always wrong."""
        try:
            return self.check(spec, target)
        except UnknownNameError as error:
            return str(error).rstrip(".")


class Rules(list[Rule]):
    """Rules in the order in which they are applied;
    ids begin with the ``family`` that they are of.
    """

    def __init__(self, family: str = "") -> None:
        super().__init__()
        self._prefix = f"{family}." if family else ""

    def rule(
        self, sentence: str, fields: tuple[str, ...], purpose: Purpose = Purpose.RESULTS
    ) -> Callable[[C], C]:
        """Makes the function below a rule's check, whose name is the id."""

        def add(check: C) -> C:
            self.append(Rule(self._prefix + check.__name__, sentence, fields, check, purpose))
            return check

        return add


@dataclass(frozen=True)
class Finding:
    """What one rule says about a spec; ``complaint`` is None if the rule is satisfied."""

    rule: Rule
    complaint: str | None

    @property
    def passed(self) -> bool:
        """Whether the rule is satisfied."""
        return self.complaint is None

    def __str__(self) -> str:
        return f"{self.rule.id}: {self.complaint or 'satisfied'}"


@dataclass(frozen=True)
class Verdict:
    """What every rule says about a spec on one GPU, in the order of the rules."""

    findings: tuple[Finding, ...]

    @property
    def legal(self) -> bool:
        """Whether every rule is satisfied."""
        return not self.violations

    @property
    def violations(self) -> tuple[Finding, ...]:
        """The findings of violated rules."""
        return tuple(finding for finding in self.findings if not finding.passed)


def first_violation(rules: Sequence[Rule], spec: KernelSpec, target: Target) -> Finding | None:
    """The first violated rule, or None if the spec is legal; cheaper than a whole verdict."""
    for rule in rules:
        complaint = rule.complaint(spec, target)
        if complaint is not None:
            return Finding(rule, complaint)
    return None
