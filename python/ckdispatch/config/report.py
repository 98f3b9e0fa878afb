# SPDX-License-Identifier: MIT
"""What the rules say about a config on one GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ckgen.core.nearest import describe_change, nearest_legal
from ckgen.core.rules import Finding
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

from ckdispatch.config.base import KernelConfig
from ckdispatch.config.values import as_json


@dataclass(frozen=True)
class Violation:
    """One rule that an explicit config breaks.

    ``complaint`` says what is wrong with ``values``, the fields of the spec by which it can be
    repaired. ``nearest`` has those of them that the nearest legal kernel says differently; the
    others of its changes may be what satisfies this rule.
    """

    rule: str
    sentence: str
    complaint: str
    values: Mapping[str, Any]
    nearest: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.rule}: {self.complaint}"


@dataclass(frozen=True)
class Report:
    """Whether a config is legal on the GPU ``arch``; it is true if so.

    An explicit config is legal if it breaks no rule. One with wildcards or lists is legal if any of
    its choices is; ``dropped`` counts the others by the rule that refuses them. ``nearest`` is the
    nearest legal kernel to an explicit config that is not legal itself, if any is near.
    """

    config: KernelConfig
    arch: str
    kernel_count: int
    violations: tuple[Violation, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    nearest: KernelConfig | None = None

    @property
    def legal(self) -> bool:
        """Whether at least one kernel of the config is legal."""
        return self.kernel_count > 0

    def __bool__(self) -> bool:
        return self.legal

    def __str__(self) -> str:
        if not self.config.is_explicit:
            number = f"{self.kernel_count} kernels are" if self.kernel_count != 1 else "1 kernel is"
            why = ", ".join(f"{rule} refuses {count}" for rule, count in self.dropped.items())
            return f"{number} legal on {self.arch}" + (f"; {why}" if why else "")
        if self.legal:
            return f"{self.config.name} is legal on {self.arch}"
        broken = "; ".join(str(violation) for violation in self.violations)
        return f"{self.config.name} is not legal on {self.arch}: {broken}; {self._way_out()}"

    def _way_out(self) -> str:
        if self.nearest is None:
            return f"no similar kernel is legal on {self.arch}"
        change = describe_change(self.config.spec, self.nearest.spec)
        return f"the nearest legal choice is {change}"

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "config": self.config.to_json(),
            "arch": self.arch,
            "legal": self.legal,
            "kernel_count": self.kernel_count,
            "violations": [
                {
                    "rule": violation.rule,
                    "sentence": violation.sentence,
                    "complaint": violation.complaint,
                    "values": dict(violation.values),
                    "nearest": dict(violation.nearest),
                }
                for violation in self.violations
            ],
            "dropped": dict(self.dropped),
            "nearest": None if self.nearest is None else self.nearest.to_json(),
        }


def report_on(config: KernelConfig, target: Target) -> Report:
    """What the rules say about ``config`` on ``target``."""
    if not config.is_explicit:
        expansion = config.expansion(target)
        return Report(config, target.name, len(expansion.kernels), dropped=expansion.dropped)
    family = config.generator_family()
    violated = family.judge(config.spec, target).violations
    if not violated:
        return Report(config, target.name, 1)
    nearest = nearest_legal(family, config.spec, target)
    return Report(
        config,
        target.name,
        0,
        violations=tuple(_violation(finding, config.spec, nearest) for finding in violated),
        nearest=None if nearest is None else config.from_spec(nearest),
    )


def _violation(finding: Finding, spec: KernelSpec, nearest: KernelSpec | None) -> Violation:
    rule = finding.rule
    values = {name: as_json(getattr(spec, name)) for name in rule.fields}
    better = {} if nearest is None else {n: as_json(getattr(nearest, n)) for n in rule.fields}
    return Violation(
        rule.id,
        rule.sentence,
        finding.complaint or "",
        values,
        {name: value for name, value in better.items() if value != values[name]},
    )
