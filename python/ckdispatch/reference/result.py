# SPDX-License-Identifier: MIT
"""What every reference returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.formats import Wide
from ckdispatch.reference.tolerance import Tolerance

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison


@dataclass(frozen=True, eq=False)
class Reference:
    """A result in float64, the same as stored in the output dtype, and the allowed error."""

    exact: Wide
    rounded: NDArray[Any]
    tolerance: Tolerance

    def compare(self, actual: NDArray[Any]) -> Comparison:
        """How ``actual``, which must be of the output dtype, differs from this."""
        from ckdispatch.comparison import compare

        if actual.dtype != self.rounded.dtype:
            raise InvalidArgument(
                f"the result is of {actual.dtype} and the reference of {self.rounded.dtype}; "
                "a tolerance belongs to its dtype, so name the output's when making the reference"
            )
        return compare(actual, self.exact, self.tolerance)
