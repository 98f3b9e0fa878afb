# SPDX-License-Identifier: MIT
"""Matrix products of a reference, which NumPy computes, or who is asked for the time of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

import numpy as np

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.formats import Wide
from ckdispatch.wording import kind_of

Multiply: TypeAlias = Callable[[Wide, Wide], tuple[Wide, Wide]]
"""The product of two batches of matrices, and that of their magnitudes."""

Products: TypeAlias = Callable[[slice], tuple[Wide, Wide]]
"""The sums of products of a part of K, and the sums of their magnitudes."""

_ASKED: ContextVar[Multiply | None] = ContextVar("multiply", default=None)


def check_products(products: object) -> None:
    """Refuses what is no function."""
    if products is not None and not callable(products):
        raise InvalidArgument(
            f"products is {kind_of(products)}; it is a function that sums up a part of K"
        )


@contextmanager
def multiplied_by(multiply: Multiply) -> Iterator[None]:
    """Has ``multiply`` compute the products of the block."""
    token = _ASKED.set(multiply)
    try:
        yield
    finally:
        _ASKED.reset(token)


def product(left: Wide, right: Wide) -> Wide:
    """``left @ right``."""
    asked = _ASKED.get()
    return left @ right if asked is None else asked(left, right)[0]


def magnitudes(left: Wide, right: Wide) -> Wide:
    """The product of absolute values, for bounds: float32 is exact enough and twice as fast."""
    asked = _ASKED.get()
    if asked is not None:
        return asked(left, right)[1]
    found = np.abs(left).astype(np.float32) @ np.abs(right).astype(np.float32)
    return found.astype(np.float64)


def root_of_squares(left: Wide, right: Wide) -> Wide:
    """The root of the sum of the products' squares: how far errors at random take a product.

    Shares of a softmax may be too small for float32 to hold their squares, so each row of ``left``
    is counted in its largest element.
    """
    largest = np.max(np.abs(left), axis=-1, keepdims=True, initial=0.0)
    unit = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    rows = left / unit
    root: Wide = unit * np.sqrt(magnitudes(rows * rows, right * right))
    return root
