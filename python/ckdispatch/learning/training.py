# SPDX-License-Identifier: MIT
"""Training with LightGBM, the same bits every time, and validation by groups of rows that belong
together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ckdispatch.arguments import in_range
from ckdispatch.errors import CkDispatchError, InvalidArgument

Numbers = NDArray[np.float64]

TREES = 200
PARAMETERS: dict[str, Any] = {
    "objective": "l2",
    "num_leaves": 31,
    "learning_rate": 0.05,
    "min_data_in_leaf": 10,
    "lambda_l2": 5.0,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    # The dispatcher keeps places among thresholds in a byte.
    "max_bin": 255,
    # The order of sums must not depend on threads or on the machine.
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
"""With as many trees and leaves as the dispatcher takes. Some are drawn at random: all of
LightGBM's seeds follow from one.
"""


def train(features: ArrayLike, log_ratio: ArrayLike, seed: int = 0) -> Any:
    """A LightGBM ``Booster`` that predicts the logarithm of measured over predicted time from rows
    of features.
    """
    rows, targets = _checked(features, log_ratio)
    lightgbm = _lightgbm()
    parameters = {**PARAMETERS, "seed": in_range("the seed", seed, 0, 2**31 - 1)}
    return lightgbm.train(parameters, lightgbm.Dataset(rows, targets), num_boost_round=TREES)


def folds_by_hash(groups: Sequence[str], count: int = 5) -> NDArray[np.int64]:
    """The fold of each row, from 0: that of its group, by the group's text alone.

    So no group is in two folds, and a row stays in its fold whatever else is measured later.
    """
    in_range("the number of folds", count, 2, 1000)
    if not all(isinstance(group, str) for group in groups):
        raise InvalidArgument(
            "groups were given that are no texts; the text of a group decides which fold it is in"
        )
    known = {
        group: int(hashlib.sha256(group.encode()).hexdigest(), 16) % count for group in set(groups)
    }
    return np.array([known[group] for group in groups], dtype=np.int64)


def _checked(features: ArrayLike, log_ratio: ArrayLike) -> tuple[Numbers, Numbers]:
    """Rows and targets as finite doubles that belong together."""
    rows, targets = _numbers("features", features, 2), _numbers("log_ratio", log_ratio, 1)
    if len(targets) != len(rows):
        raise InvalidArgument(
            f"features has {len(rows)} rows, and log_ratio has {len(targets)}; each row has one"
        )
    if not rows.size:
        raise InvalidArgument("features has no rows, or no columns; there is nothing to train on")
    return rows, targets


def _numbers(name: str, given: ArrayLike, axes: int) -> Numbers:
    try:
        numbers = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name} is no array of numbers") from None
    if numbers.ndim != axes:
        raise InvalidArgument(f"{name} has {numbers.ndim} axes; it must have {axes}")
    if not np.isfinite(numbers).all():
        raise InvalidArgument(
            f"{name} has values that are no finite numbers; "
            "models are trained on finite numbers alone"
        )
    return numbers


def _lightgbm() -> Any:
    """LightGBM, which only training needs."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: a library that it is linked with
        raise CkDispatchError(
            f"a model was to be trained, and LightGBM cannot be imported ({error}); install it "
            "with: pip install lightgbm"
        ) from None
    return lightgbm
