# SPDX-License-Identifier: MIT
"""Matrices on the device with gaps that must not be read into results, and guards around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ckdispatch.reference.formats import FloatFormat
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.memory import bytes_of
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ckdispatch.device import Device

_GUARD = 256
"""Elements before and after a matrix; also keeps its address aligned to whatever a kernel wants."""
_UNTOUCHED = 0x7F
"""Not a number or huge in every dtype, so that a kernel that adds to what it finds is seen."""
_HALF = 2


@dataclass(frozen=True)
class Spacing:
    """Elements between the rows (or columns), between matrices of a batch, and before the first."""

    gap: int = 0
    batch_gap: int = 0
    shift: int = 0


PACKED = Spacing()


@dataclass(frozen=True)
class Matrix:
    """A matrix, or a batch of them, within a larger piece of memory, all of which it can show."""

    whole: DeviceTensor
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    begin: int

    @classmethod
    def place(
        cls,
        device: Device,
        dtype: str,
        shape: tuple[int, ...],
        letter: str,
        spacing: Spacing = PACKED,
    ) -> Matrix:
        """Memory for a matrix by rows (``r``) or by columns (``c``)."""
        *batch, m, n = shape
        lines, width = (m, n) if letter == "r" else (n, m)
        line = width + spacing.gap
        one = lines * line + spacing.batch_gap
        whole = 2 * _GUARD + spacing.shift + (batch[0] if batch else 1) * one
        strides = (line, 1) if letter == "r" else (1, line)
        return cls(
            DeviceTensor.allocate(device, (whole,), dtype),
            shape,
            (one, *strides) if batch else strides,
            _GUARD + spacing.shift,
        )

    @property
    def address(self) -> int:
        """The first element."""
        return self.whole.address + bytes_of(self.begin, self.whole.dtype, self._kind.itemsize)

    @property
    def leading(self) -> int:
        """Elements from one row, or column, to the next."""
        return max(self.strides[-2:])

    @property
    def batch_stride(self) -> int:
        """Elements from one matrix to the next; 0 if there is one for the whole batch."""
        return self.strides[0] if len(self.strides) > 2 else 0

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
        copy: NDArray[Any] = self._view(self.whole.numpy()).copy()
        return copy

    def stray_writes(self) -> int:
        """Elements beside the matrix that no longer are what ``mark`` wrote."""
        outside = np.ones(self.whole.shape, bool)
        self._view(outside)[...] = False
        return int(np.count_nonzero(self._touched() & outside))

    def untouched(self) -> bool:
        """Whether nothing at all was written to since ``mark``."""
        return not self._touched().any()

    def _touched(self) -> NDArray[np.bool_]:
        memory = np.ascontiguousarray(self.whole.numpy())
        touched: NDArray[np.bool_] = (
            memory.view(np.uint8).reshape(len(memory), -1) != _UNTOUCHED
        ).any(axis=1)
        return touched

    def _view(self, memory: NDArray[Any]) -> NDArray[Any]:
        size = memory.itemsize
        strides = [stride * size for stride in self.strides]
        view: NDArray[Any] = np.ndarray(
            self.shape, memory.dtype, memory, self.begin * size, strides
        )
        return view


def random_values(
    random: np.random.Generator,
    shape: tuple[int, ...],
    kind: np.dtype[Any],
    scale: float = 2.0,
    largest: float = np.inf,
) -> NDArray[Any]:
    """Numbers that the dtype holds well: integers up to ``largest``, or floats up to ``scale``.

    No subnormal ones of 16 bits, which the matrix instructions of gfx90a take for zero.
    """
    if np.issubdtype(kind, np.integer):
        limits = np.iinfo(kind)
        low, high = max(limits.min, -largest), min(limits.max, largest)
        return random.integers(int(low), int(high), shape, kind, endpoint=True)
    values = random.uniform(-scale, scale, shape).astype(np.float32)
    if kind.itemsize == _HALF:
        values[np.abs(values) < FloatFormat.of(kind).smallest_normal] = 0
    return values.astype(kind)


def _spoiler(kind: np.dtype[Any]) -> Any:
    if np.issubdtype(kind, np.integer):
        return np.iinfo(kind).min
    form = FloatFormat.of(kind)
    return np.float32("nan" if form.has_nan else form.max).astype(kind)
