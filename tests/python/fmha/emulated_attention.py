# SPDX-License-Identifier: MIT
"""Attention as kernels compute it: in float32, by tiles of keys with a running maximum, and with
shares rounded to q's dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ckdispatch.reference.formats import Rounding, round_to
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def narrow(values: Floats, dtype: np.dtype[Any], rounding: Rounding = Rounding.NEAREST) -> Floats:
    """``values`` as a kernel rounds them to ``dtype`` and multiplies them afterwards."""
    return values if dtype.itemsize >= 4 else round_to(values, dtype, rounding).astype(np.float32)


def emulated_forward(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    scale: float,
    *,
    kept: NDArray[np.bool_] | None = None,
    factors: Floats | None = None,
    rounding: Rounding = Rounding.NEAREST,
    scale_p: float = 1.0,
    tile: int = 64,
) -> tuple[Floats, Floats]:
    """o [rows, hdim_v] without its last rounding, and lse [rows], of one head; ``factors`` are
    dropout's.
    """
    dtype = q.dtype
    q32, k32, v32 = (one.astype(np.float32) for one in (q, k, v))
    rows = len(q)
    top = np.full((rows, 1), -np.inf, np.float32)
    total = np.zeros((rows, 1), np.float32)
    o = np.zeros((rows, v.shape[1]), np.float32)
    with np.errstate(invalid="ignore"):
        for first in range(0, len(k), tile):
            part = slice(first, first + tile)
            scores = np.float32(scale) * (q32 @ k32[part].T)
            if kept is not None:
                scores = np.where(kept[:, part], scores, np.float32(-np.inf))
            new = np.maximum(top, scores.max(axis=1, keepdims=True, initial=-np.inf))
            base = np.where(np.isfinite(new), new, np.float32(0))
            powers = np.exp(scores - base)
            fade = np.exp(np.where(np.isfinite(top), top - base, np.float32(-np.inf)))
            total = total * fade + powers.sum(axis=1, keepdims=True)
            if factors is not None:
                powers = powers * factors[:, part]
            o = o * fade + narrow(powers * np.float32(scale_p), dtype, rounding) @ v32[part]
            top = new
        lse = np.where(total > 0, top + np.log(total), np.float32(-np.inf))[:, 0]
    divisor: Floats = np.where(total > 0, total, np.float32(1))
    return o / divisor, lse


def emulated_backward(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    o: NDArray[Any],
    lse: Floats,
    d_o: NDArray[Any],
    scale: float,
    factors: Floats | None = None,
) -> tuple[Floats, Floats, Floats]:
    """dq, dk and dv of one head without their last rounding."""
    dtype = q.dtype
    q32, k32, v32, o32, d32 = (one.astype(np.float32) for one in (q, k, v, o, d_o))
    share = np.exp(np.float32(scale) * (q32 @ k32.T) - lse[:, None])
    kept = np.ones_like(share) if factors is None else factors
    dv = narrow(share * kept, dtype).T @ d32
    row = (d32 * o32).sum(axis=1, keepdims=True)
    d_score = narrow(share * ((d32 @ v32.T) * kept - row), dtype)
    return np.float32(scale) * (d_score @ k32), np.float32(scale) * (d_score.T @ q32), dv
