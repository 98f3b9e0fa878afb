# SPDX-License-Identifier: MIT
"""Matrix products as the commands see them; ``ckdispatch.cli.families.Face`` says what is what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.gemm.workload import Workload
from ckdispatch.cli.report import Column
from ckdispatch.cli.units import extents
from ckdispatch.errors import NoKernel, Unsupported
from ckdispatch.gemm.padding import padded_plan
from ckdispatch.gemm.problem import GemmProblem

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan

FIELDS = MappingProxyType({"dtype": "dtype_a", "layout": "layout", "pipeline": "pipeline"})
COLUMNS = tuple(Column(title) for title in ("tile", "waves", "warp tile", "pipeline", "pads"))

parse_problem = GemmProblem.parse
workload = Workload


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    pads = "".join(letter for letter in "mnk" if spec[f"pad_{letter}"])
    triples = (extents(spec[name]) for name in ("tile", "waves", "warp_tile"))
    return (*triples, str(spec["pipeline"]), pads or "-")


def workgroup_size(spec: Mapping[str, Any], wave_size: int) -> int:
    return int(math.prod(spec["waves"])) * wave_size


def problem_text(problem: GemmProblem) -> str:
    shown = [extents((problem.m, problem.n, problem.k)), problem.dtype, problem.layout]
    for field in fields(GemmProblem)[5:]:
        value = getattr(problem, field.name)
        if value != field.default:
            shown.append(f"{field.name}={str(value).lower()}")
    return " ".join(shown)


def with_split_k(problem: GemmProblem, parts: int) -> GemmProblem:
    return replace(problem, split_k=parts)


def planned(
    dispatcher: Dispatcher, problem: GemmProblem, kernel: str | None, pad: bool
) -> tuple[Plan, tuple[str, ...]]:
    """For the problem as it is, or else, if ``pad``, for a larger one."""
    try:
        return dispatcher.plan(problem, kernel=kernel), ()
    except (NoKernel, Unsupported) as refusal:
        if not pad:
            raise
        plan = padded_plan(dispatcher.selection, problem, NoKernel(str(refusal)))
    before, after = (extents((one.m, one.n, one.k)) for one in (problem, plan.problem))
    who = "the kernel does not take" if kernel else "no kernel takes"
    return plan, (f"M x N x K = {before} was padded to {after}, because {who} the shape as it is",)
