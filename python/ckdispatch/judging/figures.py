# SPDX-License-Identifier: MIT
"""Figures about many cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 1000
CONFIDENCE = 95.0
_AT_ONCE = 1 << 21
"""Numbers of resamples that are held at a time."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Spread:
    """Of numbers, one for each case; ``intervals`` are where figures lie for other cases of the
    same kind.
    """

    mean: float
    median: float
    p10: float
    min: float
    intervals: dict[str, Interval]


_FIGURES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "mean": lambda some: np.mean(some, axis=1),
    "median": lambda some: np.median(some, axis=1),
    "p10": lambda some: np.percentile(some, 10, axis=1),
}
"""Of rows of numbers. The least has no such interval: it is of one case."""


def spread(values: Sequence[float], seed: int = 0) -> Spread:
    """The figures of at least one number, with bootstrap intervals: the same for the same numbers
    and seed.
    """
    numbers = np.asarray(values, dtype=float)
    figures = {name: float(figure(numbers[None, :])[0]) for name, figure in _FIGURES.items()}
    return Spread(**figures, min=float(numbers.min()), intervals=_bootstrap(numbers, seed))


def _bootstrap(numbers: NDArray[Any], seed: int) -> dict[str, Interval]:
    random = np.random.default_rng(seed)
    found: dict[str, list[NDArray[Any]]] = {name: [] for name in _FIGURES}
    done = 0
    while done < RESAMPLES:
        some = min(RESAMPLES - done, max(1, _AT_ONCE // len(numbers)))
        drawn = numbers[random.integers(0, len(numbers), (some, len(numbers)))]
        for name, figure in _FIGURES.items():
            found[name].append(figure(drawn))
        done += some
    outside = (100.0 - CONFIDENCE) / 2
    bounds = {
        name: np.percentile(np.concatenate(each), [outside, 100.0 - outside])
        for name, each in found.items()
    }
    return {name: (float(low), float(high)) for name, (low, high) in bounds.items()}


def rank_correlation(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """Spearman's: of the ranks, equal numbers sharing theirs.
    None where all of either are equal.
    """
    first, second = (_ranks(np.asarray(some, dtype=float)) for some in (predicted, measured))
    first, second = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / scale if scale else None


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    ranks: NDArray[Any] = (last - (count - 1) / 2)[place]
    return ranks


@dataclass(frozen=True)
class Error:
    """Of ``times`` predicted times: |predicted / measured - 1| in per cent, and the median of
    predicted / measured.

    ``scaled`` is the median error of the predicted times divided by that ratio: of what one factor
    for all does not explain.
    """

    times: int
    median: float
    p90: float
    ratio: float
    scaled: float


def error(predicted: Sequence[float], measured: Sequence[float]) -> Error:
    """The error of at least one predicted time."""
    ratio = np.asarray(predicted, dtype=float) / np.asarray(measured, dtype=float)
    off = 100.0 * np.abs(ratio - 1.0)
    factor = float(np.median(ratio))
    scaled = float(np.median(100.0 * np.abs(ratio / factor - 1.0)))
    return Error(len(ratio), float(np.median(off)), float(np.percentile(off, 90)), factor, scaled)
