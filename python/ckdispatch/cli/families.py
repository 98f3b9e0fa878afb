# SPDX-License-Identifier: MIT
"""What the command line needs of each family."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ckdispatch.cli.config_options import ConfigOption
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.report import Column
from ckdispatch.families import FAMILIES

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.comparison import Comparison
    from ckdispatch.plan import Plan
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry
    from ckdispatch.selection import Selection


@dataclass(frozen=True)
class ProblemOption:
    """An option that changes a problem; without a ``metavar`` it is a switch.

    ``change`` takes the problem, what was said, and the kernels to choose from.
    """

    help: str
    change: Callable[[Any, Any, Registry, Selection], Problem]
    metavar: str | None = None


class Workload(Protocol):
    """The operands of a problem on a device."""

    @property
    def tensors(self) -> Sequence[Any]: ...
    @property
    def bytes(self) -> int:
        """What all operands hold, each counted once."""

    def launch(self) -> None:
        """Run the plan once, and wait for it."""

    def compare(self, on_device: bool = False) -> Comparison:
        """How the result of the last launch differs from the reference, whose sums are NumPy's or
        the device's.
        """

    def with_plan(self, plan: Plan[Any]) -> Workload | None:
        """The same operands for another plan of the same problem;
        None if they are to be made anew.
        """


class FamilyCommands(Protocol):
    """The module ``cli`` of a family."""

    FIELDS: Mapping[str, str]
    """What a list can be narrowed down by, and the words of a registry for it."""

    COLUMNS: tuple[Column, ...]

    CONFIG_OPTIONS: Mapping[str, ConfigOption]
    """For each field of its kernels."""

    PROBLEM_OPTIONS: Mapping[str, ProblemOption]

    def cells(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """What a list shows about a kernel, under ``COLUMNS``."""

    def workgroup_size(self, spec: Mapping[str, Any], wave_size: int) -> int:
        """Work-items of a workgroup on a GPU with waves of ``wave_size``."""

    def notes(self, plan: Plan[Any]) -> tuple[str, ...]:
        """What else there is to say about a plan, in sentences."""

    def kernel_set(self, problem: Any) -> str | None:
        """The shipped set with every kernel of the problem's kind;
        None if there is not one alone.
        """

    def workload(
        self, dispatcher: BaseDispatcher, problem: Any, plan: Plan[Any], seed: int | None
    ) -> Workload:
        """Random operands on the device; without a seed their values do not count, as for times
        of the simulator.
        """


def commands_of(family: str) -> FamilyCommands:
    """Those of the family called ``family``."""
    return FAMILIES[family].commands


def _problem_options() -> dict[str, ProblemOption]:
    return {
        name: one
        for family in reversed(list(FAMILIES.values()))
        for name, one in family.commands.PROBLEM_OPTIONS.items()
    }


def add_problem_options(parser: argparse.ArgumentParser) -> None:
    """The options that change problems of some family."""
    for name, option in _problem_options().items():
        said: dict[str, Any] = (
            {"metavar": option.metavar}
            if option.metavar
            else {"action": "store_const", "const": True}
        )
        parser.add_argument(
            f"--{name.replace('_', '-')}", dest=f"problem_{name}", help=option.help, **said
        )


def changed(
    problem: Problem, options: argparse.Namespace, registry: Registry, selection: Selection
) -> Problem:
    """The problem as these options want it."""
    own = commands_of(problem.family).PROBLEM_OPTIONS
    for name in _problem_options():
        said = getattr(options, f"problem_{name}")
        if said is None:
            continue
        if name not in own:
            having = ", ".join(
                family for family, one in FAMILIES.items() if name in one.commands.PROBLEM_OPTIONS
            )
            raise UsageError(
                f"--{name.replace('_', '-')} was asked for with {problem.text}; "
                f"it is for problems of {having}"
            )
        problem = own[name].change(problem, said, registry, selection)
    return problem
