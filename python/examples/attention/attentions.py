# SPDX-License-Identifier: MIT
"""What the examples of attention share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

import ckdispatch
import numpy as np
from ckdispatch.errors import CkDispatchError
from ckdispatch.fmha.result import AttentionGradients, AttentionResult
from numpy.typing import NDArray

Array = NDArray[Any]


def example(
    what: str | None,
    compute: Callable[
        [ckdispatch.Dispatcher], Iterable[AttentionResult | AttentionGradients | str]
    ],
) -> None:
    """Computes with what the command line names, and has a line for each result: what, by which
    kernels and how exactly.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument(
        "kernels", help="a manifest of kernels, or the name of a set among the program's files"
    )
    parser.add_argument(
        "device",
        nargs="?",
        default="auto",
        help="such as hip:0 or sim:gfx942 (default: the first GPU, or else the simulator)",
    )
    options = parser.parse_args()
    try:
        registry = ckdispatch.Registry.load(options.kernels)
        for result in compute(ckdispatch.Dispatcher(registry, options.device)):
            print(result if isinstance(result, str) else described(result))
    except CkDispatchError as error:
        sys.exit(f"error: {error}")


def described(result: AttentionResult | AttentionGradients) -> str:
    """One line; ``validate=True`` has compared the result with the reference."""
    kernels = " + ".join(result.plan.kernels)
    if isinstance(result, AttentionGradients):
        return f"{result.dq.shape} by {kernels}: " + "; ".join(
            str(one) for one in result.comparisons
        )
    return f"{result.out.shape} by {kernels}: {result.comparison}"


def normal(*shape: int, seed: int = 0) -> Array:
    """Random numbers, the same every time."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def qkv(
    batch: int, rows: int, keys: int, heads: int, head_size: int, heads_k: int | None = None
) -> tuple[Array, Array, Array]:
    """[batch, rows, heads, head size] each."""
    q = normal(batch, rows, heads, head_size, seed=1)
    k, v = (normal(batch, keys, heads_k or heads, head_size, seed=seed) for seed in (2, 3))
    return q, k, v


def rotations(positions: int, size: int) -> tuple[Array, Array]:
    """Cosines and sines, [position, size / 2]: pair i turns by position / 10000^(2i / size)."""
    angles = np.arange(positions)[:, None] * 10000.0 ** (-np.arange(0, size, 2) / size)
    return np.cos(angles).astype(np.float16), np.sin(angles).astype(np.float16)
