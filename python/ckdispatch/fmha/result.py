# SPDX-License-Identifier: MIT
"""What the calls of attention give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ckdispatch.result import Result

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison
    from ckdispatch.plan import Plan


@dataclass(frozen=True)
class AttentionResult(Result):
    """``out`` as ``Result`` has it. ``lse`` and ``randval`` are None unless they were asked for.

    ``seed`` and ``offset`` are those of the dropout, which its gradients need.
    """

    lse: Any = None
    randval: Any = None
    seed: Any = None
    offset: Any = None


@dataclass(frozen=True)
class AttentionGradients:
    """The gradients, each like its tensor; ``dbias`` is None unless it was asked for. Otherwise as
    ``Result``.
    """

    dq: Any
    dk: Any
    dv: Any
    dbias: Any
    plan: Plan[Any]
    device: str
    simulated: bool
    changes: tuple[str, ...] = ()
    milliseconds: float | None = None
    comparisons: tuple[Comparison, ...] = field(default=(), repr=False)

    @property
    def kernels(self) -> tuple[str, ...]:
        """Of the stages."""
        return self.plan.kernels
