# SPDX-License-Identifier: MIT
"""Matrix products as the commands see them; ``ckdispatch.cli.families.Face`` says what is what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ckdispatch.cli import specs
from ckdispatch.cli.gemm.workload import Workload
from ckdispatch.cli.report import Column
from ckdispatch.cli.units import extents
from ckdispatch.errors import InvalidArgument, NoKernel, Unsupported
from ckdispatch.gemm.padding import padded_plan
from ckdispatch.gemm.problem import GemmProblem
from ckdispatch.gemm.weights import granules

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.selection import Selection

FIELDS = MappingProxyType(
    {"variant": "variant", "dtype": "dtype_a", "layout": "layout", "pipeline": "pipeline"}
)
COLUMNS = tuple(Column(title) for title in (*specs.COMMON, "pads"))

parse_problem = GemmProblem.parse
workgroup_size = specs.workgroup_size
workload = Workload


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    pads = "".join(letter for letter in "mnk" if spec[f"pad_{letter}"])
    return (*specs.common_cells(spec), pads or "-")


def problem_text(problem: GemmProblem) -> str:
    return problem.text


def with_split_k(problem: GemmProblem, parts: int) -> GemmProblem:
    return replace(problem, split_k=parts)


def preshuffled(problem: GemmProblem, selection: Selection) -> GemmProblem:
    """With the order of weights that should be the fastest, of those that kernels read."""
    dtype = problem.dtype_b or problem.dtype
    found = granules(selection.registry, dtype, selection.gpu)
    if not found:
        raise NoKernel(
            f"no kernel of {selection.registry.name} for {selection.gpu} reads preshuffled weights "
            f"of {dtype}; those of the variant preshuffle do"
        )
    offered = [replace(problem, weights=f"{n}x{k}") for n, k in found]
    timed = []
    for one in offered:
        try:
            timed.append((selection.select(one).predicted_microseconds, one.text, one))
        except (NoKernel, InvalidArgument):
            continue  # its N or K is no multiple, or it is to be padded
    return min(timed)[2] if timed else offered[0]


def planned(
    dispatcher: Dispatcher, problem: GemmProblem, kernel: str | None, pad: bool
) -> tuple[Plan, tuple[str, ...]]:
    """For the problem as it is, or else, if ``pad``, for a larger one."""
    try:
        plan = dispatcher.plan(problem, kernel=kernel)
        return plan, _one_by_one(plan)
    except (NoKernel, Unsupported) as refusal:
        if not pad or problem.groups:
            raise
        plan = padded_plan(dispatcher.selection, problem, NoKernel(str(refusal)))
    before, after = (extents((one.m, one.n, one.k)) for one in (problem, plan.problem))
    who = "the kernel does not take" if kernel else "no kernel takes"
    return plan, (f"M x N x K = {before} was padded to {after}, because {who} the shape as it is",)


def _one_by_one(plan: Plan) -> tuple[str, ...]:
    groups = len(plan.problem.groups)
    if plan.launches == 1 or not groups:
        return ()
    return (
        f"the {groups} groups were computed one after another, because no kernel computes them in "
        "one launch",
    )
