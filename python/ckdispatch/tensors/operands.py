# SPDX-License-Identifier: MIT
"""What friendly calls are given, seen alike: tensors on the host or on the device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.dlpack import borrow
from ckdispatch.wording import kind_of, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.device import Device

Kind = TypeVar("Kind", bound="Operand")


@dataclass(frozen=True)
class Operand:
    """``array`` is its memory if that is on the host, ``tensor`` if it is on the device. Strides are in elements."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    array: NDArray[Any] | None
    tensor: DeviceTensor | None
    given: Any

    @property
    def on_host(self) -> NDArray[Any]:
        """What it holds, as an array of the host."""
        return self.array if self.array is not None else self.tensor.numpy()  # type: ignore[union-attr]

    def transposed(self: Kind, order: tuple[int, ...]) -> Kind:
        """With its axes in that order."""
        array = None if self.array is None else self.array.transpose(order)
        shape, strides = (tuple(values[axis] for axis in order) for values in (self.shape, self.strides))
        return self._seen_as(shape, strides, array)

    def reshaped(self: Kind, axis: int, extents: tuple[int, ...]) -> Kind:
        """With one axis divided into several."""
        steps = [self.strides[axis]]
        for extent in reversed(extents[1:]):
            steps.insert(0, steps[0] * extent)
        shape = (*self.shape[:axis], *extents, *self.shape[axis + 1 :])
        strides = (*self.strides[:axis], *steps, *self.strides[axis + 1 :])
        return self._seen_as(shape, strides, None if self.array is None else self.array.reshape(shape))

    def _seen_as(self: Kind, shape: tuple[int, ...], strides: tuple[int, ...], array: NDArray[Any] | None) -> Kind:
        tensor = None if self.tensor is None else self.tensor.seen_as(shape, strides)
        return replace(self, shape=shape, strides=strides, array=array, tensor=tensor)


def operand(name: str, given: Any, device: Device) -> Operand:
    """What is behind a NumPy array, a DeviceTensor, or anything with ``__dlpack__`` such as a torch tensor."""
    import numpy as np

    from ckdispatch.reference.dtypes import dtype_encoding

    if isinstance(given, DeviceTensor):
        if given.device is not device and given.device.name != device.name:
            raise InvalidArgument(f"{name} is on {given.device.name}, and the dispatcher runs on {device.name}")
        seen = Operand(name, given.shape, given.strides, given.dtype, None, given, given)
        encoding = given.encoding
    elif isinstance(given, np.ndarray):
        seen = _of_array(name, np.asarray(given), given)
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
            f"{name} is {kind_of(given)}; give a NumPy array, a DeviceTensor, or a tensor that has __dlpack__"
        )
    expected = dtype_encoding(device.numpy_dtype(seen.dtype)) if encoding else None
    if encoding != expected:
        raise InvalidArgument(
            f"{name} holds {seen.dtype} in the {encoding} encoding, and {device.gpu} computes in the {expected} encoding; convert it"
        )
    return seen


def check_out(out: Operand, dtype: str | None) -> None:
    """Refuses an ``out`` that cannot be written, or that holds another dtype than was asked for."""
    if dtype is not None and dtype != out.dtype:
        raise InvalidArgument(f"out holds {out.dtype}, and dtype={quoted(dtype)} was asked for")
    if out.array is not None and not out.array.flags.writeable:
        raise InvalidArgument("out cannot be written to")
    if any(extent > 1 and stride == 0 for extent, stride in zip(out.shape, out.strides, strict=True)):
        raise InvalidArgument(f"out has the strides {out.strides}, so that some of its elements are the same memory")


def borrowed_array(given: Any) -> NDArray[Any]:
    """The memory of something with ``__dlpack__``, which must be on the host."""
    if not hasattr(given, "__dlpack__"):
        raise InvalidArgument(f"{kind_of(given)} was given where an array or a tensor with __dlpack__ is needed")
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
