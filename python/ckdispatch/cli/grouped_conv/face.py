# SPDX-License-Identifier: MIT
"""Convolutions as the commands see them; ``ckdispatch.cli.families.Face`` says what is what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from ckdispatch.cli import specs
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.grouped_conv.workload import Workload
from ckdispatch.cli.report import Column
from ckdispatch.cli.units import extents
from ckdispatch.errors import NoKernel, Unsupported
from ckdispatch.grouped_conv.padding import padded_plan
from ckdispatch.grouped_conv.problem import GroupedConvProblem

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.selection import Selection

FIELDS = MappingProxyType(
    {"variant": "variant", "dtype": "dtype_x", "layout": "layout", "pipeline": "pipeline"}
)
COLUMNS = tuple(Column(title) for title in (*specs.COMMON, "vectors", "groups", "for"))

parse_problem = GroupedConvProblem.parse
workgroup_size = specs.workgroup_size
workload = Workload


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    vectors = extents(spec[f"vector_{letter}"] for letter in "abc")
    special = str(spec["specialization"])
    takes = "any filter" if special == "default" else special
    return (*specs.common_cells(spec), vectors, str(spec["merged_groups"]), takes)


def problem_text(problem: GroupedConvProblem) -> str:
    return problem.text


def with_split_k(problem: GroupedConvProblem, parts: int) -> GroupedConvProblem:
    return replace(problem, split_k=parts)


def preshuffled(_problem: GroupedConvProblem, _selection: Selection) -> NoReturn:
    raise UsageError("--preshuffle was asked for with a convolution; only a GEMM has such weights")


def planned(
    dispatcher: Dispatcher, problem: GroupedConvProblem, kernel: str | None, pad: bool
) -> tuple[Plan, tuple[str, ...]]:
    """For the problem as it is, or else, if ``pad``, for more channels in each group."""
    try:
        return dispatcher.plan(problem, kernel=kernel), ()
    except (NoKernel, Unsupported) as refusal:
        if not pad:
            raise
        plan = padded_plan(dispatcher.selection, problem, NoKernel(str(refusal)))
    ran = plan.problem
    if (ran.c, ran.k) == (problem.c, problem.k):
        return plan, ()
    who = "the kernel does not take" if kernel else "no kernel takes"
    return plan, (
        f"c = {problem.c} and k = {problem.k} of each group were padded to {ran.c} and {ran.k}, "
        f"because {who} these channels as they are",
    )
