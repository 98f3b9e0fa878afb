# SPDX-License-Identifier: MIT
"""Attention as a family of the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ckarch import ArchSpecs

from ckgen.core.choice import Choice
from ckgen.core.family import Family
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.core.tile import Extents
from ckgen.fmha.choices import (
    ENTRY_FIELDS,
    MADE_OF,
    MAX_SPLITS,
    OCCUPANCIES,
    build_spec,
    usable_pads,
)
from ckgen.fmha.foreign import FILES
from ckgen.fmha.names import parse_name
from ckgen.fmha.profiles import PROFILES
from ckgen.fmha.render import context
from ckgen.fmha.rules import FMHA_RULES
from ckgen.fmha.spec import FmhaSpec
from ckgen.fmha.tilings import head_sizes, tilings_on

_SIZES = ("hdim_q", "hdim_v")
_TILING = ("tile", "waves", "warp_tile")


class FmhaFamily(Family):
    """o = softmax(scale q k' + bias) v, its parts, and its gradients."""

    name = "fmha"
    folder = Path(__file__).parent
    summary = (
        "attention: o = softmax(q k') v, in parts, with paged and appended keys, and its gradients"
    )
    spec_type = FmhaSpec
    rules = FMHA_RULES
    entry_fields = ENTRY_FIELDS
    made_of = MADE_OF
    build = staticmethod(build_spec)
    parse_name = staticmethod(parse_name)
    profiles = MappingProxyType({name: profile.purpose for name, profile in PROFILES.items()})
    foreign_files = FILES
    field_weights = MappingProxyType(
        {
            "variant": 16.0,
            "dtype": 8.0,
            "mode": 6.0,
            "hdim_q": 4.0,
            "hdim_v": 4.0,
            "bias": 4.0,
            "rotary": 4.0,
            "mask": 4.0,
            "lse": 2.0,
            "dropout": 4.0,
            "soft_cap": 4.0,
            "scales": 4.0,
            "paged": 4.0,
            "merged": 2.0,
            "skip_min": 2.0,
            "bias_grad": 4.0,
            "deterministic": 4.0,
            "max_splits": 2.0,
            "waves": 0.5,
            "occupancy": 0.5,
        }
    )

    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        fmha, current = cast(FmhaSpec, spec), getattr(spec, field)
        if isinstance(current, bool):
            return (not current,)
        if isinstance(current, Choice):
            return tuple(type(current))
        if field in _SIZES:
            at = _SIZES.index(field)
            return sorted(
                {sizes[at] for sizes in head_sizes(target.gpu, fmha.variant, fmha.dtype)}
                | {fmha.hdim_q}
            )
        if field in _TILING:
            return _tilings(fmha, field, target)
        if field == "pads":
            return usable_pads(fmha.variant, fmha.pipeline)
        return (0, *MAX_SPLITS) if field == "max_splits" else OCCUPANCIES

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        return context(cast(FmhaSpec, spec), arch)

    def of_profile(self, name: str, target: Target) -> Iterable[KernelSpec]:
        return PROFILES[name].kernels(target)

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        return (str(getattr(spec, field)),)

    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        free = {
            field.name: "*"
            for field in ENTRY_FIELDS
            if field.name not in (*fields, "occupancy", "variant")
        }
        return {"family": self.name, **fields, "kernels": [free]}


def _tilings(spec: FmhaSpec, field: str, target: Target) -> Iterable[Extents]:
    """What CK has on the GPU, first that of the spec's own pipeline."""
    have = tilings_on(target.gpu, spec.variant, spec.dtype, spec.hdim_q, spec.hdim_v)
    return dict.fromkeys(
        getattr(one, field)
        for one in sorted(have, key=lambda one: spec.pipeline not in one.pipelines)
    )


FAMILY = FmhaFamily()
