# SPDX-License-Identifier: MIT
"""What a call gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison
    from ckdispatch.plan import Plan


class RunResult:
    """What ``run`` enqueued, and where. ``milliseconds`` is None unless it was asked for."""

    __slots__ = ("device", "milliseconds", "plan")

    def __init__(self, plan: Plan[Any], device: str, milliseconds: float | None = None) -> None:
        self.plan = plan
        self.device = device
        self.milliseconds = milliseconds

    @property
    def kernel(self) -> str:
        return self.plan.kernel

    def __repr__(self) -> str:
        return f"RunResult({self.kernel} on {self.device})"


@dataclass(frozen=True)
class GroupedResult:
    """The outputs of many products with how they came to be; otherwise as ``Result``."""

    outs: list[Any]
    plan: Plan[Any]
    device: str
    simulated: bool
    changes: tuple[str, ...] = ()
    milliseconds: float | None = None
    comparisons: tuple[Comparison, ...] = field(default=(), repr=False)

    @property
    def kernels(self) -> tuple[str, ...]:
        """One if a single launch computed all, else the kernel of each product."""
        return self.plan.kernels


@dataclass(frozen=True)
class Result:
    """The output of an operation with how it came to be.

    ``out`` is of the kind that the operands are. ``changes`` says in sentences what was not run as
    it was given: copies into another layout, padding. ``padded`` is what ran instead, such as a
    larger shape, or None. ``milliseconds`` is None unless timing was asked for; on a simulated
    device it is the simulator's own time, not a GPU's.
    """

    out: Any
    plan: Plan[Any]
    device: str
    simulated: bool
    changes: tuple[str, ...] = ()
    padded: tuple[int, ...] | None = None
    milliseconds: float | None = None
    comparison: Comparison | None = field(default=None, repr=False)

    @property
    def kernel(self) -> str:
        return self.plan.kernel
