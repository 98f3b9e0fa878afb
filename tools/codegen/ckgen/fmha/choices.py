# SPDX-License-Identifier: MIT
"""What a declaration of attention kernels may say, and what its wildcards stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.entry_fields import (
    Choices,
    any_of,
    choice_field,
    number_field,
    row_field,
    switch_field,
)
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Extents
from ckgen.fmha.defaults import (
    usual_occupancy,
    usual_pads,
    usual_pipeline,
    usual_tiling,
    usual_warp_tile,
    usual_waves,
)
from ckgen.fmha.spec import (
    ALWAYS,
    ANY_MODE,
    BIASED,
    PIPELINES,
    SWITCHES,
    SWITCHES_OF,
    Bias,
    Dtype,
    FmhaSpec,
    Mode,
    Pipeline,
    Rotary,
    Variant,
)
from ckgen.fmha.tilings import Tiling, head_sizes, tilings_on

OCCUPANCIES = (1, 2, 3)
MAX_SPLITS = (8, 16, 32, 64, 128)
_EITHER = (False, True)
_TILED = ("variant", "dtype", "hdim_q", "hdim_v", "pipeline")


def build_spec(choice: Mapping[str, Any], arch: ArchSpecs) -> FmhaSpec:
    """The spec that one choice for every entry field describes;
    what is None follows from the rest.
    """
    variant: Variant = choice["variant"]
    hdim_v = _hdim_v(choice)
    pipeline = _pipeline(choice)
    tiling = usual_tiling(
        variant, choice["dtype"], choice["hdim_q"], hdim_v, pipeline, choice["tile"]
    )
    tile = choice["tile"]
    if tile is None:
        tile = tiling.tile if tiling else Extents()
    always = ALWAYS[variant]
    made = FmhaSpec.made_of(
        choice,
        hdim_v=hdim_v,
        pipeline=pipeline,
        **{
            switch: switch in always if choice[switch] is None else choice[switch]
            for switch in ("lse", "paged")
        },
        tile=tile,
        waves=usual_waves(variant, tiling) if choice["waves"] is None else choice["waves"],
        warp_tile=usual_warp_tile(variant, tiling)
        if choice["warp_tile"] is None
        else choice["warp_tile"],
        pads=usual_pads(variant, pipeline, choice["mode"])
        if choice["pads"] is None
        else choice["pads"],
        occupancy=choice["occupancy"] or 0,
    )
    return (
        made if choice["occupancy"] is not None else replace(made, occupancy=usual_occupancy(made))
    )


MADE_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "hdim_v": ("hdim_q", "hdim_v"),
        "lse": ("variant", "lse"),
        "paged": ("variant", "paged"),
        "pipeline": ("variant", "pipeline"),
        "tile": (*_TILED, "tile"),
        "waves": (*_TILED, "tile", "waves"),
        "warp_tile": (*_TILED, "tile", "warp_tile"),
        "pads": ("variant", "pipeline", "mode", "pads"),
        "occupancy": (*_TILED, "mode", "dropout", "bias", "pads", "occupancy"),
    }
)
"""What ``build_spec`` reads for the fields that it may have to fill in."""


def _hdim_v(chosen: Mapping[str, Any]) -> int:
    said = chosen["hdim_v"]
    return int(chosen["hdim_q"] if said is None else said)


def _pipeline(chosen: Mapping[str, Any]) -> Pipeline:
    said: Pipeline | None = chosen["pipeline"]
    return usual_pipeline(chosen["variant"]) if said is None else said


def _hdims_q(target: Target, chosen: Mapping[str, Any]) -> Sequence[int]:
    return tuple(dict.fromkeys(q for q, _ in _head_sizes(target, chosen)))


def _hdims_v(target: Target, chosen: Mapping[str, Any]) -> Sequence[int]:
    sizes = _head_sizes(target, chosen)
    if "hdim_q" in chosen:
        hdim_q = chosen["hdim_q"]
        return tuple(v for q, v in sizes if q == hdim_q)
    return tuple(dict.fromkeys(v for _, v in sizes))


def _head_sizes(target: Target, chosen: Mapping[str, Any]) -> Sequence[tuple[int, int]]:
    """Also before variant and dtype are chosen, where options of a command are read."""
    variants = (chosen["variant"],) if "variant" in chosen else tuple(Variant)
    dtypes = (chosen["dtype"],) if "dtype" in chosen else tuple(Dtype)
    if len(variants) == len(dtypes) == 1:
        return head_sizes(target.gpu, variants[0], dtypes[0])
    return sorted(
        {
            size
            for variant in variants
            for dtype in dtypes
            for size in head_sizes(target.gpu, variant, dtype)
        }
    )


def _switch(name: str) -> Choices:
    """Both, where the variant has kernels of both kinds."""

    def choices(target: Target, chosen: Mapping[str, Any]) -> Sequence[bool]:
        variant: Variant = chosen["variant"]
        if name in ALWAYS[variant]:
            return (True,)
        if name not in SWITCHES_OF[variant] or (name == "scales" and not chosen["dtype"].is_fp8):
            return (False,)
        if name in ("skip_min", "merged") and (chosen["mode"] is Mode.GROUP) is not (
            name == "skip_min"
        ):
            return (False,)
        return _EITHER

    return choices


def _modes(target: Target, chosen: Mapping[str, Any]) -> Sequence[Mode]:
    return tuple(Mode) if chosen.get("variant", Variant.FWD) in ANY_MODE else (Mode.BATCH,)


def _biases(target: Target, chosen: Mapping[str, Any]) -> Sequence[Bias]:
    if "variant" not in chosen:
        return tuple(Bias)
    if chosen["variant"] not in BIASED or chosen.get("soft_cap"):
        return (Bias.NONE,)
    return (Bias.ELEMENTWISE,) if chosen.get("bias_grad") else tuple(Bias)


def _rotaries(target: Target, chosen: Mapping[str, Any]) -> Sequence[Rotary]:
    rotates = chosen["variant"] is Variant.APPENDKV and not chosen["dtype"].is_fp8
    return tuple(Rotary) if rotates else (Rotary.NONE,)


def _max_splits(target: Target, chosen: Mapping[str, Any]) -> Sequence[int]:
    return MAX_SPLITS if chosen["variant"] is Variant.COMBINE else (0,)


def tilings(target: Target, chosen: Mapping[str, Any]) -> Sequence[Tiling]:
    """Those that the GPU has for the chosen variant, dtype, head sizes and, if it is chosen,
    pipeline.
    """
    found = tilings_on(
        target.gpu, chosen["variant"], chosen["dtype"], chosen["hdim_q"], _hdim_v(chosen)
    )
    if "pipeline" in chosen:
        pipeline = _pipeline(chosen)
        found = [one for one in found if pipeline in one.pipelines]
    return found


def _pipelines(target: Target, chosen: Mapping[str, Any]) -> Sequence[Pipeline]:
    if "variant" not in chosen or "hdim_q" not in chosen:
        return tuple(Pipeline)
    have = {pipeline for one in tilings(target, chosen) for pipeline in one.pipelines}
    return tuple(pipeline for pipeline in PIPELINES[chosen["variant"]] if pipeline in have)


def _tiles(target: Target, chosen: Mapping[str, Any]) -> Sequence[Extents]:
    tiles = [one.tile for one in tilings(target, chosen)]
    if chosen["variant"] is Variant.CONVERT_DQ:
        deterministic = bool(chosen.get("deterministic"))
        tiles = [tile for tile in tiles if (tile[1] > 0) is deterministic]
    return tuple(dict.fromkeys(tiles))


def _of_tile(field: str) -> Choices:
    def choices(target: Target, chosen: Mapping[str, Any]) -> Sequence[Extents]:
        have = tilings(target, chosen)
        tile = chosen["tile"]
        return tuple(
            dict.fromkeys(getattr(one, field) for one in have if tile is None or one.tile == tile)
        )

    return choices


_NONE, _LENGTHS, _ALL = (0, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1)
_PADS: Mapping[Pipeline, tuple[tuple[int, ...], ...]] = {
    Pipeline.QR: (_NONE, (0, 1, 0, 0), (1, 0, 0, 0), _LENGTHS, _ALL),
    Pipeline.QR_ASYNC: ((1, 0, 1, 1), _ALL),
    Pipeline.TRLOAD: (_NONE, (0, 0, 1, 1), _LENGTHS, _ALL),
    Pipeline.V3: (_LENGTHS,),
    Pipeline.KR: ((1, 1, 0, 0), (1, 1, 8, 8), _ALL),
    Pipeline.KR_TRLOAD: ((1, 1, 0, 0), (1, 1, 8, 8)),
    Pipeline.QR_TRLOAD: ((1, 1, 0, 0), (1, 1, 8, 8)),
}
_PADS_OF: Mapping[Variant, tuple[tuple[int, ...], ...]] = {
    Variant.COMBINE: (_NONE, (1, 0, 0, 0), (1, 0, 0, 1)),
    Variant.APPENDKV: (_NONE, _LENGTHS, _ALL),
    Variant.DOT_DO_O: (_NONE, (1, 0, 0, 0), (1, 0, 0, 1)),
    Variant.CONVERT_DQ: (_NONE, (1, 0, 0, 0), (1, 0, 1, 0)),
    Variant.SUM: ((1, 0, 1, 1),),
    Variant.SINK: ((1, 0, 1, 1),),
}


def usable_pads(variant: Variant, pipeline: Pipeline) -> Sequence[Extents]:
    """The pads that kernels of a variant are of use with."""
    return tuple(
        Extents(pads) for pads in _PADS_OF.get(variant) or _PADS.get(pipeline, (_LENGTHS,))
    )


def _pads(target: Target, chosen: Mapping[str, Any]) -> Sequence[Extents]:
    return usable_pads(chosen["variant"], _pipeline(chosen))


_SWITCH_TEXTS = {
    "mask": "whether rows may keep only some columns",
    "lse": "whether the logarithm of the sum of exponentials is stored",
    "dropout": "whether probabilities are dropped",
    "soft_cap": "whether scores are capped by tanh",
    "scales": "whether fp8 is scaled by numbers of the whole tensor",
    "paged": "whether k and v lie in pages",
    "merged": "whether the heads that share keys become rows",
    "skip_min": "whether sequences of few rows are left out",
    "bias_grad": "whether the gradient of the bias is stored",
    "deterministic": "whether sums are always made in the same order",
}

ENTRY_FIELDS: tuple[EntryField, ...] = (
    choice_field(
        "variant",
        "which part of attention",
        Variant,
        Variant.FWD,
        set_level=True,
        aliases=("variants",),
    ),
    choice_field(
        "dtype",
        "dtype of q, k, v and o",
        Dtype,
        required=True,
        set_level=True,
        option="datatype",
        usual=Dtype.FP16,
    ),
    EntryField(
        "mode", "how sequences lie", partial(codec.decode, Mode), _modes, Mode.BATCH, set_level=True
    ),
    number_field(
        "hdim_q",
        "head size of q and k",
        _hdims_q,
        required=True,
        set_level=True,
        option="hdim",
        usual=128,
    ),
    number_field(
        "hdim_v", "head size of v and o, if another", _hdims_v, set_level=True, option="hdim-v"
    ),
    *(
        switch_field(
            name,
            _SWITCH_TEXTS[name],
            _switch(name),
            default=None if name in ("lse", "paged") else False,
        )
        for name in SWITCHES
    ),
    EntryField(
        "bias",
        "what is added to the scores",
        partial(codec.decode, Bias),
        _biases,
        Bias.NONE,
        set_level=True,
    ),
    EntryField(
        "rotary", "what is rotated together", partial(codec.decode, Rotary), _rotaries, Rotary.NONE
    ),
    number_field("max_splits", "parts that can be combined", _max_splits, 0),
    EntryField(
        "pipeline",
        "how tiles are loaded and consumed",
        partial(codec.decode, Pipeline),
        _pipelines,
        set_level=True,
    ),
    row_field("tile", "extents of one workgroup", _tiles),
    row_field("waves", "waves along the axes of each product", _of_tile("waves")),
    row_field("warp_tile", "extents of the matrix instructions", _of_tile("warp_tile")),
    row_field("pads", "which of rows, keys, hdim_q and hdim_v may be other than multiples", _pads),
    number_field("occupancy", "waves per SIMD that registers are left for", any_of(OCCUPANCIES)),
)
