# SPDX-License-Identifier: MIT
"""CK's pipelines: their classes, and the loop variants each is compiled into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ckarch import ArchSpecs

from ckgen.product.dtypes import bytes_of
from ckgen.product.spec import Pipeline, ProductSpec


@dataclass(frozen=True)
class LoopVariant:
    """One device function: whether the main loop runs, and which tail follows it."""

    hot: bool
    tail: str

    @property
    def suffix(self) -> str:
        """Distinguishes the device functions of one kernel, such as ``hot_three``."""
        return f"{'hot' if self.hot else 'cold'}_{self.tail.lower()}"


@dataclass(frozen=True)
class PipelineClass:
    """CK's names for a pipeline: its class template, and the one that knows loop counts and tails.

    ``persistent``: whether it can be run in a loop over tiles. ``double_lds``: whether CK must give
    it two LDS buffers rather than one. ``wave_groups``: how many waves take turns with the tiles of
    k, so that one loads while another computes; the first of them stores C.
    """

    pipeline: str
    base: str
    persistent: bool
    double_lds: bool
    wave_groups: int

    @property
    def lds_buffers(self) -> int:
        """How many buffers of LDS it is given."""
        return 2 if self.double_lds else 1

    @property
    def takes_turns(self) -> bool:
        """Whether the waves of a workgroup have different tiles of k."""
        return self.wave_groups > 1


def _class(stem: str, persistent: bool, double_lds: bool, wave_groups: int = 1) -> PipelineClass:
    names = (f"ck_tile::{stem}", f"ck_tile::Base{stem}")
    return PipelineClass(*names, persistent, double_lds, wave_groups)


PIPELINE_CLASSES: Mapping[Pipeline, PipelineClass] = MappingProxyType(
    {
        Pipeline.MEM: _class("GemmPipelineAgBgCrMem", True, False),
        Pipeline.COMPV3: _class("GemmPipelineAgBgCrCompV3", True, False),
        Pipeline.COMPV4: _class("GemmPipelineAgBgCrCompV4", True, True),
        Pipeline.COMPV5: _class("GemmPipelineAgBgCrCompV5", False, False, wave_groups=2),
        Pipeline.COMPV6: _class("GemmPipelineAgBgCrCompV6", False, False),
        Pipeline.COMP_ASYNC: _class("GemmPipelineAgBgCrCompAsync", False, True),
        Pipeline.PRESHUFFLEV2: _class("WeightPreshufflePipelineAGmemBGmemCRegV2", True, True),
    }
)


def _variants(hot: Sequence[str], cold: Sequence[str] = ()) -> tuple[LoopVariant, ...]:
    """Those with the main loop, by their tails, and those without."""
    loops = [(True, tail) for tail in hot] + [(False, tail) for tail in cold]
    return tuple(LoopVariant(*loop) for loop in loops)


_TWO_BUFFERS = _variants(("Three", "Two"), ("Two", "One", "Three"))

_FIXED_VARIANTS: Mapping[Pipeline, tuple[LoopVariant, ...]] = MappingProxyType(
    {
        Pipeline.COMPV3: _variants(("Full",), ("Odd", "Even")),
        Pipeline.COMPV4: _TWO_BUFFERS,
        Pipeline.COMP_ASYNC: _TWO_BUFFERS,
        Pipeline.PRESHUFFLEV2: _variants(("Odd", "Even")),
        Pipeline.COMPV5: _variants(("Empty",)),
        Pipeline.COMPV6: _variants(("Odd", "Even"), ("Odd", "Even")),
    }
)

_TAILS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven")
_BYTES_IN_FLIGHT = 32768
_MAX_PREFETCH_STAGES = 8


def prefetch_stages(spec: ProductSpec, arch: ArchSpecs) -> int:
    """Tiles that the mem pipeline keeps in flight, as CK derives it; 0 for other pipelines."""
    if spec.pipeline is not Pipeline.MEM:
        return 0
    workgroups = max(1, 4 // spec.tiling.wave_count)
    stage = bytes_of(spec.tile.m * spec.tile.k, spec.dtype_a, arch) + bytes_of(
        spec.tile.n * spec.tile.k, spec.dtype_b, arch
    )
    wanted = -(-(_BYTES_IN_FLIGHT // workgroups) // stage)
    return min(max(wanted, 2), _MAX_PREFETCH_STAGES)


def loop_variants(spec: ProductSpec, arch: ArchSpecs) -> tuple[LoopVariant, ...]:
    """Every pair of main loop and tail that some k reaches."""
    if spec.pipeline is not Pipeline.MEM:
        return _FIXED_VARIANTS[spec.pipeline]
    tails = (*_TAILS[: prefetch_stages(spec, arch) - 1], "Full")
    return _variants(tails, tails)
