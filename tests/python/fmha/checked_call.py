# SPDX-License-Identifier: MIT
"""A call of a dispatcher's method, and the checks of what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from ckdispatch.comparison import Comparison, Reference, compare
from numpy.typing import NDArray

Checks = Iterator[tuple[str, Comparison]]


@dataclass(frozen=True)
class Call:
    """A method's name, its arguments, and what its result should be."""

    method: str
    operands: tuple[Any, ...]
    arguments: dict[str, Any]
    check: Callable[[Any], Checks]

    def __str__(self) -> str:
        def shown(one: Any) -> str:
            if isinstance(one, np.ndarray):
                small = f" {one.tolist()}" if one.size <= 8 and one.dtype.kind in "iu" else ""
                strides = [stride // one.itemsize for stride in one.strides]
                return f"{one.dtype}{list(one.shape)}/{strides}{small}"
            return repr(one)

        parts = [shown(one) for one in self.operands] + [
            f"{name}={shown(one)}" for name, one in self.arguments.items()
        ]
        return f"{self.method}({', '.join(parts)})"


def written(reference: Reference, actual: NDArray[Any]) -> Comparison:
    """A comparison of the rows that sequences have; what is in the others is nobody's business."""
    return compare(
        np.where(np.isnan(reference.exact), np.array(np.nan, actual.dtype), actual),
        reference.exact,
        reference.tolerance,
    )
