# SPDX-License-Identifier: MIT
"""The plan for a larger problem in place of one that no kernel takes as it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ckdispatch.errors import CkDispatchError, NoKernel

if TYPE_CHECKING:
    from ckdispatch.plan import Plan
    from ckdispatch.problem import P
    from ckdispatch.selection import Selection


def fastest_plan(selection: Selection, offers: Iterable[tuple[str, P]], refusal: NoKernel) -> Plan[P]:
    """Of kernels with a problem for each, what should take the least time.

    Raises ``refusal`` if none of them takes its problem.
    """
    best: Plan[P] | None = None
    for kernel, problem in offers:
        try:
            plan = selection.select(problem, kernel=kernel)
        except CkDispatchError:
            continue
        if best is None or plan.predicted_microseconds < best.predicted_microseconds:
            best = plan
    if best is None:
        raise refusal
    return best
