# SPDX-License-Identifier: MIT
"""The scores of one sequence: which are kept, what is added to them, and how wrong kernels may have
them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.reference.options import UNIT, Attention, Factor
from ckdispatch.reference.formats import Wide
from ckdispatch.reference.multiplication import magnitudes, product, root_of_squares
from ckdispatch.reference.tolerance import LAMBDA, sum_error

FP32 = np.dtype(np.float32)


def visible(options: Attention, seqlen_q: int, seqlen_k: int) -> NDArray[np.bool_]:
    """Which scores [seqlen_q, seqlen_k] the mask keeps."""
    first, last = options.columns(seqlen_k)
    column = np.arange(seqlen_k)
    own = np.broadcast_to((column >= first) & (column < last), (seqlen_q, seqlen_k))
    if options.mask == "none":
        return own
    bottom_right = options.mask == "bottom_right"
    left, right = options.window
    if left < 0:
        left = (seqlen_k if bottom_right else seqlen_q) - 1
    if right < 0:
        right = (seqlen_q if bottom_right else seqlen_k) - 1
    shift = seqlen_k - seqlen_q if bottom_right else 0
    row = np.arange(seqlen_q)[:, None]
    up_to_right = column < row + 1 + right + shift
    kept: NDArray[np.bool_] = (
        own & up_to_right & ((column >= row - left + shift) | (column < options.sink_tokens))
    )
    return kept


def alibi(slopes: Wide, options: Attention, seqlen_q: int, seqlen_k: int) -> Wide:
    """What ALiBi adds to the scores of each head; ``slopes`` are [heads]."""
    vertical = options.is_causal if options.vertical is None else options.vertical
    row, column = np.arange(seqlen_q)[:, None], np.arange(seqlen_k)
    shift = 0 if options.mask == "top_left" else seqlen_k - seqlen_q
    positions = (
        np.broadcast_to(column, (seqlen_q, seqlen_k)) if vertical else -np.abs(row + shift - column)
    )
    return slopes[:, None, None] * positions


def alibi_slopes(heads: int) -> NDArray[np.float32]:
    """The usual slopes: a geometric row for a power of two, else filled up from that of the next
    one.
    """
    power = 1 << (heads.bit_length() - 1)
    slopes = [2.0 ** (-8.0 * (i + 1) / power) for i in range(power)]
    slopes += [2.0 ** (-4.0 * (2 * i + 1) / power) for i in range(heads - power)]
    return np.array(slopes, np.float32)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores [heads, seqlen_q, seqlen_k], -inf where nothing is kept.

    ``error`` bounds the absolute error of what a kernel puts into its exponential, but for a
    constant of each row. It is at most the sum of ``random``, which is independent in each score,
    and ``common``, which is not: rounded factors, and truncation. ``slope`` is the derivative of
    the soft cap.
    """

    values: Wide
    error: Wide
    random: Wide
    common: Wide
    slope: Wide | None


def scores(
    q: Wide, k: Wide, options: Attention, given: Factor, bias: Wide | None, slopes: Wide | None
) -> Scores:
    """The scores of q [heads, rows, hdim] and k [heads, keys, hdim], which are factors like
    ``given``.
    """
    if options.soft_cap and (bias is not None or slopes is not None):
        raise InvalidArgument(
            "a soft cap together with a bias was asked for; kernels have one of the two"
        )
    factor = options.scale_of(q.shape[-1])
    dot = product(q, k.swapaxes(-1, -2))
    magnitude = magnitudes(q, k.swapaxes(-1, -2))
    values = factor * dot
    depth = q.shape[-1]
    random = abs(factor) * UNIT * min(2 * depth, LAMBDA * np.sqrt(depth)) * magnitude
    # The scale, its factor log2(e) and the product with it are rounded.
    common = 4 * UNIT * np.abs(values)
    error = abs(factor) * sum_error(magnitude, dot, depth, FP32) + common
    common = common + UNIT * depth * np.abs(values)
    lost = abs(factor) * given.lost_of_both(q, k.swapaxes(-1, -2))
    error, common = error + lost, common + lost
    if options.input_unit:
        by_chance = root_of_squares(q, k.swapaxes(-1, -2))
        other = abs(factor) * options.input_unit * np.minimum(magnitude, LAMBDA * by_chance)
        error, random = error + other, random + other
    slope = None
    if options.soft_cap:
        capped = np.tanh(values / options.soft_cap)
        slope = 1 - capped**2
        # Made of an exponential and a reciprocal, each of them a last place wrong, and near zero a
        # difference of two.
        error, common = (one + 8 * UNIT * options.soft_cap for one in (error, common))
        values = options.soft_cap * capped
    for added in (bias, None if slopes is None else alibi(slopes, options, q.shape[1], k.shape[1])):
        if added is not None:
            finite = np.where(np.isfinite(added), np.abs(added), 0.0)
            error, common = (one + 4 * UNIT * (finite + np.abs(values)) for one in (error, common))
            values = values + added
    kept = visible(options, q.shape[1], k.shape[1]) & (values > -np.inf) | np.isnan(values)
    error, random, common = (np.where(kept, one, 0.0) for one in (error, random, common))
    return Scores(np.where(kept, values, -np.inf), error, random, common, slope)
