# SPDX-License-Identifier: MIT
"""What there is to choose for an attention kernel, and the kernel that a combination of choices
makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ckarch import ArchSpecs
from ckgen.core.tile import Extents
from ckgen.fmha.choices import MAX_SPLITS, usable_pads
from ckgen.fmha.defaults import usual_occupancy
from ckgen.fmha.rules import FMHA_RULES
from ckgen.fmha.spec import (
    PIPELINES,
    SWITCHES,
    Bias,
    Dtype,
    FmhaSpec,
    Mode,
    Pipeline,
    Rotary,
    Variant,
)
from ckgen.fmha.tilings import TILINGS, Tiling, tilings_on

from cksupport.lazy_specs import Choices, Make, Specs, choice_of
from cksupport.pairs import Axes
from cksupport.pairs import Rule as Check
from cksupport.refusals import Refusal

_TILES = ("the first", "the second", "the third")
"""Of those that a pipeline has for the same dtype and head sizes on a GPU, which has no more."""
_EITHER = (False, True)


def head_sizes() -> tuple[tuple[int, int], ...]:
    """Every two that there is a tile for, of q and of v."""
    return tuple(sorted({(one.hdim_q, one.hdim_v) for one in TILINGS}))


def gpus_by_strength(arch: ArchSpecs) -> tuple[str, ...]:
    """Those first that multiply most: what is found out about them matters most."""

    def strength(name: str) -> int:
        gpu = arch.gpu(name)
        return gpu.compute_units * gpu.matrix_flops_per_cycle * gpu.max_clock_mhz

    return tuple(sorted(arch.gpus, key=strength, reverse=True))


def axes_of(arch: ArchSpecs) -> Axes:
    """The axes, those first that refuse most of the others: so what cannot be is soon found."""
    pads = (
        one
        for variant, pipelines in PIPELINES.items()
        for pipeline in pipelines
        for one in usable_pads(variant, pipeline)
    )
    return {
        "GPU": gpus_by_strength(arch),
        "variant": tuple(Variant),
        "pipeline": tuple(Pipeline),
        "dtype": tuple(Dtype),
        "head sizes": head_sizes(),
        "tile": _TILES,
        "pads": tuple(sorted({*pads})),
        "mode": tuple(Mode),
        "bias": tuple(Bias),
        "rotary": tuple(Rotary),
        "max_splits": (0, *MAX_SPLITS),
        **dict.fromkeys(SWITCHES, _EITHER),
    }


def label(value: Any) -> str:
    """What a table calls a value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def spec_of(choices: Choices, arch: ArchSpecs) -> FmhaSpec:
    """The kernel of a whole combination."""
    return _SPECS.whole(choices, arch)


def checks(arch: ArchSpecs) -> list[Check]:
    """The rules of the generator, about choices."""

    def no_such_tile(choices: Choices) -> Refusal | None:
        if choices["tile"] == _TILES[0] or _tiling(choices, arch) is not None:
            return None
        return Refusal(
            "no such tile",
            "There are not as many tiles for the dtype and the head sizes on the GPU",
        )

    return [no_such_tile, *_SPECS.checks(FMHA_RULES, arch)]


def _tiling(choices: Choices, arch: ArchSpecs) -> Tiling | None:
    index = _TILES.index(choices["tile"])
    have = _tilings(choices, arch)
    return have[index] if index < len(have) else None


def _tilings(choices: Choices, arch: ArchSpecs) -> Sequence[Tiling]:
    gpu, variant, dtype = arch.gpu(choices["GPU"]), choices["variant"], choices["dtype"]
    pipeline = choices["pipeline"]
    found = [
        one
        for one in tilings_on(gpu, variant, dtype, *choices["head sizes"])
        if pipeline in one.pipelines
    ]
    if variant is Variant.CONVERT_DQ:
        # Those of slices are others than those of whole rows.
        found = [one for one in found if bool(one.tile[1]) is choices["deterministic"]]
    return found


def _of_tiling(field: str) -> Make:
    def make(choices: Choices, arch: ArchSpecs) -> Extents:
        tiling = _tiling(choices, arch)
        return Extents() if tiling is None else getattr(tiling, field)

    return make


def _occupancy(choices: Choices, arch: ArchSpecs) -> int:
    return usual_occupancy(_SPECS.begun(choices, arch))


_FIELDS: Mapping[str, Make] = {
    **{
        name: choice_of(name)
        for name in (
            "variant",
            "dtype",
            "mode",
            "bias",
            "rotary",
            "max_splits",
            "pipeline",
            "pads",
            *SWITCHES,
        )
    },
    "hdim_q": lambda choices, arch: choices["head sizes"][0],
    "hdim_v": lambda choices, arch: choices["head sizes"][1],
    **{name: _of_tiling(name) for name in ("tile", "waves", "warp_tile")},
    "occupancy": _occupancy,
}
_SPECS = Specs(FmhaSpec, _FIELDS)
