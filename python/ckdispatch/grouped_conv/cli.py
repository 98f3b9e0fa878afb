# SPDX-License-Identifier: MIT
"""Convolutions as the commands see them; ``ckdispatch.cli.families.FamilyCommands`` says what is
what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.config_options import ConfigOption, count, triple
from ckdispatch.cli.families import Workload
from ckdispatch.cli.report import Column, extents
from ckdispatch.product import cli as product
from ckdispatch.product.cli import COMMON, SPLIT_K, common_cells, workgroup_size

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.grouped_conv.problem import GroupedConvProblem
    from ckdispatch.plan import Plan

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

FIELDS = {"variant": "variant", "dtype": "dtype_x", "layout": "layout", "pipeline": "pipeline"}
COLUMNS = tuple(Column(title) for title in (*COMMON, "vectors", "groups", "for"))
CONFIG_OPTIONS = {
    "ndim_spatial": ConfigOption("of a convolution: 1, 2 or 3", count),
    "dtype": ConfigOption("of x and w"),
    "layout": ConfigOption("of a convolution channels_last or channels_first"),
    **product.CONFIG_OPTIONS,
    "variant": ConfigOption("of a convolution forward, backward_data or backward_weight"),
    "vector": ConfigOption(
        "elements of A, B and C that a convolution moves at a time, such as 8x8x8", triple
    ),
    "lds_buffers": ConfigOption("of the pipeline of a convolution: 1 or 2", count),
    "wave_groups": ConfigOption(
        "of a convolution, waves that take turns with the tiles of k: 1, or 2 of compv5", count
    ),
    "blocks_per_cu": ConfigOption(
        "workgroups of a convolution that are to share a compute unit", count
    ),
    "merged_groups": ConfigOption(
        "groups of a convolution that a workgroup computes at once", count
    ),
    "specialization": ConfigOption("of a convolution, such as filter_1x1_pad0"),
}
PROBLEM_OPTIONS = {"split_k": SPLIT_K}
_OF_SETS = {"forward": "fwd", "backward_data": "bwd_data", "backward_weight": "bwd_weight"}
"""What names of kernels call the directions."""


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    vectors = extents(spec[f"vector_{letter}"] for letter in "abc")
    special = str(spec["specialization"])
    takes = "any filter" if special == "default" else special
    return (*common_cells(spec), vectors, str(spec["merged_groups"]), takes)


def notes(_plan: Plan[GroupedConvProblem]) -> tuple[str, ...]:
    return ()


def kernel_set(problem: GroupedConvProblem) -> str:
    return (
        f"grouped_conv_{_OF_SETS[problem.direction]}_{problem.dtype}_{len(problem.sizes.axes)}d_all"
    )


def workload(
    dispatcher: BaseDispatcher,
    problem: GroupedConvProblem,
    plan: Plan[GroupedConvProblem],
    seed: int | None,
) -> Workload:
    from ckdispatch.grouped_conv.workload import ConvWorkload

    return ConvWorkload(dispatcher, problem, plan, seed)
