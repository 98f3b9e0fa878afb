# SPDX-License-Identifier: MIT
"""What the tables of products run along."""

from __future__ import annotations

from dataclasses import dataclass

from ckarch import ArchSpecs
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
    both = (Scheduler.INTRAWAVE, Scheduler.INTERWAVE)
    mem = [Loop(Pipeline.MEM, scheduler, f"{Pipeline.MEM} {scheduler}") for scheduler in both]
    others = [
        pipeline for pipeline in Pipeline if pipeline not in (Pipeline.MEM, SHUFFLED.pipeline)
    ]
    return (*mem, *(Loop(pipeline, Scheduler.INTRAWAVE, str(pipeline)) for pipeline in others))


def dtype_pairs(arch: ArchSpecs) -> tuple[tuple[Dtype, Dtype, str], ...]:
    """Every product that some GPU computes, with its label."""
    pairs = [(pair.a, pair.b) for pair in arch.dtype_combinations]
    return tuple((Dtype(a), Dtype(b), a if a == b else f"{a} x {b}") for a, b in pairs)
