# SPDX-License-Identifier: MIT
"""What the rules say about a config on one GPU, and the nearest legal config with the reasons for
its changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ckgen.core.nearest import describe_change
from ckgen.core.spec import KernelSpec


class _Config(Protocol):
    """What is used of a ``KernelConfig``, which makes what is here."""

    @property
    def is_explicit(self) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def spec(self) -> KernelSpec: ...
    def to_json(self) -> dict[str, Any]: ...


C = TypeVar("C", bound=_Config)


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
class Report(Generic[C]):
    """Whether a config is legal on the GPU ``arch``; it is true if so.

    An explicit config is legal if it breaks no rule. One with wildcards or lists is legal if any of
    its choices is; ``dropped`` counts the others by the rule that refuses them. ``nearest`` is the
    nearest legal kernel to an explicit config that is not legal itself, if any is near.
    """

    config: C
    arch: str
    kernel_count: int
    violations: tuple[Violation, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    nearest: C | None = None

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
            "violations": [asdict(violation) for violation in self.violations],
            "dropped": dict(self.dropped),
            "nearest": None if self.nearest is None else self.nearest.to_json(),
        }


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
