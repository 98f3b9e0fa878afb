# SPDX-License-Identifier: MIT
"""How far a right result may be from the exact one, derived from how it was computed.

Nothing here is a blanket figure. A result has errors from two places, and both are bounded from
what is known about the computation:

*The sum.* ``sum_error`` bounds what accumulating ``depth`` terms in a dtype with unit roundoff u
can cost, whatever the order, from ``magnitude``, the sum of the terms' absolute values, and
``total``, the sum itself. It is the smaller of two bounds:

- ``2 u depth magnitude``. Every addition errs by at most 2u of its result (u if it rounds to
  nearest, 2u if it truncates, as some matrix units do inside one instruction), and no partial sum
  exceeds the magnitude. This holds always.
- ``u (8 sqrt(depth) magnitude + depth |total|)``. Errors of rounding to nearest are as good as
  independent with mean zero, so they grow with the root of their number: Higham and Mary (2019)
  bound the chance that they exceed ``lambda sqrt(depth) u magnitude`` by
  ``2 depth exp(-lambda**2 / 2)``, which for lambda = 8 and a million sums of depth 10,000 is about
  one in 4,000, and far less in truth, because partial sums are far smaller than the magnitude.
  Errors of truncation all point one way and do not cancel; they add up to at most about u of a
  typical partial sum each. Partial sums grow steadily towards the total, which the second term
  covers, and stray from that line by about sqrt(depth) terms, which the first one covers too.

For shallow sums the first is smaller. For deep ones it would hide a whole missing term, and the
second does not.

*The output.* Converting to the output dtype is monotonic. So an exact value x with a bound e is
stored as something between the roundings of x - e and x + e, and that interval is what ``limits``
gives: no factor of ulps is needed, and overflow to infinity and saturation come out right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.formats import FloatFormat, Rounding, Wide, is_float, round_to, widened
from ckdispatch.wording import quoted

LAMBDA = 8.0
"""How many standard deviations, at least, the random part of a sum's error may have."""
STORED = (Rounding.NEAREST,)
"""How kernels round what they store."""
_REFERENCE_UNIT = 2.0**-53
"""References sum in float64, whose error is added to every bound."""


def _is_number(given: Any) -> bool:
    if isinstance(given, int):
        return given.bit_length() < 64
    return isinstance(given, (float, np.floating, np.integer))


@dataclass(frozen=True, eq=False)
class Tolerance:
    """An allowed error: at most ``absolute + relative * |expected|``, before the output's rounding.

    ``absolute`` may be an array with one bound per element. ``roundings`` are the ways in which
    storing the result may round it afterwards; without any, a result is compared as it is.
    """

    absolute: float | Wide = 0.0
    relative: float = 0.0
    roundings: tuple[Rounding, ...] = ()

    def __post_init__(self) -> None:
        absolute = (
            np.asarray(self.absolute)
            if isinstance(self.absolute, (float, int, np.ndarray, np.generic))
            else None
        )
        if absolute is None or absolute.dtype.kind not in "fiu" or not _is_number(self.relative):
            raise InvalidArgument(
                f"a tolerance of absolute {quoted(self.absolute)} and relative "
                f"{quoted(self.relative)} was asked for; both are numbers"
            )
        if not isinstance(self.roundings, tuple) or not all(
            isinstance(one, Rounding) for one in self.roundings
        ):
            raise InvalidArgument(
                f"a tolerance was asked for with the roundings {quoted(self.roundings)}; "
                "they are a tuple of Rounding"
            )
        # NaN bounds are fine: they belong to elements that must be NaN themselves.
        if bool(np.any(np.asarray(self.absolute) < 0)) or not self.relative >= 0:
            raise InvalidArgument(
                f"a tolerance of absolute {self.absolute} and relative {self.relative} was asked "
                "for; both must be at least 0"
            )

    def bound(self, expected: NDArray[Any]) -> Wide:
        """The allowed error of each element before the output's rounding."""
        wide = widened(expected)
        return np.broadcast_to(self.absolute + self.relative * np.abs(wide), wide.shape)

    def limits(self, expected: NDArray[Any], dtype: np.dtype[Any]) -> tuple[Wide, Wide]:
        """The smallest and the largest value of ``dtype`` that each element may have.

        ``expected`` is best given in float64, unrounded. If it is of ``dtype`` itself, it has been
        rounded once already, and half of its last place is allowed on top. An element that is
        expected to be infinite or NaN must be just that.
        """
        wide = widened(expected)
        finite = np.isfinite(wide)
        with np.errstate(invalid="ignore", over="ignore"):
            bound = self.bound(expected)
            if self.roundings and is_float(dtype):
                if expected.dtype == dtype and dtype != np.float64:
                    bound = bound + rounding_error(wide, dtype)
                ways = [
                    (round_to(wide - bound, dtype, way), round_to(wide + bound, dtype, way))
                    for way in self.roundings
                ]
                low = np.minimum.reduce([widened(low) for low, _ in ways])
                high = np.maximum.reduce([widened(high) for _, high in ways])
            else:
                low, high = wide - bound, wide + bound
        return np.where(finite, low, wide), np.where(finite, high, wide)


def store_unit(dtype: np.dtype[Any]) -> float:
    """The largest relative error that storing a normal number as ``dtype`` can make; 0 for ints."""
    if not is_float(dtype):
        return 0.0
    return FloatFormat.of(dtype).unit_roundoff


def rounding_error(values: Wide, dtype: np.dtype[Any]) -> Wide:
    """The most by which storing ``values`` as ``dtype`` once can change them."""
    if not is_float(dtype):
        return np.zeros_like(values)
    form = FloatFormat.of(dtype)
    return form.unit_roundoff * np.abs(values) + form.smallest_subnormal / 2


def sum_error(magnitude: Wide, total: Wide, depth: int, accumulator: np.dtype[Any]) -> Wide:
    """The most by which a sum of ``depth`` terms in ``accumulator`` may be wrong; see above.

    ``magnitude`` is the sum of the terms' absolute values, or anything larger. Sums of integers
    are exact. A unit that flushes subnormal numbers may lose one smallest normal number per term.
    """
    if not is_float(accumulator):
        return np.zeros_like(magnitude)
    form = FloatFormat.of(accumulator)
    unit = form.unit_roundoff
    with np.errstate(invalid="ignore", over="ignore"):
        always = 2 * unit * depth * magnitude
        nearly_always = unit * (LAMBDA * np.sqrt(depth) * magnitude + depth * np.abs(total))
        own = depth * _REFERENCE_UNIT * magnitude
        bound: Wide = np.minimum(always, nearly_always) + own + depth * form.smallest_normal
    return bound
