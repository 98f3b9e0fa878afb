# SPDX-License-Identifier: MIT
"""The convolutions that a kernel is tried on: every loop variant, remainders, strides, dilations
and pads.
"""

from __future__ import annotations

import math
from typing import Any

from ckdispatch import GroupedConvProblem
from ckgen.core.target import Target
from ckgen.grouped_conv.spec import GroupedConvSpec, Order, Specialization, Variant
from ckgen.product.spec import FusedOp, Pipeline, SplitK

from cksupport.product.sizes import first_turns, last_turns, remainder

Launch = tuple[GroupedConvProblem]

_MANY_GROUPS = 16
"""More would take long, and show nothing new."""


def launches(spec: GroupedConvSpec, target: Target) -> tuple[Launch, ...]:
    """One for each number of turns of the main loop, until every loop variant and tail has run.

    The sum is over channels and places of the filter, or over images and positions. Rows and
    columns of the product are now more and now less than a tile. Every other problem has two images
    and two groups, some have strides and some dilations, and filters have pads where the kernel
    takes any.
    """
    # A part of a single turn would be the next part's too, and is refused.
    shallow = spec.split_k is not SplitK.NONE and spec.pipeline is Pipeline.COMPV6
    turns = range(2 if shallow else first_turns(spec), last_turns(spec, target) + 1)
    return tuple((_problem(spec, one),) for one in turns)


def _problem(spec: GroupedConvSpec, turns: int) -> GroupedConvProblem:
    odd = turns % 2 == 1
    filter, steps = _filter(spec, turns)
    places = math.prod(filter)
    images = 2 if odd else 1
    parts = 1 if spec.split_k is SplitK.NONE else 2 if odd else 3
    step_c, step_k = channel_steps(spec)
    merged = spec.merged_groups
    groups = merged * images if merged * images <= _MANY_GROUPS else merged
    if spec.variant is Variant.BACKWARD_WEIGHT:
        k = _extent(max(1, spec.tile.m // merged), step_k, odd)
        c = _extent(max(1, spec.tile.n // merged // places), step_c, not odd)
        outputs = _outputs(spec, parts * turns * spec.tile.k // images - 1, longer=False)
    elif spec.variant is Variant.FORWARD:
        c, filter = _summed(spec, turns, step_c, filter, places)
        rows, columns = (spec.tile.n, spec.tile.m) if _first(spec) else (spec.tile.m, spec.tile.n)
        k = _extent(max(1, columns // merged), step_k, not odd)
        outputs = _outputs(spec, _extent(rows, 1, odd) // images)
    else:
        met = math.prod(-(-extent // steps["stride"]) for extent in filter)
        k, filter = _summed(spec, turns, step_k, filter, met)
        c = _extent(spec.tile.n, step_c, not odd)
        outputs = _outputs(spec, _extent(spec.tile.m, 1, odd) // images)
    return GroupedConvProblem(
        images, groups, c, k, split_k=parts, **_axes(filter, outputs, steps), **_words(spec)
    )


def channel_steps(spec: GroupedConvSpec) -> tuple[int, int]:
    """What the channels in and out of a group must be multiples of, because they are moved in
    vectors.
    """
    a, b, c = spec.vectors
    if spec.variant is not Variant.FORWARD:
        return math.lcm(b, c), a
    return (a, 1) if _first(spec) else (math.lcm(a, b), c)


def _first(spec: GroupedConvSpec) -> bool:
    return spec.layout.order is Order.CHANNELS_FIRST


def _filter(spec: GroupedConvSpec, turns: int) -> tuple[tuple[int, ...], dict[str, int]]:
    """The places of a filter along each axis, and its stride, dilation and pads."""
    special, axes = spec.specialization, spec.ndim_spatial
    stride = 2 if turns % 3 == 0 and special is not Specialization.FILTER_1X1_STRIDE1_PAD0 else 1
    if special in (Specialization.FILTER_1X1_PAD0, Specialization.FILTER_1X1_STRIDE1_PAD0):
        return (1,) * axes, {"stride": stride, "dilation": 1, "left_pad": 0, "right_pad": 0}
    filter = (3,) * axes
    if special is Specialization.DEFAULT:
        filter = (*(1,) * (axes - 1), 3) if turns % 2 else (2,) * axes
    dilation = 2 if turns % 4 == 1 and stride == 1 else 1
    return filter, {"stride": stride, "dilation": dilation, "left_pad": 1, "right_pad": turns % 2}


def _summed(
    spec: GroupedConvSpec, turns: int, step: int, filter: tuple[int, ...], places: int
) -> tuple[int, tuple[int, ...]]:
    """Channels that make so many turns together with the places of a filter; of a single one if
    they cannot.
    """
    if spec.specialization is Specialization.FILTER_3X3:
        return 1, filter
    depth, least = turns * spec.tile.k, (turns - 1) * spec.tile.k
    channels = depth // places // step * step
    if channels * places <= least:
        return _summed(spec, turns, step, (1,) * spec.ndim_spatial, 1)
    # A remainder belongs to the last turn, so that the number of turns stays.
    shorter = channels - step
    return (
        shorter if channels * places == depth and shorter * places > least else channels
    ), filter


def _outputs(spec: GroupedConvSpec, positions: int, longer: bool = True) -> tuple[int, ...]:
    """Extents of about so many positions, ``longer`` or shorter ones; whole vectors of them if
    these are moved.
    """
    outer = (2, 3)[: spec.ndim_spatial - 1]
    inner = max(1, (positions + (math.prod(outer) - 1 if longer else 0)) // math.prod(outer))
    step = math.lcm(spec.vector_b, spec.vector_c) if _first(spec) else 1
    return (*outer, -(-inner // step) * step)


def _axes(
    filter: tuple[int, ...], outputs: tuple[int, ...], steps: dict[str, int]
) -> dict[str, Any]:
    """Inputs under which the filter has so many outputs; without pads if they would be none."""
    pads = tuple(
        (steps["left_pad"], steps["right_pad"]) if extent > 1 else (0, 0) for extent in filter
    )
    covered = [
        (output - 1) * steps["stride"] + steps["dilation"] * (extent - 1) + 1
        for output, extent in zip(outputs, filter, strict=False)
    ]
    pads = tuple(pad if one > sum(pad) else (0, 0) for one, pad in zip(covered, pads, strict=False))
    return {
        "input": tuple(one - sum(pad) for one, pad in zip(covered, pads, strict=False)),
        "filter": filter,
        "stride": steps["stride"],
        "dilation": steps["dilation"],
        "left_pad": tuple(left for left, _ in pads),
        "right_pad": tuple(right for _, right in pads),
    }


def _words(spec: GroupedConvSpec) -> dict[str, Any]:
    return {
        "direction": spec.variant.value,
        "dtype": spec.dtype_x.value,
        "dtype_w": spec.dtype_w.value,
        "dtype_y": spec.dtype_y.value,
        "layout": spec.layout.value,
        "fused_op": None if spec.fused_op is FusedOp.PASS_THROUGH else spec.fused_op.value,
        "bias": spec.d_count > 0,
    }


def _extent(tile: int, step: int, longer: bool) -> int:
    rest = max(step, remainder(tile, step) // step * step)
    return -(-tile // step) * step + rest if longer else rest
