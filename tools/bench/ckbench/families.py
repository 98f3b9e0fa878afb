# SPDX-License-Identifier: MIT
"""The families whose kernels are compiled: which set of them, beside whose sources, and which bar
they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckgen.core.target import Target
from ckgen.fmha import spec as fmha
from ckgen.product.spec import Pipeline

from ckbench import fmha_example, kernel_set, tile_engine
from ckbench.kernel_set import Sampled
from ckbench.parts import Part
from ckbench.rival import Rival


@dataclass(frozen=True)
class Family:
    """A family, by its name on the command line.

    Of each value of the fields ``sampled_by`` a kernel of the set is compiled, and what
    ``and_others`` adds to them. ``find_rival`` finds the rival among the files of ``rival_target``,
    for a GPU.
    """

    name: str
    set_name: str
    declaration: str
    parts: frozenset[Part]
    pipelines: tuple[str, ...]
    sampled_by: tuple[str, ...]
    and_others: Callable[[Sequence[Sampled], Target], list[Sampled]]
    rival_name: str
    rival_target: str
    find_rival: Callable[[Sequence[Path], str], Rival]
    bar: float

    @property
    def set_target(self) -> str:
        """The set, as Bazel knows it."""
        return f"//kernels:{self.set_name}"


def _no_others(sampled: Sequence[Sampled], target: Target) -> list[Sampled]:
    return list(sampled)


GEMM = Family(
    name="gemm",
    set_name=kernel_set.SET_NAME,
    declaration=kernel_set.DECLARATION,
    parts=frozenset(Part),
    pipelines=tuple(pipeline.value for pipeline in Pipeline),
    sampled_by=("pipeline", "scheduler"),
    and_others=kernel_set.with_other_pipelines,
    rival_name=tile_engine.NAME,
    rival_target=tile_engine.TARGET,
    find_rival=tile_engine.find_tile_engine,
    bar=0.55,
)

FMHA = Family(
    name="fmha",
    set_name="fmha_fwd_fp16_all",
    declaration="fmha_forward.json",
    parts=frozenset({Part.COMPILE}),
    pipelines=tuple(pipeline.value for pipeline in fmha.PIPELINES[fmha.Variant.FWD]),
    sampled_by=("pipeline", "hdim_q"),
    and_others=_no_others,
    rival_name=fmha_example.NAME,
    rival_target=fmha_example.TARGET,
    find_rival=fmha_example.find_example,
    bar=0.6,
)

FAMILIES = {family.name: family for family in (GEMM, FMHA)}
