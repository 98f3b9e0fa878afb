# SPDX-License-Identifier: MIT
"""Kernels drawn at random: legal ones, and ones that a single rule refuses."""

from __future__ import annotations

import random as randomness
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from ckarch import ArchSpecs
from ckdispatch.jit.sources import family_of
from ckgen.core.errors import SpecError
from ckgen.core.family import Family
from ckgen.core.rules import Purpose
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

from cksupport.kernels import Kernel

_Item = TypeVar("_Item")
_Spec = TypeVar("_Spec", bound=KernelSpec)

_MOST_DRAWS = 1_000_000
_DRAWS_OF_A_KIND = 200
_KERNELS_WITHOUT_A_NEW_RULE = 20


@dataclass(frozen=True)
class Sample(Kernel):
    """A kernel that was drawn, or named; ``rules`` are the ids of those that refuse it."""

    rules: tuple[str, ...] = ()

    @classmethod
    def judged(cls, gpu: str, spec: KernelSpec, arch: ArchSpecs) -> Sample:
        """With the rules that refuse it now."""
        return cls(gpu, spec, tuple(broken_rules(spec, Target.of(arch, gpu))))

    def may_be(self, right: bool) -> bool:
        """Whether that says nothing against the rules."""
        if not self.rules:
            return right
        purposes = {rule.purpose for rule in family_of(self.spec).rules if rule.id in self.rules}
        return not right or Purpose.RESULTS not in purposes

    def __str__(self) -> str:
        against = f" against {', '.join(self.rules)}" if self.rules else ""
        return f"{super().__str__()}{against}"

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"gpu": self.gpu, "kernel": self.spec.name, "rules": list(self.rules)}


class Draw(ABC, Generic[_Spec]):
    """Kernels of a family drawn by a seed: the same seed draws the same kernels."""

    family: ClassVar[Family]
    kinds: ClassVar[Sequence[Any]]
    """What is drawn as often as each other."""

    def __init__(self, arch: ArchSpecs, seed: int, gpus: Sequence[str] = ()) -> None:
        self._arch = arch
        self._random = randomness.Random(seed)
        self._gpus = tuple(gpus) or arch.gpus

    @abstractmethod
    def spec(self, target: Target, kind: Any) -> _Spec | None:
        """Any kernel of a kind, legal or not; None if the GPU has nothing to build it of."""

    @abstractmethod
    def changed(self, spec: _Spec, target: Target) -> _Spec:
        """The kernel with one field changed."""

    @abstractmethod
    def is_small(self, spec: _Spec) -> bool:
        """Whether it compiles soon enough."""

    def legal(self) -> Iterator[Sample]:
        """Legal kernels, without end and without repetition, of every kind as often."""
        for target, spec in self._legal():
            yield Sample(target.name, spec)

    def _legal(self) -> Iterator[tuple[Target, _Spec]]:
        seen = set()
        for _ in range(_MOST_DRAWS):
            target = Target.of(self._arch, self._one(self._gpus))
            kind = self._one(self.kinds)
            for _ in range(_DRAWS_OF_A_KIND):
                spec = self.spec(target, kind)
                if spec is not None and self.is_small(spec) and self.family.is_legal(spec, target):
                    if (target.name, spec) not in seen:
                        seen.add((target.name, spec))
                        yield target, spec
                    break

    def at_the_border(self) -> Iterator[Sample]:
        """Legal kernels with one field changed, which a single rule refuses for its results.

        What other rules refuse may be right, so trying it shows nothing. No rule is drawn a second
        time as long as others are found.
        """
        rules = {rule.id: rule for rule in self.family.rules}
        taken: Counter[str] = Counter()
        turn = since = 0
        for target, legal in self._legal():
            for _ in range(len(rules)):
                spec = self.changed(legal, target)
                broken = broken_rules(spec, target)
                if len(broken) != 1 or rules[broken[0]].purpose is not Purpose.RESULTS:
                    continue
                if taken[broken[0]] > turn or not self._has_a_name(spec):
                    continue
                taken[broken[0]] += 1
                since = 0
                yield Sample(target.name, spec, tuple(broken))
                break
            else:
                since += 1
                if since >= _KERNELS_WITHOUT_A_NEW_RULE:
                    turn, since = turn + 1, 0

    def _one(self, items: Sequence[_Item]) -> _Item:
        return self._random.choice(items)

    def _has_a_name(self, spec: _Spec) -> bool:
        """Whether its name says all of it: a rule about what cannot be said cannot be tried."""
        try:
            return self.family.parse_name(spec.name) == spec
        except SpecError:
            return False


def broken_rules(spec: KernelSpec, target: Target) -> list[str]:
    """The ids of all rules that refuse ``spec``."""
    return [finding.rule.id for finding in family_of(spec).judge(spec, target).violations]
