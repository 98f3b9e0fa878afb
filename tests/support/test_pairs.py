# SPDX-License-Identifier: MIT
"""Every pair that some combination has is met by one that the rules allow; every other is refused
by a rule.
"""

from __future__ import annotations

import random as randomness
from collections.abc import Mapping
from itertools import combinations, product
from typing import Any

import pytest
from cksupport.pairs import Axes, Rule, cover, pairs_of

AXES: Axes = {"a": (0, 1, 2), "b": (0, 1), "c": ("x", "y", "z"), "d": (0, 1, 2, 3), "e": (0, 1, 2)}


def random_rules(seed: int) -> list[Rule]:
    """Rules that forbid two or three values together, some of which read no more than they need."""
    random = randomness.Random(seed)

    def rule(forbidden: Mapping[str, Any]) -> Rule:
        why = ", ".join(f"{axis}={value}" for axis, value in forbidden.items())
        return lambda chosen: (
            why if all(chosen[axis] == value for axis, value in forbidden.items()) else None
        )

    drawn = (
        random.sample(list(AXES), random.choice((2, 2, 3))) for _ in range(random.randrange(25))
    )
    return [rule({axis: random.choice(AXES[axis]) for axis in axes}) for axes in drawn]


def allowed(rules: list[Rule]) -> list[dict[str, Any]]:
    whole = (dict(zip(AXES, values, strict=False)) for values in product(*AXES.values()))
    return [one for one in whole if all(rule(one) is None for rule in rules)]


@pytest.mark.parametrize("seed", range(100))
def test_pairs_are_met_if_and_only_if_a_combination_has_them(seed: int) -> None:
    rules = random_rules(seed)
    possible = allowed(rules)
    found = cover(AXES, rules)
    assert {*found.met} == {pair for one in possible for pair in combinations(one.items(), 2)}
    assert {*found.met} | {*found.refused} == {*pairs_of(AXES)} and not {*found.met} & {
        *found.refused
    }
    assert all(
        one in possible and pair in combinations(one.items(), 2) for pair, one in found.met.items()
    )


@pytest.mark.parametrize("seed", range(20))
def test_what_is_refused_has_the_answer_of_a_rule(seed: int) -> None:
    rules = random_rules(seed)
    whole = [dict(zip(AXES, values, strict=False)) for values in product(*AXES.values())]
    for pair, why in cover(AXES, rules).refused.items():
        said = {
            rule(one) for one in whole for rule in rules if pair in combinations(one.items(), 2)
        }
        assert why in said - {None}


def test_the_same_combinations_come_out_every_time() -> None:
    assert cover(AXES, random_rules(7)).combinations == cover(AXES, random_rules(7)).combinations


def test_there_are_few_combinations() -> None:
    """Twelve at least: so many pairs have the two largest axes."""
    assert len(cover(AXES, []).combinations) < 20 < len(allowed([]))


def test_each_combination_is_there_once_and_meets_a_pair_first() -> None:
    found = cover(AXES, random_rules(3))
    assert len({tuple(one.items()) for one in found.combinations}) == len(found.combinations)


def test_a_rule_is_asked_before_all_is_chosen_and_only_once_about_the_same() -> None:
    asked: list[Any] = []

    def rule(chosen: Mapping[str, Any]) -> str | None:
        value = chosen["a"]
        asked.append(value)
        return "not 1" if value == 1 else None

    found = cover(AXES, [rule])
    assert sorted(asked) == [0, 1, 2]
    assert set(found.refused) == {pair for pair in pairs_of(AXES) if ("a", 1) in pair}
