# SPDX-License-Identifier: MIT
"""Tensors with strides in memory of their own, of which a test knows every byte: what is between
their rows, and who changed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray


class Tensor:
    """An array by strides in a flat one that ends with its last element; what lies between is NaN,
    or 0xEE..
    """

    def __init__(self, shape: Sequence[int], strides: Sequence[int], dtype: np.dtype[Any]) -> None:
        last = sum(
            stride * (extent - 1)
            for extent, stride in zip(shape, strides, strict=True)
            if extent > 0
        )
        self.flat: NDArray[Any] = poisoned(last + 1 if all(shape) else 1, dtype)
        self.shape, self.strides = tuple(shape), tuple(strides)
        self.address = 0

    @property
    def view(self) -> NDArray[Any]:
        """The tensor's own elements."""
        size = self.flat.dtype.itemsize
        view: NDArray[Any] = as_strided(
            self.flat, self.shape, tuple(stride * size for stride in self.strides)
        )
        return view

    def changed_outside(self, after: NDArray[Any]) -> int:
        """How many bytes that are no elements of the tensor differ in ``after``."""
        own = np.zeros(self.flat.shape, bool)
        as_strided(own, self.shape, self.strides)[...] = True
        bytes_of = [np.ascontiguousarray(one[~own]).view(np.uint8) for one in (self.flat, after)]
        return int(np.count_nonzero(bytes_of[0] != bytes_of[1]))


def poisoned(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """NaN where there is one."""
    if dtype.kind in "iu":
        large: NDArray[Any] = np.full(size, 0xEE, np.uint8).repeat(dtype.itemsize).view(dtype)
        poison: NDArray[Any] = large[:size].copy()
        return poison
    return np.full(size, np.nan, np.float32).astype(dtype)


def laid_out(
    random: np.random.Generator,
    shape: Sequence[int],
    dtype: np.dtype[Any],
    order: Sequence[int] | None = None,
    loose: int = 0,
) -> Tensor:
    """A tensor whose axes lie in memory in ``order``, outermost first. ``loose`` puts gaps of
    multiples of it behind some.
    """
    strides, size = [0] * len(shape), 1
    for axis in reversed(range(len(shape)) if order is None else order):
        strides[axis] = size
        size *= max(1, shape[axis])
        if loose and random.random() < 0.4:
            size = -(-size // loose) * loose + loose * int(random.integers(0, 3))
    return Tensor(shape, strides, dtype)


def filled(tensor: Tensor, values: NDArray[Any]) -> Tensor:
    """The tensor with ``values``, which broadcast to its shape."""
    if tensor.view.size:
        tensor.view[...] = values
    return tensor


def plain(values: NDArray[Any]) -> Tensor:
    """A packed tensor."""
    values = np.ascontiguousarray(values)
    strides = [
        int(np.prod(values.shape[axis + 1 :], dtype=np.int64)) for axis in range(values.ndim)
    ]
    return filled(Tensor(values.shape, strides, values.dtype), values)
