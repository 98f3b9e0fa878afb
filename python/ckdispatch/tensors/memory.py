# SPDX-License-Identifier: MIT
"""How elements lie in memory: from one index of an extent to the next, and those that share a byte,
of which NumPy has one to a byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def packed_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Without gaps, the last extent contiguous."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def strides_in_order(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Without gaps, where memory has the axes in that order, the outermost first."""
    packed = packed_strides([shape[axis] for axis in order])
    return tuple(packed[order.index(axis)] for axis in range(len(shape)))


def is_packed(
    shape: Sequence[int], strides: Sequence[int], order: Sequence[int] | None = None
) -> bool:
    """Whether ``strides`` are such, in that order, where there is a next index at all."""
    step = 1
    for axis in reversed(range(len(shape)) if order is None else order):
        if shape[axis] != 1 and strides[axis] != step:
            return False
        step *= shape[axis]
    return True


@cache
def elements_per_byte(dtype: str) -> int:
    """How many elements share a byte; 1 if they do not."""
    from ckarch import load_specs

    return load_specs().dtype(dtype).pack


def bytes_of(elements: int, dtype: str, itemsize: int) -> int:
    """What so many elements take in the memory of a device; ``itemsize`` is that of NumPy's."""
    return -(-elements * itemsize // elements_per_byte(dtype))


def packed(elements: NDArray[Any]) -> NDArray[np.uint8]:
    """A row of elements as kernels read them, filled up with a zero to a whole byte."""
    import numpy as np

    from ckdispatch.reference.dtypes import pack_fp4

    return pack_fp4(np.append(elements, elements.dtype.type(0)) if len(elements) % 2 else elements)


def unpacked(memory: NDArray[np.uint8], count: int) -> NDArray[Any]:
    """The inverse of ``packed``, of which the first ``count`` are wanted."""
    from ckdispatch.reference.dtypes import unpack_fp4

    return unpack_fp4(memory)[:count]
