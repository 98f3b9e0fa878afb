# SPDX-License-Identifier: MIT
"""What the dispatcher picks and predicts for the problems of a table of measurements."""

from __future__ import annotations

RANDOM, BEST_SINGLE, FIRST_FIT, RULES, MODEL = QUICK = (
    "random",
    "best_single",
    "first_fit",
    "rules",
    "model",
)

SIMULATED = "simulated"
"""By the simulator's time of each kernel on each problem: a second each, or minutes."""

STRATEGIES = (*QUICK, SIMULATED)

PREDICTING = (RULES, MODEL)
"""Those of the dispatcher that predict times. They and the simulator's do without cases whose
kernels were all measured.
"""
