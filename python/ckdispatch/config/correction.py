# SPDX-License-Identifier: MIT
"""The nearest legal config, and why each of its changes was needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from ckgen.core.nearest import nearest_legal
from ckgen.core.rules import first_violation
from ckgen.core.target import Target

from ckdispatch.config.base import KernelConfig
from ckdispatch.config.values import as_json
from ckdispatch.errors import IllegalConfig

C = TypeVar("C", bound=KernelConfig)


class Change(NamedTuple):
    """One field that was changed. ``why`` is the rule that keeping it would break."""

    field: str
    before: Any
    after: Any
    why: str

    def __str__(self) -> str:
        return f"{self.field} from {self.before} to {self.after}, because of {self.why}"


@dataclass(frozen=True)
class Correction(Generic[C]):
    """A legal config, and every change that led to it; none if it was legal as it was."""

    config: C
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        if not self.changes:
            return "nothing had to be changed"
        return "changed " + "; ".join(str(change) for change in self.changes)

    def to_json(self) -> dict[str, Any]:
        """The config and its changes as JSON values."""
        return {
            "config": self.config.to_json(),
            "changes": [change._asdict() for change in self.changes],
        }


def correct(config: C, target: Target) -> Correction[C]:
    """See ``KernelConfig.autocorrect``."""
    if not config.is_explicit:
        errors = config.expansion(target).errors
        if errors:
            raise IllegalConfig(errors[0])
        return Correction(config, ())
    family = config.generator_family()
    nearest = nearest_legal(family, config.spec, target)
    if nearest is None:
        raise IllegalConfig(str(config.validate(target.name)))
    if nearest == config.spec:
        return Correction(config, ())
    before = family.choice(config.spec, target.arch)
    after = family.choice(nearest, target.arch)
    changes = tuple(
        Change(
            name,
            as_json(before[name]),
            as_json(after[name]),
            _why(config, name, before, after, target),
        )
        for name in after
        if before[name] != after[name]
    )
    return Correction(config.from_spec(nearest), changes)


def _why(
    config: KernelConfig,
    name: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    target: Target,
) -> str:
    """What is wrong with the correction if it keeps this one field as it was."""
    family = config.generator_family()
    kept = family.build({**after, name: before[name]}, target.arch)
    finding = first_violation(family.rules, kept, target)
    if finding is None:
        # Of two changes that would each do alone, the search may have made both.
        finding = first_violation(family.rules, config.spec, target)
    return str(finding)
