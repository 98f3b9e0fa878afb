# SPDX-License-Identifier: MIT
"""What ``gemm()`` is given, seen alike: matrices on the host or on the device, with a layout."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.dlpack import borrow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.device import Device


@dataclass(frozen=True)
class Operand:
    """A matrix or a batch of them. ``array`` is its memory if that is on the host, ``tensor`` if it is on the device."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    array: NDArray[Any] | None
    tensor: DeviceTensor | None
    given: Any

    @property
    def rows(self) -> int:
        return self.shape[-2]

    @property
    def columns(self) -> int:
        return self.shape[-1]

    @property
    def letters(self) -> tuple[str, ...]:
        """r if its rows are contiguous, c if its columns are; both for some single rows and columns, none for gaps everywhere."""
        row, column = self.strides[-2:]
        by_rows = (column == 1 or self.columns == 1) and (row >= self.columns or self.rows == 1)
        by_columns = (row == 1 or self.rows == 1) and (column >= self.rows or self.columns == 1)
        return ("r",) * by_rows + ("c",) * by_columns

    def leading(self, letter: str) -> int:
        """Elements from one row, or column, to the next."""
        by_rows = letter == "r"
        width, lines = (self.columns, self.rows) if by_rows else (self.rows, self.columns)
        return width if lines == 1 else self.strides[-2 if by_rows else -1]


def operand(name: str, given: Any, device: Device, *, vectors: bool = False) -> Operand:
    """The matrix behind a NumPy array, a DeviceTensor, or anything with ``__dlpack__`` such as a torch tensor.

    Where ``vectors`` may be given, one is a matrix of one row.
    """
    import numpy as np

    from ckdispatch.reference.dtypes import dtype_encoding

    if isinstance(given, DeviceTensor):
        if given.device is not device and given.device.name != device.name:
            raise InvalidArgument(f"{name} is on {given.device.name}, and the dispatcher runs on {device.name}")
        seen = Operand(name, given.shape, given.strides, given.dtype, None, given, given)
        encoding = given.encoding
    elif isinstance(given, np.ndarray):
        seen = _of_array(name, given, given)
        encoding = dtype_encoding(given.dtype)
    elif hasattr(given, "__dlpack__"):
        found = borrow(given)
        encoding = found.encoding
        if found.on_host:
            seen = _of_array(name, _host_array(found), given)
        else:
            if device.simulated:
                raise InvalidArgument(f"{name} is on an AMD GPU, and the dispatcher runs on {device.name}; copy it to the host first")
            tensor = DeviceTensor(device, found.address, found.shape, found.strides, found.dtype, encoding, found.owner)
            seen = Operand(name, found.shape, found.strides, found.dtype, None, tensor, given)
    else:
        raise InvalidArgument(
            f"{name} is a {type(given).__name__}; give a NumPy array, a DeviceTensor, or a tensor that has __dlpack__"
        )
    if vectors and len(seen.shape) == 1:
        seen = _as_row(seen)
    if len(seen.shape) not in (2, 3) or 0 in seen.shape:
        raise InvalidArgument(f"{name} has the shape {seen.shape}; a matrix, or a batch of them, with no extent of 0 is needed")
    expected = dtype_encoding(device.numpy_dtype(seen.dtype)) if encoding else None
    if encoding != expected:
        raise InvalidArgument(
            f"{name} holds {seen.dtype} in the {encoding} encoding, and {device.gpu} computes in the {expected} encoding; convert it"
        )
    return seen


def _as_row(one: Operand) -> Operand:
    shape, strides = (1, *one.shape), (one.shape[0], *one.strides)
    array = None if one.array is None else one.array[None, :]
    tensor = one.tensor
    if tensor is not None:
        tensor = DeviceTensor(tensor.device, tensor.address, shape, strides, tensor.dtype, tensor.encoding, tensor)
    return replace(one, shape=shape, strides=strides, array=array, tensor=tensor)


def borrowed_array(given: Any) -> NDArray[Any]:
    """The memory of something with ``__dlpack__``, which must be on the host."""
    if not hasattr(given, "__dlpack__"):
        raise InvalidArgument(f"a {type(given).__name__} was given where an array or a tensor with __dlpack__ is needed")
    found = borrow(given)
    if not found.on_host:
        raise InvalidArgument("a tensor of an AMD GPU was given where one of the host is needed; copy it to the host first")
    return _host_array(found)


def _of_array(name: str, array: NDArray[Any], given: Any) -> Operand:
    from ckdispatch.reference.dtypes import dtype_name

    strides = tuple(step // array.itemsize for step in array.strides)
    return Operand(name, array.shape, strides, dtype_name(array.dtype), array, None, given)


def _host_array(found: Any) -> NDArray[Any]:
    import ctypes

    import numpy as np

    from ckdispatch.reference.dtypes import numpy_dtype

    kind = numpy_dtype(found.dtype, found.encoding)
    if any(stride < 0 for stride in found.strides):
        raise InvalidArgument("a tensor with negative strides was given; make it contiguous first")
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(found.shape, found.strides, strict=True))
    memory = (ctypes.c_char * (span * kind.itemsize)).from_address(found.address)
    array = np.ndarray(found.shape, kind, memory, strides=[stride * kind.itemsize for stride in found.strides])
    memory._owner = found.owner  # the array keeps its buffer, and the buffer what owns the memory
    return array
