# SPDX-License-Identifier: MIT
"""All that a page shows, as one JSON document: the page's own script draws it. ``page/data.js``
reads what is written here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckdispatch.cli.families import commands_of
from ckdispatch.report.comparison import COMPARED, compare
from ckdispatch.report.layers import Layer
from ckdispatch.report.manifests import (
    CLASSES,
    FIGURES,
    FUNCTION_FIGURES,
    Kernel,
    Manifest,
    Use,
    together,
)
from ckdispatch.report.roofs import roofs
from ckdispatch.report.support import support
from ckdispatch.report.times import Map, Picked

VERSION = 1
"""Of the document."""


@dataclass(frozen=True)
class Content:
    """What a page is made of. ``remarks`` are sentences about what the figures are from, and what
    is not there and why.
    """

    manifests: Sequence[Manifest]
    before: Sequence[Manifest] = ()
    maps: Sequence[Map] = ()
    layers: Sequence[Layer] = ()
    remarks: Sequence[str] = ()
    title: str = ""


def compose(content: Content) -> dict[str, Any]:
    """The document. The same content always gives the same one."""
    kernels = together(content.manifests)
    places = {one.name: place for place, one in enumerate(kernels)}
    gpus = sorted({gpu for one in kernels for gpu in one.uses})
    return {
        "version": VERSION,
        "title": content.title or _title(content.manifests),
        "sets": [_set(one) for one in content.manifests],
        "gpus": gpus,
        "roofs": roofs(gpus),
        "classes": CLASSES,
        "figures": FIGURES,
        "function_figures": FUNCTION_FIGURES,
        "families": {name: _family(name) for name in dict.fromkeys(one.family for one in kernels)},
        "kernels": [_kernel(one) for one in kernels],
        "maps": [_map(one, places) for one in content.maps],
        "layers": [_layer(one, places) for one in content.layers],
        "support": support(kernels),
        "comparison": _comparison(content.before, kernels, places) if content.before else None,
        "remarks": list(dict.fromkeys(content.remarks)),
    }


def _title(manifests: Sequence[Manifest]) -> str:
    names = [one.set for one in manifests]
    return (
        names[0]
        if len(names) == 1
        else f"{names[0]} and {len(names) - 1} more"
        if len(names) > 3
        else ", ".join(names)
    )


def _set(one: Manifest) -> dict[str, Any]:
    return {"name": one.set, "sha256": one.sha256, "kernels": len(one.kernels)}


def _family(name: str) -> dict[str, Any]:
    commands = commands_of(name)
    return {
        "columns": [column.title for column in commands.COLUMNS],
        "words": list(commands.FIELDS),
    }


def _kernel(one: Kernel) -> dict[str, Any]:
    return {
        "name": one.name,
        "family": one.family,
        "cells": one.cells,
        "words": list(one.words.values()),
        "spec": {name: value for name, value in one.spec.items() if name not in ("name", "family")},
        "sha256": one.sha256,
        "library": one.library_bytes,
        "uses": {gpu: _use(use) for gpu, use in one.uses.items()},
    }


def _use(use: Use) -> dict[str, Any]:
    found: dict[str, Any] = {"figures": list(use.figures.values())}
    if use.functions:
        found["object"] = use.object_bytes
        found["functions"] = [
            [one.name, one.figures, one.mix, one.limits, one.matrix] for one in use.functions
        ]
    return found


def _picked(picked: Picked | None, places: Mapping[str, int]) -> list[Any] | None:
    """Flops, bytes, and of the first and of the second: which kernel, microseconds, parts,
    basis.
    """
    if picked is None:
        return None
    both = [
        one for one in (picked.first, picked.second) if one is not None and one.kernel in places
    ]
    ways = [[places[one.kernel], round(one.microseconds, 3), one.parts, one.basis] for one in both]
    return [picked.flops, picked.bytes, *ways]


def _map(one: Map, places: Mapping[str, int]) -> dict[str, Any]:
    grid = one.grid
    return {
        "gpu": one.gpu,
        "family": one.family,
        "title": grid.title,
        "axes": [[axis.name, axis.values] for axis in (grid.each, grid.down, grid.across)],
        "picks": [_picked(picked, places) for picked in one.picks],
    }


def _layer(one: Layer, places: Mapping[str, int]) -> dict[str, Any]:
    timed = one.timed
    return {
        "list": one.list,
        "name": one.name,
        "gpu": one.gpu,
        "problem": one.problem.text,
        "picked": _picked(one.picked, places),
        "timed": None
        if timed is None
        else [timed.kernel, round(timed.microseconds, 3), timed.provenance],
    }


def _comparison(
    before: Sequence[Manifest], after: Sequence[Kernel], places: Mapping[str, int]
) -> dict[str, Any]:
    found = compare(together(before), after)
    return {
        "before": [_set(one) for one in before],
        "figures": COMPARED,
        "changed": [
            [
                places[one.kernel],
                one.gpu,
                {name: [was, one.after[name]] for name, was in one.before.items()},
            ]
            for one in found.changed
        ],
        "same": found.same,
        "same_code": found.same_code,
        "added": found.added,
        "gone": found.gone,
    }
