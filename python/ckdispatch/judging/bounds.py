# SPDX-License-Identifier: MIT
"""Predicted times against the best that are known: nothing is much faster than what everybody has
tried to make fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TOO_FAST = 0.8
"""A predicted time below this share of the best known one is not believed."""


@dataclass(frozen=True)
class Bounded:
    """``kept`` is the share of shapes in per cent whose predicted time can be true; ``ratio`` the
    median of predicted / best.
    """

    shapes: int
    kept: float
    ratio: float


def bounded(predicted: Sequence[float], best: Sequence[float]) -> Bounded | None:
    """How predicted times of shapes lie to the best known ones."""
    if not predicted:
        return None
    ratio = np.asarray(predicted, dtype=float) / np.asarray(best, dtype=float)
    return Bounded(len(ratio), float(100.0 * np.mean(ratio >= TOO_FAST)), float(np.median(ratio)))
