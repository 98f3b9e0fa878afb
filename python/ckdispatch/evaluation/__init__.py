# SPDX-License-Identifier: MIT
"""What the dispatcher picks and predicts for the problems of a table of measurements."""

from __future__ import annotations

RANDOM, BEST_SINGLE, FIRST_FIT, RULES, MODEL = STRATEGIES = ("random", "best_single", "first_fit", "rules", "model")

PREDICTING = (RULES, MODEL)
"""Those that predict times; the others need cases whose kernels were all measured."""
