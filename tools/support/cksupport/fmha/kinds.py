# SPDX-License-Identifier: MIT
"""The tables that a sweep begins with: every kind of kernel, and every head size, on each GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, cast

from ckarch import ArchSpecs
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.fmha.choices import ENTRY_FIELDS, MAX_SPLITS, tilings, usable_pads
from ckgen.fmha.spec import (
    PIPELINES,
    SWITCHES_OF,
    Bias,
    Dtype,
    FmhaSpec,
    Mode,
    Pipeline,
    Rotary,
    Variant,
)

from cksupport.cells import Cell
from cksupport.fmha.axes import gpus_by_strength, head_sizes, label
from cksupport.kernels import Kernel
from cksupport.questions import Place, Question, Table
from cksupport.refusals import Refusal, legal_or_refused
from cksupport.set_summary import shipped_kernels

_FAMILY = FAMILIES["fmha"]
_DEFAULTS = {field.name: field.default for field in ENTRY_FIELDS}
_USUAL_SIZES = ((64, 64), (128, 128))


@dataclass(frozen=True)
class Row:
    """Kernels of a variant: of one of its pipelines, or of some head sizes."""

    text: str
    variant: Variant
    pipelines: tuple[Pipeline, ...]
    sizes: tuple[tuple[int, int], ...]

    def has(self, spec: FmhaSpec) -> bool:
        return (
            spec.variant is self.variant
            and spec.pipeline in self.pipelines
            and (spec.hdim_q, spec.hdim_v) in self.sizes
        )


def _kinds() -> Iterator[Row]:
    sizes = tuple(sorted(head_sizes(), key=lambda size: size not in _USUAL_SIZES))
    for variant, pipelines in PIPELINES.items():
        for one in pipelines:
            yield Row(
                f"{variant}, {one}" if len(pipelines) > 1 else str(variant), variant, (one,), sizes
            )


def _sizes() -> Iterator[Row]:
    for size in head_sizes():
        yield Row(label(size), Variant.FWD, PIPELINES[Variant.FWD], (size,))


_Rows = Callable[[], Iterator[Row]]
_TABLES: dict[str, tuple[str, str, _Rows]] = {
    "kinds": ("Kinds", "Every variant with each of its pipelines, in fp16 or bf16.", _kinds),
    "sizes": (
        "Head sizes of forward",
        "Forward, of each head size of q and of v that there are tiles for.",
        _sizes,
    ),
}
NAMES = frozenset(_TABLES)


def tables(arch: ArchSpecs) -> tuple[Table, ...]:
    """Both, of which the columns are GPUs."""
    gpus = gpus_by_strength(arch)
    return tuple(
        Table(
            name,
            title,
            note,
            tuple(
                Question(Place(name, "", row.text, gpu), ()) for row, gpu in product(rows(), gpus)
            ),
        )
        for name, (title, note, rows) in _TABLES.items()
    )


@cache
def cell(place: Place, arch: ArchSpecs) -> Cell:
    """A kernel that ships if there is one, else the usual one."""
    *_, rows = _TABLES[place.table]
    row = next(one for one in rows() if one.text == place.row)
    target = Target.of(arch, place.column)
    found = legal_or_refused(_candidates(row, target), _FAMILY.rules, target)
    return (
        Cell(place, None, found)
        if isinstance(found, Refusal)
        else Cell(place, Kernel(place.column, found), None)
    )


def _candidates(row: Row, target: Target) -> Iterator[FmhaSpec]:
    yield from sorted(
        (spec for spec in _shipped(target) if row.has(spec)), key=lambda spec: _rank(row, spec)
    )
    for size, pipeline, dtype in product(row.sizes, row.pipelines, Dtype):
        said = {
            "variant": row.variant,
            "dtype": dtype,
            "hdim_q": size[0],
            "hdim_v": size[1],
            "pipeline": pipeline,
        }
        # A rule says best what is wrong with what is usual; the GPU may have other tiles.
        yield _declared(said, target.arch)
        for tiling in tilings(target, said):
            own = {"tile": tiling.tile, "waves": tiling.waves, "warp_tile": tiling.warp_tile}
            for pads in (None, *reversed(usable_pads(row.variant, pipeline))):
                yield _declared({**said, **own, "pads": pads}, target.arch)


def _rank(row: Row, spec: FmhaSpec) -> tuple[object, ...]:
    """What is asked for most comes first: 16 bits, batches, masks and lse, and nothing else that is
    special.
    """
    others = (
        spec.dropout,
        spec.soft_cap,
        spec.scales,
        spec.merged,
        spec.skip_min,
        spec.bias_grad,
        spec.deterministic,
    )
    special = sum((*others, spec.bias is not Bias.NONE, spec.mode is not Mode.BATCH))
    usual = (
        tuple(Dtype).index(spec.dtype),
        row.pipelines.index(spec.pipeline),
        row.sizes.index((spec.hdim_q, spec.hdim_v)),
    )
    return (*usual, special, not spec.mask, not spec.lse, spec.rotary is Rotary.NONE, spec.name)


def _declared(said: Mapping[str, Any], arch: ArchSpecs) -> FmhaSpec:
    """What a declaration gives that says no more; with a mask and lse where the variant can."""
    variant = said["variant"]
    switches: dict[str, bool] = {
        name: True
        for name in ("mask", "lse")
        if name in SWITCHES_OF[variant] and said["pipeline"] is not Pipeline.QR_TRLOAD
    }
    splits = {"max_splits": MAX_SPLITS[0] if variant is Variant.COMBINE else 0}
    return cast(FmhaSpec, _FAMILY.build({**_DEFAULTS, **switches, **splits, **said}, arch))


@cache
def _shipped(target: Target) -> tuple[FmhaSpec, ...]:
    return tuple(
        cast(FmhaSpec, one.spec)
        for one in shipped_kernels(_FAMILY, target.arch)
        if one.gpu == target.name
    )
