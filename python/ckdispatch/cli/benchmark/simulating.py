# SPDX-License-Identifier: MIT
"""Times of kernels on problems by the simulator's model of a GPU, which runs only the workgroups
that a time needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ckdispatch.cli.benchmark.timing import SIMULATED, SIMULATING, ask_for_times
from ckdispatch.cli.families import Workload, commands_of
from ckdispatch.errors import InvalidArgument, NoKernel, Unsupported

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.evaluation.serving import Served
    from ckdispatch.judging.cases import Way
    from ckdispatch.plan import Plan
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry

_REFUSALS = (InvalidArgument, NoKernel, Unsupported)


class Simulator:
    """The kernels of a registry on a simulated GPU. A process has one, and it must not have run
    anything else before.
    """

    def __init__(self, registry: Registry, gpu: str) -> None:
        self.registry, self.gpu = registry, gpu
        ask_for_times(f"sim:{gpu}", of_all=waits_for_others(registry))
        self._whole = self._dispatcher(registry)
        self._alone: dict[str, Dispatcher] = {}
        self._last: tuple[Dispatcher, Problem, Workload] | None = None

    def time(self, problem: Problem, kernel: str) -> tuple[Plan[Problem], float] | None:
        """The plan of a kernel, padded if need be, and its µs; None if the kernel computes no such
        problem.
        """
        try:
            dispatcher, plan = self._whole, self._whole.plan(problem, kernel=kernel)
        except _REFUSALS:
            dispatcher = self._for(kernel)
            try:
                plan = dispatcher.plan(problem, pad=True)
            except _REFUSALS:
                return None
        workload = self._workload(dispatcher, problem, plan)
        times = SIMULATING.measure(dispatcher, plan, workload.tensors)
        if times["times"] != SIMULATED:
            raise InvalidArgument(
                f"{problem.text} was to be timed on {self.gpu}, of which no facts about time are "
                "known; docs/timing.md has those that are"
            )
        return plan, 1000 * times["median"]

    def serve(
        self, problems: Iterable[tuple[Problem, set[str]]], tell: Callable[[], None] = lambda: None
    ) -> Served:
        """The times of problems by the kernels that each comes with,
        and the fastest as the pick.
        """
        # What judges picks takes a while to load, and `bench` needs none of it.
        from ckdispatch.evaluation.serving import Served

        served = Served()
        for problem, kernels in problems:
            times: dict[Way, float] = {}
            for kernel in sorted(kernels):
                found = self.time(problem, kernel) if kernel in self.registry else None
                if found is None:
                    served.refused += 1
                    continue
                plan, microseconds = found
                served.padded += plan.padded is not None
                times[plan.kernel, plan.parts] = microseconds
            served.predicted.append(times)
            served.picks.append(min(times, key=times.__getitem__) if times else None)
            tell()
        return served

    def _workload(self, dispatcher: Dispatcher, problem: Problem, plan: Plan[Problem]) -> Workload:
        """The operands of the last problem, if they are those of this one."""
        last = self._last
        found = (
            last[2].with_plan(plan)
            if last is not None and last[0] is dispatcher and last[1] == problem
            else None
        )
        if found is None:
            last = self._last = None  # before the next one takes as much memory
            found = commands_of(problem.family).workload(dispatcher, problem, plan, None)
        self._last = dispatcher, problem, found
        return found

    def _for(self, kernel: str) -> Dispatcher:
        if kernel not in self._alone:
            self._alone[kernel] = self._dispatcher(
                self.registry.filter(predicate=lambda one: one.name == kernel)
            )
        return self._alone[kernel]

    def _dispatcher(self, registry: Registry) -> Dispatcher:
        from ckdispatch.dispatcher import Dispatcher

        return Dispatcher(registry, f"sim:{self.gpu}")


def waits_for_others(registry: Registry) -> bool:
    """Whether workgroups of some kernel wait for others, so that a sample of them would wait for
    ever.
    """
    return any(kernel.spec.get("variant") == "stream_k" for kernel in registry)
