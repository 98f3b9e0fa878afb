# SPDX-License-Identifier: MIT
"""The constants of the cost model, fitted on measured times.

The model is a sum of terms, so that a fit is a convex problem with one answer: not negative, in
relative error, and robust against rows that no constants explain. SciPy is needed once something is
fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import CkDispatchError, InvalidArgument

Numbers = NDArray[np.float64]

_ODD = 0.08
"""Relative errors that are larger count less and less."""
_ROUNDS = 8
"""Of reweighting; nothing moves any more after some."""


def fitted(
    terms: Sequence[str], rows: Numbers, microseconds: Numbers, fixed: Mapping[str, float]
) -> dict[str, float]:
    """The constants of ``terms``, whose places are the columns of ``rows``; those that are
    ``fixed`` are not fitted.
    """
    unknown = sorted(set(fixed) - set(terms))
    if unknown:
        raise InvalidArgument(
            f"the constant {unknown[0]} was to be fixed; there is {', '.join(terms)}"
        )
    free = [place for place, term in enumerate(terms) if term not in fixed]
    if len(microseconds) < len(free):
        raise InvalidArgument(
            f"{len(free)} constants were to be fitted on {len(microseconds)} rows; "
            "there must be as many or more"
        )
    known = sum(
        (rows[:, place] * fixed[term] for place, term in enumerate(terms) if term in fixed),
        np.zeros(len(rows)),
    )
    design, rest = rows[:, free] / microseconds[:, None], (microseconds - known) / microseconds
    found = np.zeros(len(free))
    robust = np.ones(len(rows))
    for _ in range(_ROUNDS):
        root = np.sqrt(robust)
        found = _not_negative(design * root[:, None], rest * root)
        robust = 1 / np.sqrt(1 + ((design @ found - rest) / _ODD) ** 2)
    return {
        **dict(fixed),
        **{terms[place]: float(value) for place, value in zip(free, found, strict=True)},
    }


def _not_negative(design: Numbers, wanted: Numbers) -> Numbers:
    try:
        from scipy.optimize import nnls
    except ImportError as error:
        raise CkDispatchError(
            f"constants were to be fitted, and SciPy cannot be imported ({error}); "
            "install it with: pip install scipy"
        ) from None
    # Columns of one size each, so that what counts as nought is the same for all.
    size = np.sqrt((design**2).sum(axis=0))
    size[size == 0] = 1
    found: Numbers = nnls(design / size, wanted)[0] / size
    return found
