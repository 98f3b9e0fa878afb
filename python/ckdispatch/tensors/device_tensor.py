# SPDX-License-Identifier: MIT
"""Memory of a device, with a shape; and what a problem needs of it."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING, Any

from ckdispatch.arguments import in_range, members
from ckdispatch.errors import InvalidArgument, OutOfMemory
from ckdispatch.native.library import native
from ckdispatch.tensors.dlpack import host_array
from ckdispatch.tensors.memory import bytes_of, elements_per_byte, packed, packed_strides, unpacked
from ckdispatch.wording import quoted, several

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ckdispatch.device import Device
    from ckdispatch.problem import Problem


_MOST = 2**62
"""Bytes that no device has."""

_MOST_EXTENTS = 32


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Extents as Python's numbers; refuses what are none."""
    extents = members(shape)
    if extents is None:
        raise InvalidArgument(
            f"a tensor of the shape {quoted(shape)} was asked for; "
            "a shape has a number for each extent"
        )
    if len(extents) > _MOST_EXTENTS:
        raise InvalidArgument(
            f"a tensor of {len(extents)} extents was asked for; it has at most {_MOST_EXTENTS}"
        )
    return tuple(in_range("an extent of a tensor", extent, 0, 2**62) for extent in extents)


class DeviceTensor:
    """A tensor that lives on a device; strides are in elements. Freed when nothing refers to it any
    more.

    Elements of ``pk_fp4`` share a byte with their neighbour in memory; on the host they have one
    each.
    """

    __slots__ = (
        "__weakref__",
        "address",
        "device",
        "dtype",
        "encoding",
        "identity",
        "owner",
        "shape",
        "strides",
        "suits",
    )

    def __init__(
        self,
        device: Device,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: str,
        encoding: str | None,
        owner: Any = None,
    ) -> None:
        self.device = device
        self.address = address
        self.shape = shape
        self.strides = strides
        self.dtype = dtype
        self.encoding = encoding
        self.owner = owner
        self.identity = object()
        """Another one for every tensor there ever is; who knows it keeps no memory of the device
        alive.
        """
        self.suits: object = None
        """What it was last found to be right for, so that a run need not look again."""

    @classmethod
    def allocate(
        cls, device: Device, shape: tuple[int, ...], dtype: str, *, column_major: bool = False
    ) -> DeviceTensor:
        """Packed, with the rows of its last two extents contiguous or, if ``column_major``, the
        columns.
        """
        from ckdispatch.reference.dtypes import dtype_encoding

        shape = checked_shape(shape)
        kind = device.numpy_dtype(dtype)
        order = (*shape[:-2], *reversed(shape[-2:])) if column_major else shape
        strides = packed_strides(order)
        if column_major:
            strides = (*strides[:-2], *strides[:-3:-1])
        size = bytes_of(math.prod(shape), dtype, kind.itemsize)
        if size >= _MOST:
            raise OutOfMemory(
                f"a tensor of shape {quoted(shape)} and {dtype} was asked for, which takes "
                f"2^{size.bit_length() - 1} bytes"
            )
        address = device.allocate(max(1, size))
        tensor = cls(device, address, shape, strides, dtype, dtype_encoding(kind))
        weakref.finalize(tensor, _release, device, address)
        return tensor

    @property
    def span(self) -> int:
        """Elements from the first to the last."""
        return 1 + sum(
            (extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True)
        )

    def seen_as(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> DeviceTensor:
        """The same memory with another shape, which lives as long as this."""
        return DeviceTensor(
            self.device, self.address, shape, strides, self.dtype, self.encoding, self
        )

    def part(self, axis: int, index: int) -> DeviceTensor:
        """What it has at one index of an extent, without that; it lives as long as this."""
        size = self.device.numpy_dtype(self.dtype).itemsize
        shape, strides = (
            values[:axis] + values[axis + 1 :] for values in (self.shape, self.strides)
        )
        address = self.address + index * self.strides[axis] * size
        return DeviceTensor(self.device, address, shape, strides, self.dtype, self.encoding, self)

    def corner(self, shape: tuple[int, ...]) -> DeviceTensor:
        """The part of it where every index is below the extents of ``shape``."""
        return self if shape == self.shape else self.seen_as(shape, self.strides)

    def write(self, array: NDArray[Any]) -> None:
        """Copies an array of the same shape and dtype in; gaps between rows are kept as they are on
        the device.
        """
        from ckdispatch.reference.dtypes import dtype_name

        array = host_array(array)
        dtype_name(array.dtype)
        if array.shape != self.shape:
            raise InvalidArgument(
                f"an array of shape {array.shape} was to be copied into a tensor of shape "
                f"{self.shape}"
            )
        staged = self._staged()
        if self.span != math.prod(self.shape):
            self._read_into(staged)
        self._shaped(staged)[...] = array
        memory = self._packed(staged) if self._is_packed else staged
        self.device.copy_in(self.address, memory.ctypes.data, memory.nbytes)

    def numpy(self) -> NDArray[Any]:
        """A copy on the host, with the same strides."""
        staged = self._staged()
        self._read_into(staged)
        return self._shaped(staged)

    def _staged(self) -> NDArray[Any]:
        import numpy as np

        return np.empty(self.span, self.device.numpy_dtype(self.dtype))

    def _shaped(self, staged: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        # as_strided does not know the dtype of bf8 in its OCP encoding.
        shaped: NDArray[Any] = np.ndarray(
            self.shape, staged.dtype, staged, strides=[s * staged.itemsize for s in self.strides]
        )
        return shaped

    @property
    def _is_packed(self) -> bool:
        return elements_per_byte(self.dtype) > 1

    def _packed(self, staged: NDArray[Any]) -> NDArray[Any]:
        """What is written: the last byte may be shared with an element that
        is not of this tensor.
        """
        import numpy as np

        memory = packed(staged)
        if len(staged) % 2:
            last = np.empty(1, np.uint8)
            self.device.synchronize()
            self.device.copy_out(last.ctypes.data, self.address + len(memory) - 1, 1)
            memory[-1] |= last[0] & 0xF0
        return memory

    def _read_into(self, staged: NDArray[Any]) -> None:
        import numpy as np

        memory = (
            np.empty(bytes_of(len(staged), self.dtype, staged.itemsize), np.uint8)
            if self._is_packed
            else staged
        )
        self.device.synchronize()
        self.device.copy_out(memory.ctypes.data, self.address, memory.nbytes)
        if self._is_packed:
            staged[...] = unpacked(memory, len(staged))

    def __repr__(self) -> str:
        return f"DeviceTensor({self.shape}, {self.dtype}, {self.device.name})"


def _release(device: Device, address: int) -> None:
    # At the end of the program the runtime may be gone already.
    native().functions.ckd_device_release(device.handle, address)


class Need:
    """The dtype and the elements, from the first to the last, of one tensor of a problem."""

    __slots__ = ("dtype", "elements", "name")

    def __init__(self, name: str, dtype: str, elements: int) -> None:
        self.name = name
        self.dtype = dtype
        self.elements = elements

    def check(self, problem: Problem, tensor: DeviceTensor) -> None:
        """Refuses a tensor of another dtype, or one that is too small; marks one that suits."""
        if tensor.dtype != self.dtype:
            raise InvalidArgument(
                f"{problem.text} was to be run with {self.name} of {tensor.dtype}; "
                f"it is of {self.dtype}"
            )
        if tensor.span < self.elements:
            raise InvalidArgument(
                f"{problem.text} was to be run with {self.name} of "
                f"{several(tensor.span, 'element')}; it has {self.elements}"
            )
        tensor.suits = self


def needs_of(problem: Problem, spec: Mapping[str, Any]) -> list[Need]:
    """Of each tensor, as a kernel has them."""
    wanted = zip(problem.tensors, problem.dtypes(spec), problem.spans(), strict=True)
    return [Need(name, dtype, span) for name, dtype, span in wanted]


def check_tensors(problem: Problem, needs: Sequence[Need], tensors: Sequence[Any]) -> None:
    """Refuses tensors that do not suit; addresses alone are trusted."""
    for need, one in zip(needs, tensors, strict=True):
        if type(one) is DeviceTensor and one.suits is not need:
            need.check(problem, one)
