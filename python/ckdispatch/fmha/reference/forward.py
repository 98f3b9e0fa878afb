# SPDX-License-Identifier: MIT
"""Attention of one sequence, in float64, and by how much a kernel's may differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.fmha.reference.options import UNIT, Attention, Factor
from ckdispatch.fmha.reference.philox import keep_threshold, random_bytes
from ckdispatch.fmha.reference.scores import FP32, scores
from ckdispatch.reference.formats import Wide
from ckdispatch.reference.multiplication import magnitudes, root_of_squares
from ckdispatch.reference.multiplication import product as times
from ckdispatch.reference.tolerance import LAMBDA, store_unit, sum_error

_NARROWEST = 32
"""Keys that a kernel takes at once, at least: after each such step sums may be multiplied by a
power.
"""


@dataclass(frozen=True, eq=False)
class SequenceForward:
    """o [heads, rows, hdim_v] and lse [heads, rows] with their bounds, and dropout's bytes."""

    o: Wide
    o_error: Wide
    lse: Wide
    lse_error: Wide
    randval: NDArray[np.uint8] | None


def rounded_product(
    left: Wide, right: Wide, product: Wide, magnitude: Wide, factor: Factor, tiny: float | Wide
) -> Wide:
    """What rounding ``left`` can change in ``product = left @ right``: all of its roundings one
    way, or, as for a sum's, at random; and what is lost of ``right``.

    ``magnitude`` is the product of absolute values, ``tiny`` the absolute error of elements too
    small for the format.
    """
    if factor.unit == 0:
        return np.zeros_like(product)
    always = factor.unit * magnitude
    by_chance = root_of_squares(left, right)
    nearly_always = factor.unit * (LAMBDA * by_chance + np.abs(product))
    lost = magnitudes((left != 0).astype(np.float32), right)
    bound: Wide = np.minimum(always, nearly_always) + tiny * lost + factor.lost(left, right)
    return bound


def dropped(
    options: Attention, sequence: int, shape: tuple[int, ...]
) -> tuple[Wide | None, NDArray[np.uint8] | None]:
    """What dropout multiplies each score's share by, and its bytes."""
    if not options.p_drop:
        return None, None
    heads, rows, keys = shape
    randval = random_bytes(sequence, heads, rows, keys, options.seed, options.offset)
    return np.where(randval <= keep_threshold(options.p_drop), options.kept, 0.0), randval


def forward_sequence(
    q: Wide,
    k: Wide,
    v: Wide,
    options: Attention,
    *,
    sequence: int,
    p_dtype: np.dtype[Any],
    o_dtype: np.dtype[Any],
    bias: Wide | None,
    slopes: Wide | None,
    sink: Wide | None,
) -> SequenceForward:
    """The attention of q [heads, rows, hdim_q], k and v [heads, keys, ...]; ``sink`` is [heads]."""
    heads, rows, keys = q.shape[0], q.shape[1], k.shape[1]
    factor = Factor.of(p_dtype, options)
    score = scores(q, k, options, factor, bias, slopes)
    highest = score.values.max(axis=-1, keepdims=True, initial=-np.inf)
    some = np.isfinite(highest)
    top = np.where(some, highest, 0.0)
    powers = np.exp(score.values - top)
    total = powers.sum(axis=-1, keepdims=True)
    share = powers / np.where(total > 0, total, 1.0)
    lse = np.where(
        some,
        top + np.log(np.where(total > 0, total, 1.0)),
        np.where(np.isnan(highest), np.nan, -np.inf),
    )
    finite = np.where(np.isfinite(score.values), np.abs(score.values), 0.0)
    # Both the score and its row's maximum are rounded before they are subtracted, and the
    # exponential is a last place wrong.
    own = 2 * UNIT * (finite + np.abs(top)) + 3 * UNIT
    wrong, common = np.expm1(score.error + own), np.expm1(score.common + own)
    random, randval = dropped(options, sequence, (heads, rows, keys))
    weight = share if random is None else share * random
    o = times(weight, v)
    magnitude = magnitudes(weight, v)
    spread = np.minimum(
        (share * wrong).sum(axis=-1, keepdims=True),
        (share * common).sum(axis=-1, keepdims=True)
        + np.sqrt(((share * score.random) ** 2).sum(axis=-1, keepdims=True)),
    )
    by_chance = root_of_squares(weight * score.random, v)
    moved = np.minimum(magnitudes(weight * wrong, v), magnitudes(weight * common, v) + by_chance)
    steps = 2 * -(-keys // _NARROWEST)
    tiny = factor.tiny * options.kept / options.scale_p / np.maximum(total, 1.0)
    summed = sum_error(np.ones(()), np.ones(()), keys, FP32)
    error = moved + np.abs(o) * (spread + summed + 8 * UNIT)
    error += rounded_product(weight, v, o, magnitude, factor, tiny)
    error += sum_error(magnitude, o, keys, FP32) + steps * UNIT * magnitude
    lse_size = np.where(np.isfinite(lse), np.abs(lse), 0.0)
    lse_error = spread + summed + steps * UNIT + 6 * UNIT * (np.abs(top) + lse_size + 1)
    if (options.parts > 1 and options.part is None) or options.sink_tokens:
        # Each part has the weight exp(its LSE - LSE).
        weights = 8 * UNIT * (1 + lse_size + np.abs(top)) + lse_error
        error += magnitude * weights + sum_error(magnitude, o, options.parts + 1, FP32)
        lse_error = lse_error + 8 * UNIT * (1 + lse_size)
    if sink is not None:
        o, error, lse, lse_error = _with_sink(
            o, error, lse, lse_error, sink[:, None, None], o_dtype
        )
    scaled = options.scale_p * options.scale_o
    return SequenceForward(scaled * o, scaled * error, lse[..., 0], lse_error[..., 0], randval)


def _with_sink(
    o: Wide, error: Wide, lse: Wide, lse_error: Wide, sink: Wide, o_dtype: np.dtype[Any]
) -> tuple[Wide, Wide, Wide, Wide]:
    """One more column, whose value is zero. A kernel of its own takes what another one rounded and
    stored.
    """
    both = np.logaddexp(lse, sink)
    factor = np.where(
        np.isfinite(both), np.exp(np.where(np.isneginf(lse), -np.inf, lse - both)), 0.0
    )
    size = np.where(np.isfinite(lse), np.abs(lse), 0.0) + np.where(
        np.isfinite(both), np.abs(both), 0.0
    )
    # The shares of the row and of the sink change one against the other.
    moved = (1 - factor) * np.where(np.isfinite(lse), lse_error, 0.0) + 8 * UNIT * (1 + size)
    error = factor * (error + store_unit(o_dtype) * np.abs(o)) + np.abs(o) * factor * np.expm1(
        moved
    )
    return o * factor, error, both, lse_error + 8 * UNIT * (1 + size)
