# SPDX-License-Identifier: MIT
"""The problems that an attention kernel is tried on: drawn at random from what its spec says that
it can, and what its library takes of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from ckabi import KernelLibrary, Status
from ckabi.fmha import FmhaProblem, fmha_problem, set_tensor
from ckgen.core.target import Target
from ckgen.fmha.spec import FmhaSpec, Variant

from cksupport.fmha.cases import (
    Case,
    append_case,
    combine_case,
    forward_case,
    paged_case,
    prefill_case,
    sink_case,
    split_case,
)
from cksupport.fmha.draws import Draw, begin
from cksupport.fmha.gradient_cases import convert_case, dot_case, gradient_case, sum_case

_CASES: Mapping[Variant, Callable[[Draw], Case]] = {
    Variant.FWD: forward_case,
    Variant.SPLITKV: split_case,
    Variant.COMBINE: combine_case,
    Variant.PAGEDKV: paged_case,
    Variant.APPENDKV: append_case,
    Variant.BATCH_PREFILL: prefill_case,
    Variant.DOT_DO_O: dot_case,
    Variant.DQ_DK_DV: gradient_case,
    Variant.CONVERT_DQ: convert_case,
    Variant.SUM: sum_case,
    Variant.SINK: sink_case,
}
PROBLEMS = 6
DRAWS_FOR_ONE = 20
"""So many may be refused before a kernel is said to take too few."""
WORK = 12000
_SEEDS = 1000


@dataclass(frozen=True)
class RandomProblem:
    """The problem of a number, which nothing but the seed decides;
    it has at most ``work`` scores.
    """

    spec: FmhaSpec
    gpu: str
    seed: int
    index: int
    work: int = WORK

    @cached_property
    def case(self) -> Case:
        """Its tensors, and the check of its results."""
        draw = begin(
            self.spec.to_json(), self.gpu, np.random.default_rng((self.seed, self.index)), self.work
        )
        return _CASES[self.spec.variant](draw)

    @property
    def text(self) -> str:
        """What it is, in short."""
        draw = self.case.draw
        sizes = (
            f"{draw.batch}x{draw.longest_q}x{draw.longest_k} h{draw.heads_q}/{draw.heads_k} "
            f"d{draw.hdim_q}/{draw.hdim_v}"
        )
        return f"problem {self.index} of seed {self.seed}, {sizes}"

    def asked(self) -> FmhaProblem:
        """For the library, without addresses."""
        problem = fmha_problem(**self.case.draw.fields)
        for name, strides in self.case.draw.strides.items():
            set_tensor(problem, name, None, **strides)
        return problem

    def refusal(self, library: KernelLibrary) -> str:
        """Why a library does not take it, or nothing."""
        status, why = library.supports(self.asked(), self.gpu)
        return "" if status == Status.OK else f"{status.name}: {why}"


Launch = tuple[RandomProblem]


def drawn(spec: FmhaSpec, target: Target) -> Iterator[Launch]:
    """Enough of them, others for each kernel."""
    seed = zlib.crc32(spec.name.encode()) % _SEEDS
    return (
        ((RandomProblem(spec, target.name, seed, index)),)
        for index in range(PROBLEMS * DRAWS_FOR_ONE)
    )


def taken(path: Path, spec: FmhaSpec, target: Target) -> Iterator[Launch]:
    """The first few that the library takes; if there are not as many, the last that it refuses too,
    so that its sentence is heard.
    """
    library, found, refused = KernelLibrary.load(path), 0, None
    for launch in drawn(spec, target):
        if launch[0].refusal(library):
            refused = launch
            continue
        found += 1
        yield launch
        if found == PROBLEMS:
            return
    assert refused is not None, "more are drawn than are wanted"
    yield refused
