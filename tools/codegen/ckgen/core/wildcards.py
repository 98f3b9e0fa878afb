# SPDX-License-Identifier: MIT
"""The combinations of an entry's choices, without those that rules refuse before all is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import count
from ckgen.core.declaration import Entry
from ckgen.core.family import EntryField, Family
from ckgen.core.partial import NotChosen, partial_spec
from ckgen.core.rules import Rule
from ckgen.core.spec import KernelSpec, field_types
from ckgen.core.target import Target


def count_choices(family: Family, entry: Entry, targets: Sequence[Target]) -> int:
    """How many choices the entry has on all of ``targets`` together, before any rule."""
    return sum(count.Counter(family.entry_fields, entry, t).below(0, {}) for t in targets)


@dataclass(frozen=True)
class _Taker:
    """A GPU that may take a branch, and the rules that have not said yes to all of it."""

    target: Target
    rules: tuple[Rule, ...]


class Walk:
    """Goes through the choices of an entry, field by field.

    If it ``cuts``, a branch is left out as soon as every GPU has a rule that refuses all of it.
    What some GPU takes is found on each GPU that has it among its choices, in the same order as if
    nothing were cut.
    """

    def __init__(
        self,
        family: Family,
        entry: Entry,
        targets: Sequence[Target],
        arch: ArchSpecs,
        *,
        cuts: bool,
    ) -> None:
        self.family = family
        self.entry = entry
        self.targets = targets
        self.arch = arch
        self._cuts = cuts
        self._fields = family.entry_fields
        self._takers: dict[tuple[object, ...], _Taker | Rule] = {}
        self._cut: dict[tuple[object, ...], tuple[Rule, int]] = {}
        self._single = {
            f.name for f in self._fields if len(entry.options[f.name].values or ()) == 1
        }
        self._known = [self._known_after(index) for index in range(len(self._fields) + 1)]

    @property
    def cut(self) -> Counter[str]:
        """How many choices were in the branches that were cut, by the rule that refuses them."""
        found: Counter[str] = Counter()
        for rule, number in self._cut.values():
            found[rule.id] += number
        return found

    def on(self, target: Target) -> Iterator[KernelSpec]:
        """The specs of all choices that ``target`` has; one may come several times."""
        counter = count.Counter(self._fields, self.entry, target)
        for choice in self._choices(0, counter, {}, _Taker(self.targets[0], self.family.rules)):
            yield self.family.build(choice, self.arch)

    def _choices(
        self, index: int, counter: count.Counter, chosen: dict[str, Any], taker: _Taker
    ) -> Iterator[dict[str, Any]]:
        if index == len(self._fields):
            yield dict(chosen)
            return
        name = self._fields[index].name
        # The last field's choices are whole kernels, which are judged anyway; a single one says
        # nothing new.
        asks = self._cuts and name not in self._single and index + 1 < len(self._fields)
        for value in counter.values(index, chosen):
            chosen[name] = value
            next_taker = self._taker(index + 1, counter, chosen, taker) if asks else taker
            if next_taker is not None:
                yield from self._choices(index + 1, counter, chosen, next_taker)
        chosen.pop(name, None)

    def _taker(
        self, index: int, counter: count.Counter, chosen: dict[str, Any], before: _Taker
    ) -> _Taker | None:
        """A GPU that may take something of what begins with ``chosen``; without one,
        this is cut.
        """
        branch = tuple(chosen.values())
        if branch not in self._takers:
            self._takers[branch] = self._find_taker(index, counter, chosen, before)
        found = self._takers[branch]
        if isinstance(found, Rule):
            # GPUs differ in what they offer below; the one with the most stands for all.
            number = max(counter.below(index, chosen), self._cut.get(branch, (found, 0))[1])
            self._cut[branch] = found, number
            return None
        return found

    def _find_taker(
        self, index: int, counter: count.Counter, chosen: dict[str, Any], before: _Taker
    ) -> _Taker | Rule:
        """A GPU that no rule forbids, first of all the one ``before``; or the first GPU's rule."""
        example = next(_completed(index, self._fields, counter, dict(chosen)), None)
        if example is None:
            return before
        spec = partial_spec(self.family.build(example, self.arch), self._known[index])
        found = _ask(before.rules, spec, before.target)
        for target in self.targets:
            if not isinstance(found, Rule):
                return found
            if target is not before.target:
                found = _ask(self.family.rules, spec, target)
        return found

    def _known_after(self, index: int) -> list[str]:
        """The fields of the spec that are the same in all that begins with ``index`` choices."""
        chosen = {field.name for field in self._fields[:index]} | self._single
        made_of = self.family.made_of
        return [
            name
            for name in field_types(self.family.spec_type)
            if chosen.issuperset(made_of.get(name, (name,)))
        ]


def _completed(
    index: int, fields: Sequence[EntryField], counter: count.Counter, chosen: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Every choice that begins with ``chosen``; the same dictionary each time."""
    if index == len(fields):
        yield chosen
        return
    for value in counter.values(index, chosen):
        chosen[fields[index].name] = value
        yield from _completed(index + 1, fields, counter, chosen)


def _ask(rules: Sequence[Rule], spec: KernelSpec, target: Target) -> _Taker | Rule:
    """The rule that refuses whatever ``spec`` becomes; or the rules that are still open."""
    still_open = []
    for rule in rules:
        try:
            if rule.complaint(spec, target) is not None:
                return rule
        except NotChosen:
            still_open.append(rule)
    return _Taker(target, tuple(still_open))
