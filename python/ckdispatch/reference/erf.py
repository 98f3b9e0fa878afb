# SPDX-License-Identifier: MIT
"""The error function for arrays, which NumPy lacks."""

from __future__ import annotations

import numpy as np

from ckdispatch.reference.formats import Wide

# The rational approximations of W. J. Cody, "Rational Chebyshev approximations for the error
# function", Mathematics of Computation 23 (1969): erf(x) = x P(x^2)/Q(x^2) up to 0.46875,
# erfc(x) = exp(-x^2) P(x)/Q(x) up to 4, and a series in 1/x^2 beyond. Highest power first.
_NEAR_P = (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2,
           3.77485237685302021e2, 3.20937758913846947e3)  # fmt: skip
_NEAR_Q = (1.0, 2.36012909523441209e1, 2.44024637934444173e2,
           1.28261652607737228e3, 2.84423683343917062e3)  # fmt: skip
_MIDDLE_P = (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594,
             6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
             1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3)  # fmt: skip
_MIDDLE_Q = (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
             1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
             3.43936767414372164e3, 1.23033935480374942e3)  # fmt: skip
_FAR_P = (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
          1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4)  # fmt: skip
_FAR_Q = (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1,
          6.05183413124413191e-2, 2.33520497626869185e-3)  # fmt: skip
_NEAR, _FAR = 0.46875, 4.0


def erf(x: Wide) -> Wide:
    """The error function, to within a few units of float64's last place."""
    size = np.abs(x)
    near = size <= _NEAR
    with np.errstate(all="ignore"):
        squared = np.where(near, x * x, 0.0)
        inside = x * np.polyval(_NEAR_P, squared) / np.polyval(_NEAR_Q, squared)
        middle = np.clip(size, _NEAR, _FAR)
        fraction = np.polyval(_MIDDLE_P, middle) / np.polyval(_MIDDLE_Q, middle)
        far = np.maximum(size, _FAR)
        inverse = 1.0 / (far * far)
        tail = inverse * np.polyval(_FAR_P, inverse) / np.polyval(_FAR_Q, inverse)
        beyond = (1.0 / np.sqrt(np.pi) - tail) / far
        outside = 1.0 - np.exp(-size * size) * np.where(size <= _FAR, fraction, beyond)
    value: Wide = np.where(near, inside, np.copysign(outside, x))
    return value
