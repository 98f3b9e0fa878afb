# SPDX-License-Identifier: MIT
"""The legal spec that differs least from an illegal one, and refusals that name it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from ckgen.core.choice import Choice
from ckgen.core.family import Family
from ckgen.core.rules import Finding, first_violation
from ckgen.core.spec import KernelSpec, field_types
from ckgen.core.target import Target
from ckgen.core.tile import Dim3

SEARCH_LIMIT = 2000
"""Specs examined before the search gives up; refusals must stay quick."""


def nearest_legal(
    family: Family, spec: KernelSpec, target: Target, limit: int = SEARCH_LIMIT
) -> KernelSpec | None:
    """A legal spec close to ``spec``, or None if none was found among the closest ``limit``.

    Best-first search: only fields that can repair the first violated rule are changed, and the
    candidate that differs least from ``spec`` is always examined next.
    """
    order = count()
    frontier: list[tuple[float, int, KernelSpec]] = [(0.0, next(order), spec)]
    seen = {spec}
    while frontier and limit > 0:
        limit -= 1
        _, _, candidate = heapq.heappop(frontier)
        violation = first_violation(family.rules, candidate, target)
        if violation is None:
            return candidate
        for field in violation.rule.fields:
            for value in family.alternatives(candidate, field, target):
                neighbour = replace(candidate, **{field: value})
                if neighbour not in seen:
                    seen.add(neighbour)
                    cost = distance(spec, neighbour, family.field_weights)
                    heapq.heappush(frontier, (cost, next(order), neighbour))
    return None


def distance(a: KernelSpec, b: KernelSpec, weights: Mapping[str, float]) -> float:
    """How much ``b`` differs from ``a``: one per changed field and more for larger changes."""
    return sum(
        weights.get(field, 1.0) * _difference(getattr(a, field), getattr(b, field))
        for field in field_types(type(a))
    )


def refusal(family: Family, finding: Finding, spec: KernelSpec, target: Target) -> str:
    """One sentence: the violated rule, the offending values, and the nearest legal choice."""
    return f"{finding}; {suggestion(family, spec, target)}"


def suggestion(family: Family, spec: KernelSpec, target: Target) -> str:
    """The clause of a refusal that says what would work."""
    legal = nearest_legal(family, spec, target)
    if legal is None:
        return f"no similar kernel is legal on {target.name}"
    return f"the nearest legal choice is {describe_change(spec, legal)}"


def describe_change(old: KernelSpec, new: KernelSpec) -> str:
    """The fields of ``new`` that differ from ``old``, such as ``waves 2x2x1 and tile 64x64x32``."""
    changes = [
        f"{field} {_show(getattr(new, field))}"
        for field in field_types(type(old))
        if getattr(old, field) != getattr(new, field)
    ]
    return " and ".join(changes) if changes else "the same"


def _show(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _difference(a: Any, b: Any) -> float:
    if a == b:
        return 0.0
    if isinstance(a, Dim3):
        return 1.0 + sum(abs(math.log2(x / y)) for x, y in zip(a, b))
    if isinstance(a, Choice):
        members = list(type(a))
        return 1.0 + 0.1 * abs(members.index(a) - members.index(b))
    return 1.0
