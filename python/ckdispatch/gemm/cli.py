# SPDX-License-Identifier: MIT
"""Matrix products as the commands see them; ``ckdispatch.cli.families.FamilyCommands`` says what is
what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.config_options import ConfigOption, switch
from ckdispatch.cli.config_options import extents as which_extents
from ckdispatch.cli.families import ProblemOption, Workload
from ckdispatch.cli.report import Column
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.product import cli as product
from ckdispatch.product.cli import COMMON, SPLIT_K, common_cells, workgroup_size

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.gemm.problem import GemmProblem
    from ckdispatch.plan import Plan
    from ckdispatch.registry import Registry
    from ckdispatch.selection import Selection

__all__ = [
    "COLUMNS",
    "CONFIG_OPTIONS",
    "FIELDS",
    "PROBLEM_OPTIONS",
    "cells",
    "kernel_set",
    "notes",
    "workgroup_size",
    "workload",
]

FIELDS = {"variant": "variant", "dtype": "dtype_a", "layout": "layout", "pipeline": "pipeline"}
COLUMNS = tuple(Column(title) for title in (*COMMON, "pads"))
CONFIG_OPTIONS = {
    "dtype": ConfigOption("of A and B, such as fp16"),
    "layout": ConfigOption("rows or columns for A, B and C, such as rcr"),
    **product.CONFIG_OPTIONS,
    "pad": ConfigOption(
        "the extents that need be no multiple of the tile: letters of mnk, or none", which_extents
    ),
    "persistent": ConfigOption("true if a workgroup computes several tiles", switch),
    "variant": ConfigOption("standard, batched, grouped, multi_d, preshuffle or stream_k"),
    "dtype_a": ConfigOption("where it is not that of --dtype"),
    "dtype_b": ConfigOption("where it is not that of A"),
    "dtype_c": ConfigOption("where it is not the usual one"),
    "dtype_d": ConfigOption("of D tensors, where it is not that of C"),
    "d_layout": ConfigOption("of D tensors: r for rows, c for columns"),
}


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    pads = "".join(letter for letter in "mnk" if spec[f"pad_{letter}"])
    return (*common_cells(spec), pads or "-")


def _preshuffled(
    problem: GemmProblem, _said: bool, registry: Registry, selection: Selection
) -> GemmProblem:
    """With the order of weights that should be the fastest, of those that kernels read."""
    from ckdispatch.gemm.weights import blocks

    dtype = problem.dtype_b or problem.dtype
    found = blocks(registry, dtype, selection.gpu)
    if not found:
        raise NoKernel(
            f"no kernel of {registry.name} for {selection.gpu} reads preshuffled weights "
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


def notes(plan: Plan[GemmProblem]) -> tuple[str, ...]:
    from ckdispatch.gemm.grouped import one_by_one

    return one_by_one(plan)


def kernel_set(problem: GemmProblem) -> str:
    if problem.fused_op is not None:
        return f"gemm_multi_d_{problem.dtype}_all"
    if problem.groups or problem.batch > 1:
        return f"gemm_{'grouped' if problem.groups else 'batched'}_{problem.dtype}_all"
    if problem.weights is not None:
        return f"gemm_preshuffle_{problem.dtype}_all"
    return f"gemm_{problem.dtype}_{problem.layout}_all"


def workload(
    dispatcher: BaseDispatcher, problem: GemmProblem, plan: Plan[GemmProblem], seed: int | None
) -> Workload:
    from ckdispatch.gemm.workload import GemmWorkload

    return GemmWorkload(dispatcher, problem, plan, seed)


PROBLEM_OPTIONS = {
    "split_k": SPLIT_K,
    "preshuffle": ProblemOption(
        "B is given in the order of a kernel's matrix instructions, "
        "whichever should be the fastest",
        _preshuffled,
    ),
}
