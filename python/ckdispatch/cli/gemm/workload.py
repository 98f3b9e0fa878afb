# SPDX-License-Identifier: MIT
"""A GEMM on a device: random operands where its problem has them, and the product compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ckdispatch.cli.gemm.product import Product
from ckdispatch.cli.operands import Launched

if TYPE_CHECKING:
    import numpy as np

    from ckdispatch.comparison import Comparison
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.gemm.problem import GemmProblem
    from ckdispatch.plan import Plan


class Workload(Launched):
    """The operands of ``problem`` on the device, laid out as ``plan`` has them."""

    def __init__(self, dispatcher: Dispatcher, problem: GemmProblem, plan: Plan, seed: int) -> None:
        import numpy as np

        self.dispatcher, self.plan = dispatcher, plan
        self.products = _products(dispatcher, problem, plan, np.random.default_rng(seed))
        self.tensors = [tensor for product in self.products for tensor in product.tensors]

    @property
    def bytes(self) -> int:
        """Of all tensors, each counted once."""
        return sum(product.bytes for product in self.products)

    def compare(self) -> Comparison:
        """How what the last launch left in C differs from the reference.

        Of groups it has the sum, with the worst place of the worst group.
        """
        found = [product.compare() for product in self.products]
        return replace(
            min(found, key=lambda one: (one.ok, -one.max_ulps)),
            size=sum(one.size for one in found),
            mismatch_count=sum(one.mismatch_count for one in found),
            max_abs=max(one.max_abs for one in found),
            max_rel=max(one.max_rel for one in found),
            max_ulps=max(one.max_ulps for one in found),
        )


def _products(
    dispatcher: Dispatcher, problem: GemmProblem, plan: Plan, random: np.random.Generator
) -> list[Product]:
    stages = plan.to_json()["stages"]
    if not problem.groups:
        return [Product(dispatcher, problem, plan.problem, stages[0], random)]
    # One stage computes all groups, or each has its own.
    own = stages if len(stages) > 1 else stages * len(problem.groups)
    found = []
    for group, stage in zip(problem.products(), own, strict=True):
        found.append(Product(dispatcher, group, group, stage, random))
    return found
