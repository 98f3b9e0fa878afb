# SPDX-License-Identifier: MIT
"""The figures of one result: how far it is from the reference, and how far the best one possible
would be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from ckdispatch.comparison import Reference
from ckdispatch.reference.formats import Wide, widened
from numpy.typing import NDArray

from ckaccuracy.errors import AccuracyError

_DIGITS = 6
_HELD_EXACTLY = ("fp32", "int32")
"""Dtypes of results that a reference in fp32 would be no better than."""


@dataclass(frozen=True)
class Figures:
    """Of all elements the largest |error|, and the largest |error| / |reference|.

    ``rounded_abs`` and ``rounded_rel`` are those of the reference itself, rounded to the result's
    dtype: no kernel can have smaller ones in every element. ``largest`` is the largest |reference|,
    ``terms`` the depth of the sums.
    """

    dtype: str
    terms: int
    largest: float
    max_abs: float
    max_rel: float
    rounded_abs: float
    rounded_rel: float

    def to_json(self) -> dict[str, Any]:
        """As JSON values, floats to six digits."""
        return {
            name: float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Figures:
        return cls(**{field.name: document[field.name] for field in fields(cls)})


def figures(what: str, got: NDArray[Any], reference: Reference, dtype: str, terms: int) -> Figures:
    """Those of a result of ``dtype``; raises with a sentence if it is wrong."""
    found = reference.compare(got)
    if not found.ok:
        raise AccuracyError(f"{what}: {found}.")
    exact = (
        reference.exact if dtype in _HELD_EXACTLY else widened(reference.exact.astype(np.float32))
    )
    return Figures(
        dtype,
        terms,
        float(np.abs(exact).max()),
        *_errors(widened(got), exact),
        *_errors(widened(reference.rounded), exact),
    )


def _errors(values: Wide, exact: Wide) -> tuple[float, float]:
    absolute = np.abs(values - exact)
    # Where 0 is expected every error is infinitely large beside it, and none is none.
    relative = np.divide(
        absolute, np.abs(exact), out=np.where(absolute == 0, 0.0, np.inf), where=exact != 0
    )
    return float(absolute.max()), float(relative.max())
