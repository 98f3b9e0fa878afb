# SPDX-License-Identifier: MIT
"""More channels in each group, for those that no kernel takes as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import NoKernel
from ckdispatch.grouped_conv.layouts import is_channels_first
from ckdispatch.padded import fastest_plan

if TYPE_CHECKING:
    from ckdispatch.grouped_conv.problem import GroupedConvProblem
    from ckdispatch.plan import Plan
    from ckdispatch.selection import Selection

_FIRST = "channels first"
_ALONG = {
    "forward": {"c": ("vector_a", "vector_b"), "k": ("vector_c",)},
    "backward_data": {"c": ("vector_b", "vector_c"), "k": ("vector_a",)},
    "backward_weight": {"c": ("vector_b", "vector_c"), "k": ("vector_a",)},
    _FIRST: {"c": ("vector_a",), "k": ()},
}
"""The vectors of a kernel that move channels in (c) and channels out (k) of a group.

Of a kernel that has channels first, that is one vector of w along its channels and taps; the others
move positions.
"""


def padded_plan(selection: Selection, problem: GroupedConvProblem, refusal: NoKernel) -> Plan[GroupedConvProblem]:
    """The plan, among all kernels with their vectors filled up, that should take the least time.

    Raises ``refusal`` if none fits.
    """
    return fastest_plan(selection, _larger(selection, problem), refusal)


def _larger(selection: Selection, problem: GroupedConvProblem) -> Iterator[tuple[str, GroupedConvProblem]]:
    kernels = selection.registry.filter(
        family=problem.family, gpu=selection.gpu, variant=problem.direction, dtype_x=problem.dtype
    )
    for kernel in kernels:
        c, k = (
            -(-extent // step) * step for extent, step in zip((problem.c, problem.k), channel_steps(kernel.spec), strict=True)
        )
        yield kernel.name, replace(problem, c=c, k=k, alignment=16)


def channel_steps(spec: Mapping[str, Any]) -> tuple[int, int]:
    """What the channels in and out of a group must be multiples of."""
    along = _ALONG[_FIRST if is_channels_first(spec["layout"]) else spec["variant"]]
    c, k = (math.lcm(*(spec[name] for name in along[channels])) for channels in "ck")
    return c, k
