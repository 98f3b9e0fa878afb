# SPDX-License-Identifier: MIT
"""Few combinations in which every pair of choices is met that rules allow together.

What is wrong with a combination is most often wrong with two of its choices, and all combinations
are too many to try.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

Axes = Mapping[str, Sequence[Hashable]]
"""What there is to choose from, by what it is about."""
Combination = dict[str, Any]
"""A value of every axis, or of some."""
Choice = tuple[str, Any]
Pair = tuple[Choice, Choice]
Rule = Callable[[Mapping[str, Any]], Hashable]
"""Says why what it reads of a combination cannot be together, or None. It may read what is not
chosen yet.
"""

_FEW, _ANY_NUMBER = 400, -1
"""Steps of a search: a value that is not soon found to go with others is left for another
combination.
"""


@dataclass
class Cover:
    """For each pair the combination that meets it, or why none can."""

    met: dict[Pair, Combination] = field(default_factory=dict)
    refused: dict[Pair, Any] = field(default_factory=dict)

    @property
    def combinations(self) -> list[Combination]:
        """Each once, in the order in which they were found."""
        return list({id(one): one for one in self.met.values()}.values())


def pairs_of(axes: Axes) -> list[Pair]:
    """Every two values of different axes, in the order of the axes."""
    return [
        ((one, a), (other, b))
        for one, other in combinations(axes, 2)
        for a, b in product(axes[one], axes[other])
    ]


def cover(axes: Axes, rules: Sequence[Rule]) -> Cover:
    """Combinations that meet all pairs that can be met, the same ones every time.

    Each begins with the first pair that is not met yet, and takes along as many others as it can.
    """
    search, found, left = _Search(axes, rules), Cover(), dict.fromkeys(pairs_of(axes))
    # What has many values is the hardest to meet, and chosen first.
    order = sorted(axes, key=lambda axis: -len(axes[axis]))
    while left:
        begun = next(iter(left))
        whole = search.whole(dict(begun), {})
        if isinstance(whole, _Conflict):
            found.refused[begun] = max(whole.why, key=whole.why.__getitem__)
            del left[begun]
            continue
        assert whole is not None, "any number of steps is enough"
        chosen = dict(begun)
        for axis in order:
            if axis not in chosen:
                whole = _widened(whole, chosen, axis, left, search)
                chosen[axis] = whole[axis]
        made = {axis: chosen[axis] for axis in axes}
        for pair in combinations(made.items(), 2):
            if pair in left:
                del left[pair]
                found.met[pair] = made
    return found


def _widened(
    whole: Combination, chosen: Combination, axis: str, left: Mapping[Pair, None], search: _Search
) -> Combination:
    """A combination with the chosen values, and of ``axis`` the one that meets the most pairs with
    them.
    """

    def gain(value: Hashable) -> tuple[int, bool]:
        here, others = (axis, value), chosen.items()
        return sum((here, one) in left or (one, here) in left for one in others), value == whole[
            axis
        ]

    for value in sorted(search.axes[axis], key=gain, reverse=True):
        if value == whole[axis]:
            return whole
        tried = search.whole({**chosen, axis: value}, whole, _FEW)
        if isinstance(tried, dict):
            return tried
    raise AssertionError("the combination that is known has one of the values")


@dataclass(frozen=True)
class _Conflict:
    """Axes whose values cannot be together with any of the others, and how often the rules say what
    about it.
    """

    axes: frozenset[str]
    why: Mapping[Hashable, int]


class _Search:
    """Looks for whole combinations, axis after axis.

    A rule that refuses has read a few axes. Where no value of an axis is left, all that was read to
    refuse them is why, and the search goes back to the last axis that has to do with it.
    """

    def __init__(self, axes: Axes, rules: Sequence[Rule]) -> None:
        self.axes = axes
        self._readers = [_Reader(rule) for rule in rules]
        self._conflicts: dict[Choice, list[tuple[frozenset[Choice], _Conflict]]] = {}
        self._steps = 0

    def whole(
        self, begun: Combination, like: Combination, steps: int = _ANY_NUMBER
    ) -> Combination | _Conflict | None:
        """A combination with what is ``begun``, as ``like`` another as is soon found; or why there
        is none.

        None if that takes more ``steps``.
        """
        *_, newest = begun.items()
        # What is known of fewer choices refuses these too, but by rules that may have to do with
        # others.
        for choices, conflict in self._conflicts.get(newest, ()) if steps != _ANY_NUMBER else ():
            if choices <= begun.items():
                return conflict
        values: dict[str, Sequence[Hashable]] = {axis: (value,) for axis, value in begun.items()}
        for axis, known in self.axes.items():
            values.setdefault(axis, sorted(known, key=lambda value: value != like.get(axis)))
        self._steps = steps
        waiting = {next(iter(values)): [(reader, reader.first) for reader in self._readers]}
        found = self._extended({}, tuple(values.items()), waiting, len(begun))
        if isinstance(found, _Conflict):
            choices = frozenset((axis, begun[axis]) for axis in found.axes)
            for choice in choices:
                self._conflicts.setdefault(choice, []).append((choices, found))
        return found

    def _extended(
        self, chosen: Combination, values: _Values, waiting: _Waiting, begun: int
    ) -> Combination | _Conflict | None:
        depth = len(chosen)
        if depth == len(values):
            return chosen
        axis, known = values[depth]
        conflicts: list[_Conflict] = []
        for value in known:
            if not self._steps:
                return None
            self._steps -= 1
            now = {**chosen, axis: value}
            asked = _asked(waiting, now, axis)
            found = (
                asked if isinstance(asked, _Conflict) else self._extended(now, values, asked, begun)
            )
            if not isinstance(found, _Conflict) or axis not in found.axes or depth < begun:
                return found
            conflicts.append(found)
        axes = frozenset[str]().union(*(one.axes for one in conflicts))
        why: dict[Hashable, int] = {}
        for one in conflicts:
            for answer, often in one.why.items():
                why[answer] = why.get(answer, 0) + often
        return _Conflict(axes - {axis}, why)


@dataclass(eq=False, slots=True)
class _Reading:
    """What a rule does after it has read some values: it reads another ``axis``,
    or has an answer.
    """

    axis: str | None = None
    then: dict[Any, _Reading] = field(default_factory=dict)
    answered: bool = False
    refusal: _Conflict | None = None


class _Reader:
    """A rule that is run once for all combinations that it reads the same of: there are few of
    these.
    """

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self.first = _Reading()

    def go_on(self, reading: _Reading, chosen: Combination) -> _Reading:
        """Where it has its answer, or reads what is not chosen yet."""
        while not reading.answered:
            axis = reading.axis
            if axis is None:
                self._run(chosen)
            elif axis in chosen:
                # Millions of times: a call would take longer than what it does.
                value = chosen[axis]
                found = reading.then.get(value)
                if found is None:
                    found = reading.then[value] = _Reading()
                reading = found
            else:
                break
        return reading

    def _run(self, chosen: Combination) -> None:
        seen, answered, answer = _Seen(chosen), True, None
        try:
            answer = self._rule(seen)
        except _NotChosen:
            answered = False
        reading = self.first
        for axis in seen.read:
            reading.axis = axis
            if axis in chosen:
                reading = reading.then.setdefault(chosen[axis], _Reading())
        reading.answered = answered
        if answer is not None:
            reading.refusal = _Conflict(frozenset(seen.read), {answer: 1})


_Values = Sequence[tuple[str, Sequence[Hashable]]]
"""What there is to choose from, in the order in which it is chosen."""
_Waiting = dict[str, list[tuple[_Reader, _Reading]]]
"""Rules that have no answer yet, by the axis that each reads next."""


def _asked(waiting: _Waiting, chosen: Combination, new: str) -> _Waiting | _Conflict:
    """The rules that still have no answer with a ``new`` choice, or what one of them refuses."""
    still = dict(waiting)
    for reader, reading in still.pop(new, ()):
        reading = reader.go_on(reading, chosen)
        if not reading.answered:
            assert reading.axis is not None
            still[reading.axis] = [*still.get(reading.axis, ()), (reader, reading)]
        elif reading.refusal is not None:
            return reading.refusal
    return still


class _NotChosen(KeyError):
    """A rule reads what is not chosen yet."""


class _Seen(Mapping[str, Any]):
    """A combination that keeps in mind what was read of it, in the order in which it was."""

    def __init__(self, chosen: Combination) -> None:
        self._chosen = chosen
        self.read: dict[str, None] = {}

    def __getitem__(self, axis: str) -> Any:
        self.read[axis] = None
        if axis not in self._chosen:
            raise _NotChosen(axis)
        return self._chosen[axis]

    def __iter__(self) -> Iterator[str]:
        raise TypeError("a rule reads one axis after the other")

    def __len__(self) -> int:
        return len(self._chosen)
