# SPDX-License-Identifier: MIT
"""What the tables of products run along."""

from __future__ import annotations

from dataclasses import dataclass

from ckarch import ArchSpecs, DtypeCombination
from ckgen.product.spec import Dtype, Pipeline, Scheduler

ALL_PADDED = (True, True, True)


@dataclass(frozen=True)
class Loop:
    """A pipeline and its scheduler."""

    pipeline: Pipeline
    scheduler: Scheduler
    label: str


SHUFFLED = Loop(Pipeline.PRESHUFFLEV2, Scheduler.DEFAULT, str(Pipeline.PRESHUFFLEV2))
"""The one of weights in the order of the matrix instructions."""


def loops() -> tuple[Loop, ...]:
    """Every pipeline of plain weights; mem alone exists with either scheduler."""
    found = []
    both = (Scheduler.INTRAWAVE, Scheduler.INTERWAVE)
    for pipeline in Pipeline:
        if pipeline is SHUFFLED.pipeline:
            continue
        schedulers = both if pipeline is Pipeline.MEM else both[:1]
        for scheduler in schedulers:
            several = len(schedulers) > 1
            label = f"{pipeline} {scheduler}" if several else str(pipeline)
            found.append(Loop(pipeline, scheduler, label))
    return tuple(found)


def dtype_pairs(arch: ArchSpecs) -> tuple[tuple[Dtype, Dtype, str], ...]:
    """Every product that some GPU computes, with its label."""
    return tuple((Dtype(pair.a), Dtype(pair.b), _label(pair)) for pair in arch.dtype_combinations)


def _label(pair: DtypeCombination) -> str:
    return pair.a if pair.a == pair.b else f"{pair.a} x {pair.b}"
