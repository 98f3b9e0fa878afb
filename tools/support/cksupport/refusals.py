# SPDX-License-Identifier: MIT
"""Why no kernel can be had for a cell: the one rule that refuses them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ckgen.core.rules import Rule, first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target


@dataclass(frozen=True)
class Refusal:
    """The rule that refuses, and what it says."""

    rule: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.sentence}"


def legal_or_refused(
    specs: Iterable[KernelSpec], rules: Sequence[Rule], target: Target
) -> KernelSpec | Refusal:
    """The first of ``specs`` that is legal, or else the rule that refuses every one of them.

    If no single rule does, the one that is the first to refuse most of them. What it says is what
    it says about the first spec that it refuses.
    """
    suspects = rules
    tried = []
    for spec in specs:
        tried.append(spec)
        broken = [rule for rule in suspects if rule.complaint(spec, target) is not None]
        if not broken and first_violation(rules, spec, target) is None:
            return spec
        # With no rule left that refuses all, every spec is looked at by all rules.
        suspects = broken
    return _refusal(suspects[0] if suspects else _commonest(tried, rules, target), tried, target)


def _commonest(specs: Sequence[KernelSpec], rules: Sequence[Rule], target: Target) -> Rule:
    findings = (first_violation(rules, spec, target) for spec in specs)
    return Counter(finding.rule for finding in findings if finding is not None).most_common(1)[0][0]


def _refusal(rule: Rule, specs: Sequence[KernelSpec], target: Target) -> Refusal:
    said = (rule.complaint(spec, target) for spec in specs)
    return Refusal(rule.id, next(complaint for complaint in said if complaint is not None))
