# SPDX-License-Identifier: MIT
"""Matrices on the device with gaps that must not be read into results, and guards around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ckdispatch.tensors.device_tensor import DeviceTensor
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ckdispatch.device import Device

_GUARD = 256
"""Elements before and after a matrix; also keeps its address aligned to whatever a kernel wants."""
_UNTOUCHED = 0xA5


@dataclass(frozen=True)
class Matrix:
    """A matrix within a larger piece of memory, all of which it can show."""

    whole: DeviceTensor
    shape: tuple[int, int]
    strides: tuple[int, int]

    @classmethod
    def place(
        cls, device: Device, dtype: str, shape: tuple[int, int], letter: str, gap: int
    ) -> Matrix:
        """Memory for a matrix by rows (``r``) or by columns (``c``), ``gap`` elements apart."""
        lines, width = shape if letter == "r" else shape[::-1]
        apart = width + gap
        whole = DeviceTensor.allocate(device, (2 * _GUARD + lines * apart,), dtype)
        return cls(whole, shape, (apart, 1) if letter == "r" else (1, apart))

    @property
    def address(self) -> int:
        """The first element."""
        return self.whole.address + _GUARD * self._kind.itemsize

    @property
    def leading(self) -> int:
        """Elements from one row, or column, to the next."""
        return max(self.strides)

    @property
    def _kind(self) -> np.dtype[Any]:
        return self.whole.device.numpy_dtype(self.whole.dtype)

    def fill(self, values: NDArray[Any]) -> None:
        """Write ``values``, and all around them what would spoil every result it got into."""
        memory = np.full(self.whole.shape, _spoiler(self._kind), self._kind)
        self._view(memory)[...] = values
        self.whole.write(memory)

    def mark(self) -> None:
        """Fill everything with bytes that tell later whether they were written to."""
        memory = np.full(self.whole.shape[0] * self._kind.itemsize, _UNTOUCHED, np.uint8)
        self.whole.write(memory.view(self._kind))

    def read(self) -> NDArray[Any]:
        """The elements."""
        return self._view(self.whole.numpy()).copy()

    def stray_writes(self) -> int:
        """Elements beside the matrix that no longer are what ``mark`` wrote."""
        memory = np.ascontiguousarray(self.whole.numpy())
        outside = np.ones(memory.shape, bool)
        self._view(outside)[...] = False
        touched = (memory.view(np.uint8).reshape(len(memory), -1) != _UNTOUCHED).any(axis=1)
        return int(np.count_nonzero(touched & outside))

    def _view(self, memory: NDArray[Any]) -> NDArray[Any]:
        offset, strides = _GUARD * memory.itemsize, [one * memory.itemsize for one in self.strides]
        return np.ndarray(self.shape, memory.dtype, memory, offset, strides)


def random_values(
    random: np.random.Generator, shape: tuple[int, int], kind: np.dtype[Any]
) -> NDArray[Any]:
    """Numbers that the dtype holds well: all integers, or floats around one."""
    if np.issubdtype(kind, np.integer):
        limits = np.iinfo(kind)
        return random.integers(limits.min, limits.max, shape, kind, endpoint=True)
    return random.uniform(-2.0, 2.0, shape).astype(np.float32).astype(kind)


def _spoiler(kind: np.dtype[Any]) -> Any:
    return np.iinfo(kind).min if np.issubdtype(kind, np.integer) else np.float32("nan").astype(kind)
