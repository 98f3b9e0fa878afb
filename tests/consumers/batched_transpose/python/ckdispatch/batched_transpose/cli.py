# SPDX-License-Identifier: MIT
"""Batched transposes as the commands see them; ``ckdispatch.cli.families.FamilyCommands`` says what
is what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.config_options import ConfigOption, count, switch, triple
from ckdispatch.cli.families import ProblemOption, Workload
from ckdispatch.cli.operands import Launched, poisoned, random_operand
from ckdispatch.cli.report import Column, extents

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.batched_transpose.problem import BatchedTransposeProblem
    from ckdispatch.comparison import Comparison
    from ckdispatch.plan import Plan

FIELDS = {"dtype": "dtype"}
COLUMNS = tuple(Column(title) for title in ("tile", "waves", "pads"))
CONFIG_OPTIONS = {
    "dtype": ConfigOption("of what is transposed"),
    "tile": ConfigOption("rows and columns of a workgroup, such as 64x64x1", triple),
    "waves": ConfigOption("of a workgroup", count),
    "pad": ConfigOption("whether extents may be other than multiples of the tile", switch),
}
PROBLEM_OPTIONS: Mapping[str, ProblemOption] = {}


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    return extents(spec["tile"]), str(spec["waves"]), str(spec["pad"]).lower()


def workgroup_size(spec: Mapping[str, Any], wave_size: int) -> int:
    return int(spec["waves"]) * wave_size


def notes(plan: Plan[Any]) -> tuple[str, ...]:
    return ()


class _Transposed(Launched):
    """Random matrices on the device, and where the transposed ones go."""

    def __init__(
        self,
        dispatcher: BaseDispatcher,
        problem: BatchedTransposeProblem,
        plan: Plan[Any],
        seed: int,
    ) -> None:
        import numpy as np

        self.dispatcher, self.plan = dispatcher, plan
        batch, height, width = problem.batch, problem.height, problem.width
        self.array = random_operand(
            dispatcher.device, np.random.default_rng(seed), (batch, height, width), problem.dtype
        )
        self.tensors = [
            dispatcher.to_device(self.array),
            poisoned(dispatcher, (batch, width, height), problem.dtype),
        ]

    @property
    def bytes(self) -> int:
        return 2 * self.array.nbytes

    def compare(self, on_device: bool = False) -> Comparison:
        from ckdispatch.comparison import compare
        from ckdispatch.reference.tolerance import Tolerance

        return compare(self.tensors[1].numpy(), self.array.swapaxes(1, 2), Tolerance())


def workload(
    dispatcher: BaseDispatcher, problem: BatchedTransposeProblem, plan: Plan[Any], seed: int
) -> Workload:
    return _Transposed(dispatcher, problem, plan, seed)
