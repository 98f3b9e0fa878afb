# SPDX-License-Identifier: MIT
"""Parts of an attention that were computed apart, put together; and a sink put to what was computed
without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.comparison import Reference
from ckdispatch.fmha.reference.options import UNIT
from ckdispatch.reference.formats import Wide, round_to, widened
from ckdispatch.reference.tolerance import STORED, Tolerance, sum_error

_FP32 = np.dtype(np.float32)


def combine(
    o_acc: NDArray[Any], lse_acc: NDArray[Any], output: np.dtype[Any]
) -> tuple[Reference, Reference]:
    """o [..., rows, hdim_v] and lse [..., rows] of parts o_acc [part, ..., rows, hdim_v] and
    lse_acc [part, ..., rows].

    A part without keys has the LSE -inf, and what it has for o does not matter unless it is not
    finite.
    """
    parts, lses = widened(o_acc), widened(lse_acc)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        highest = lses.max(axis=0)
        top = np.where(np.isfinite(highest), highest, 0.0)
        powers = np.exp(lses - top)
        total = powers.sum(axis=0)
        lse = np.where(total > 0, top + np.log(np.where(total > 0, total, 1.0)), -np.inf)
        weights = (powers / np.where(total > 0, total, 1.0))[..., None]
        o = np.where(weights > 0, weights * parts, 0.0).sum(axis=0)
        magnitude = np.where(weights > 0, weights * np.abs(parts), 0.0).sum(axis=0)
    size = np.where(np.isfinite(lse), np.abs(lse), 0.0) + np.abs(
        np.where(np.isfinite(lses), lses, 0.0)
    ).max(axis=0)
    error = magnitude * (8 * UNIT * (1 + size))[..., None] + sum_error(
        magnitude, o, 2 * len(parts), _FP32
    )
    lse_error = 8 * UNIT * (1 + size) + sum_error(
        np.ones_like(lse), np.ones_like(lse), len(parts), _FP32
    )
    return _reference(o, error, output), _reference(lse, lse_error, _FP32)


def with_sink(
    o: NDArray[Any], lse: NDArray[Any], sink: NDArray[Any]
) -> tuple[Reference, Reference]:
    """o [batch, rows, heads, hdim_v] and lse [batch, heads, rows] with one more key, of the logit
    ``sink`` [heads] and the value zero.
    """
    wide, old, logits = widened(o), widened(lse), widened(sink)[:, None]
    with np.errstate(invalid="ignore"):
        both = np.logaddexp(old, logits)
        factor = np.where(np.isfinite(old), np.exp(old - both), 0.0)
    size = np.where(np.isfinite(old), np.abs(old), 0.0) + np.where(
        np.isfinite(both), np.abs(both), 0.0
    )
    moved = factor.swapaxes(-1, -2)[..., None]
    error = np.abs(wide) * moved * (8 * UNIT * (1 + size)).swapaxes(-1, -2)[..., None]
    return _reference(wide * moved, error, o.dtype), _reference(both, 8 * UNIT * (1 + size), _FP32)


def _reference(exact: Wide, error: Wide, dtype: np.dtype[Any]) -> Reference:
    return Reference(exact, round_to(exact, dtype), Tolerance(error, roundings=STORED))
