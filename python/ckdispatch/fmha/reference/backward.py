# SPDX-License-Identifier: MIT
"""The gradients of one sequence's attention, in float64, and by how much a kernel's may differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ckdispatch.fmha.reference.forward import dropped, rounded_product
from ckdispatch.fmha.reference.options import UNIT, Attention, Factor
from ckdispatch.fmha.reference.scores import FP32, scores
from ckdispatch.reference.formats import Wide
from ckdispatch.reference.multiplication import magnitudes
from ckdispatch.reference.multiplication import product as times
from ckdispatch.reference.tolerance import rounding_error, sum_error


@dataclass(frozen=True, eq=False)
class Bounded:
    """Values and the most by which a kernel's may differ before it stores them."""

    values: Wide
    error: Wide


@dataclass(frozen=True, eq=False)
class SequenceBackward:
    """dq, dk and dv, each with all heads of q, and dbias."""

    dq: Bounded
    dk: Bounded
    dv: Bounded
    dbias: Bounded


def backward_sequence(
    q: Wide,
    k: Wide,
    v: Wide,
    o: Wide,
    lse: Wide,
    d_o: Wide,
    options: Attention,
    *,
    sequence: int,
    dtype: np.dtype[Any],
    bias: Wide | None,
    slopes: Wide | None,
) -> SequenceBackward:
    """The gradients for o [heads, rows, hdim_v] and lse [heads, rows] as forward stored them."""
    factor = Factor.of(dtype, options)
    score = scores(q, k, options, factor, bias, slopes)
    finite_lse = np.where(np.isfinite(lse), lse, 0.0)[..., None]
    finite = np.where(np.isfinite(score.values), np.abs(score.values), 0.0)
    share = np.where(np.isfinite(lse)[..., None], np.exp(score.values - finite_lse), 0.0)
    wrong = np.expm1(score.error + 3 * UNIT * (finite + np.abs(finite_lse)) + 4 * UNIT)
    random, _ = dropped(options, sequence, share.shape)
    kept: Wide | float = 1.0 if random is None else random
    tiny = factor.tiny * options.kept

    weight = share * kept
    dv = _product(weight.swapaxes(-1, -2), (weight * wrong).swapaxes(-1, -2), d_o, factor, tiny)

    d_share = times(d_o, v.swapaxes(-1, -2))
    d_share_error = sum_error(magnitudes(d_o, v.swapaxes(-1, -2)), d_share, v.shape[-1], FP32)
    d_share_error += factor.lost_of_both(d_o, v.swapaxes(-1, -2))
    row = (d_o * o).sum(axis=-1, keepdims=True)
    row_size = np.abs(d_o * o).sum(axis=-1, keepdims=True)
    row_error = sum_error(row_size, row, v.shape[-1] + 1, FP32) + 4 * UNIT * np.abs(row)
    d_score = share * (d_share * kept - row)
    d_score_error = np.abs(d_score) * wrong + share * (1 + wrong) * (
        d_share_error * kept + row_error + 4 * UNIT * (np.abs(d_share) * kept + np.abs(row))
    )
    dbias = Bounded(d_score, d_score_error + rounding_error(d_score, dtype))
    if score.slope is not None:
        d_score, d_score_error = (
            d_score * score.slope,
            d_score_error * score.slope + 16 * UNIT * np.abs(d_score),
        )
    scale = options.scale_of(q.shape[-1])
    dq = _scaled(_product(d_score, d_score_error, k, factor, tiny), scale)
    dk = _scaled(
        _product(d_score.swapaxes(-1, -2), d_score_error.swapaxes(-1, -2), q, factor, tiny), scale
    )
    return SequenceBackward(dq, dk, dv, dbias)


def _product(left: Wide, left_error: Wide, right: Wide, factor: Factor, tiny: float) -> Bounded:
    """``left @ right``, where ``left`` is computed, rounded and then multiplied."""
    product = times(left, right)
    magnitude = magnitudes(left, right)
    error = magnitudes(left_error, right) + rounded_product(
        left, right, product, magnitude, factor, tiny
    )
    error += sum_error(magnitude, product, max(1, left.shape[-1]), FP32) + 4 * UNIT * np.abs(
        product
    )
    return Bounded(product, error)


def _scaled(one: Bounded, scale: float) -> Bounded:
    return Bounded(scale * one.values, abs(scale) * one.error)
