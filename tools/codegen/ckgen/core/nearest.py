# SPDX-License-Identifier: MIT
"""The legal spec that differs least from an illegal one, and refusals that name it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ckgen.core.choice import Choice
from ckgen.core.family import Family
from ckgen.core.rules import Finding, Rule, first_violation
from ckgen.core.spec import KernelSpec, field_types
from ckgen.core.target import Target
from ckgen.core.tile import Dim3, Extents

_WIDTH = 32
"""Candidates kept after each rule; enough for every layout of waves with every warp tile."""
_STEPS = 3
"""Changes tried in a row to satisfy one rule."""
_STEPS_OF_DETOURS = 5
"""Where those before it may have to be satisfied again."""


def nearest_legal(family: Family, spec: KernelSpec, target: Target) -> KernelSpec | None:
    """A legal spec close to ``spec``, or None if none was found.

    A beam search along the rules: after each rule all candidates satisfy it and those before it,
    and the ones that differ least from ``spec`` are kept. If that finds nothing, changes may also
    break a rule before, as another pipeline does that has other waves, and are mended themselves.
    So the search is quick, and nearly always but not provably finds the very nearest.
    """
    beam = _beam(family, spec, target, detours=False) or _beam(family, spec, target, detours=True)
    return beam[0] if beam else None


def _beam(family: Family, spec: KernelSpec, target: Target, detours: bool) -> Sequence[KernelSpec]:
    beam: Sequence[KernelSpec] = [spec]
    for index in range(len(family.rules)):
        search = _Search(family, spec, family.rules[: index + 1], target, detours)
        beam = search.satisfying(beam)
    return beam


@dataclass(frozen=True)
class _Search:
    """Looks for candidates near ``spec`` that satisfy the last of ``rules``, and all before it."""

    family: Family
    spec: KernelSpec
    rules: Sequence[Rule]
    target: Target
    detours: bool
    """Whether a change may break a rule before the last, which the next ones have to mend."""

    def satisfying(self, beam: Sequence[KernelSpec]) -> Sequence[KernelSpec]:
        """What becomes by a few changes of a beam that satisfies all rules but the last."""
        rule = self.rules[-1]
        good, bad = self._divided(beam, self.rules[-1:])
        if not bad:
            return beam
        seen = set(beam)
        for _ in range(_STEPS_OF_DETOURS if self.detours else _STEPS):
            fresh = {one for one in self._changed(bad) if one not in seen}
            fresh = {one for one in fresh if self.family.keeps(self.spec, one)}
            seen |= fresh
            found, bad = self._divided(fresh, self.rules)
            good += found
            bad = {
                broken: _closest(self.family, self.spec, those)
                for broken, those in bad.items()
                if self.detours or broken is rule
            }
            if not bad or len(good) >= _WIDTH:
                break
        return _closest(self.family, self.spec, good)

    def _divided(
        self, candidates: Iterable[KernelSpec], rules: Sequence[Rule]
    ) -> tuple[list[KernelSpec], dict[Rule, list[KernelSpec]]]:
        """Those that satisfy the rules, and the others by the rule that they break first."""
        good: list[KernelSpec] = []
        bad: dict[Rule, list[KernelSpec]] = {}
        for candidate in candidates:
            finding = first_violation(rules, candidate, self.target)
            if finding is None:
                good.append(candidate)
            else:
                bad.setdefault(finding.rule, []).append(candidate)
        return good, bad

    def _changed(self, bad: Mapping[Rule, Sequence[KernelSpec]]) -> Iterator[KernelSpec]:
        for rule, candidates in bad.items():
            for candidate in candidates:
                for field in rule.fields:
                    for value in self.family.alternatives(candidate, field, self.target):
                        yield candidate.with_field(field, value)


def _closest(
    family: Family, spec: KernelSpec, candidates: Sequence[KernelSpec]
) -> list[KernelSpec]:
    """The candidates nearest to ``spec``; the name fixes the order of equally near ones."""
    weights = family.field_weights
    measured = [(distance(spec, candidate, weights), candidate) for candidate in candidates]
    if len(measured) > _WIDTH:
        # Names are long to make, and those of the farther ones decide nothing.
        farthest = sorted(far for far, _ in measured)[_WIDTH - 1]
        measured = [one for one in measured if one[0] <= farthest]
    measured.sort(key=lambda one: (one[0], one[1].name))
    return [candidate for _, candidate in measured[:_WIDTH]]


def distance(a: KernelSpec, b: KernelSpec, weights: Mapping[str, float]) -> float:
    """How much ``b`` differs from ``a``: one per changed field and more for larger changes."""
    total = 0.0
    for field in field_types(type(a)):
        old, new = getattr(a, field), getattr(b, field)
        if old is not new and old != new:
            total += weights.get(field, 1.0) * _difference(old, new)
    return total


def refusal(family: Family, finding: Finding, spec: KernelSpec, target: Target) -> str:
    """One sentence: the violated rule, the offending values, and the nearest legal choice."""
    legal = nearest_legal(family, spec, target)
    if legal is None:
        return f"{finding}; no similar kernel is legal on {target.name}"
    return f"{finding}; the nearest legal choice is {describe_change(spec, legal)}"


def why_not(family: Family, spec: KernelSpec, target: Target) -> str | None:
    """The sentence of the first rule that refuses ``spec``, or None if all let it pass."""
    finding = first_violation(family.rules, spec, target)
    return None if finding is None else refusal(family, finding, spec, target)


def describe_change(old: KernelSpec, new: KernelSpec) -> str:
    """The fields of ``new`` that differ from ``old``, such as ``waves 2x2x1 and tile 64x64x32``."""
    changes = [
        f"{field} {_show(getattr(new, field))}"
        for field in field_types(type(old))
        if getattr(old, field) != getattr(new, field)
    ]
    return " and ".join(changes) if changes else "the same"


def _show(value: Any) -> str:
    if isinstance(value, Extents) and not value:
        return "of no extents"
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def _places(choice: type[Choice]) -> Mapping[Choice, int]:
    return {member: place for place, member in enumerate(choice)}


def _difference(a: Any, b: Any) -> float:
    if isinstance(a, Dim3):
        return 1.0 + sum(abs(math.log2(x / y)) for x, y in zip(a, b, strict=False))
    if isinstance(a, Extents):
        if len(a) != len(b):
            return 1.0 + max(len(a), len(b))
        return 1.0 + sum(abs(math.log2((1 + x) / (1 + y))) for x, y in zip(a, b, strict=False))
    if isinstance(a, Choice):
        places = _places(type(a))
        return 1.0 + 0.1 * abs(places[a] - places[b])
    if isinstance(a, bool):
        return 1.0
    return 1.0 + abs(math.log2((1 + abs(a)) / (1 + abs(b))))
