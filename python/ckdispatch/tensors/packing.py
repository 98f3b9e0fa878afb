# SPDX-License-Identifier: MIT
"""Elements that share a byte in the memory of a device: NumPy has one of them to a byte."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
