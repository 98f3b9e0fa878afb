# SPDX-License-Identifier: MIT
"""Kernels and arrays for the tests of attention's calls."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from ckdispatch import Dispatcher, Registry
from numpy.typing import NDArray

EXAMPLES = "fmha_examples"


@cache
def kernels() -> Registry:
    return Registry.load(EXAMPLES)


@cache
def attender() -> Dispatcher:
    return Dispatcher(kernels(), "sim:gfx942")


def random(*shape: int, seed: int = 0, dtype: Any = np.float16) -> NDArray[Any]:
    return np.random.default_rng([seed, *shape]).standard_normal(shape, np.float32).astype(dtype)


def heads_first(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """[batch, rows, heads, size] as [batch, heads, rows, size]."""
    return [np.ascontiguousarray(one.swapaxes(1, 2)) for one in arrays]


def plain(q: Any, k: Any, v: Any, keep: Any = True) -> NDArray[np.float64]:
    """Attention in float64 by three lines of its own; ``keep`` broadcasts to [batch, heads, rows,
    keys].
    """
    group = q.shape[2] // k.shape[2]
    q, k, v = (
        one.astype(np.float64).swapaxes(1, 2)
        for one in (q, np.repeat(k, group, 2), np.repeat(v, group, 2))
    )
    scores = np.where(keep, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    top = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = powers.sum(-1, keepdims=True)
    found: NDArray[np.float64] = (powers / np.where(total > 0, total, 1) @ v).swapaxes(1, 2)
    return found
