# SPDX-License-Identifier: MIT
"""Sizes at which a kernel does something else than at others."""

from __future__ import annotations

from ckgen.core.target import Target
from ckgen.product.pipelines import prefetch_stages
from ckgen.product.spec import Pipeline, ProductSpec

_LOOPS = 5
"""Turns of the main loop after which no pipeline but mem begins anything new."""


def first_turns(spec: ProductSpec) -> int:
    """The fewest turns of the main loop that the kernel can make."""
    # compv6 reads ahead of a single turn, and only padding keeps that within the row.
    return 2 if spec.pipeline is Pipeline.COMPV6 and not spec.pad_k else 1


def last_turns(spec: ProductSpec, target: Target) -> int:
    """Turns after which every loop variant and tail has run."""
    return max(_LOOPS, 2 * prefetch_stages(spec, target.arch))


def remainder(tile: int, step: int) -> int:
    """About a third of a tile, a multiple of ``step``, of an odd one if possible."""
    steps = max(1, tile // 3 // step)
    return min(step * (steps | 1), tile)
