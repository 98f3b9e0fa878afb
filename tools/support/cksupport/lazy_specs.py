# SPDX-License-Identifier: MIT
"""Kernels of which choices are made one after the other, so that a rule can refuse before all are
made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

from ckarch import ArchSpecs
from ckgen.core.rules import Rule
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

from cksupport.pairs import Rule as Check
from cksupport.refusals import Refusal

S = TypeVar("S", bound=KernelSpec)
Choices = Mapping[str, Any]
"""The value of each axis, of which ``GPU`` is one; while it is looked for, of some."""
Make = Callable[[Choices, ArchSpecs], Any]
"""What a field of a kernel is, by the choices that it reads."""


def choice_of(axis: str) -> Make:
    """A field that is what was chosen of an axis."""
    return lambda choices, arch: choices[axis]


class Specs(Generic[S]):
    """The kernels of one kind of spec, by what their fields are made of."""

    def __init__(self, kind: type[S], fields: Mapping[str, Make]) -> None:
        self._kind = kind
        self._fields = fields
        self._lazy = _lazy(kind, fields)

    def whole(self, choices: Choices, arch: ArchSpecs) -> S:
        """The kernel of a whole combination."""
        return self._kind(**{name: make(choices, arch) for name, make in self._fields.items()})

    def begun(self, choices: Choices, arch: ArchSpecs) -> S:
        """The same, of which a field is found out when it is read: some may not be chosen yet."""
        spec = object.__new__(self._lazy)
        spec.__dict__["_made_of"] = choices, arch
        return spec

    def checks(self, rules: Iterable[Rule], arch: ArchSpecs) -> list[Check]:
        """The rules of the generator, about choices."""
        return [partial(self._asked, rule, arch) for rule in rules]

    def _asked(self, rule: Rule, arch: ArchSpecs, choices: Choices) -> Refusal | None:
        if rule.complaint(self.begun(choices, arch), Target.of(arch, choices["GPU"])) is None:
            return None
        # What it says about one kernel would not hold for all that a pair refuses.
        return Refusal(rule.id, rule.sentence.rstrip("."))


def _lazy(kind: type[S], fields: Mapping[str, Make]) -> type[S]:
    return type("Lazy", (kind,), {name: _Field(name, make) for name, make in fields.items()})


class _Field:
    """A field that is found out when it is first read; then the spec has it."""

    def __init__(self, name: str, make: Make) -> None:
        self._name = name
        self._make = make

    def __get__(self, spec: Any, kind: type) -> Any:
        known = spec.__dict__
        value = known[self._name] = self._make(*known["_made_of"])
        return value
