# SPDX-License-Identifier: MIT
"""Where the tensors of a call are, and how results come back to the caller.

Tensors are seen as [batch, row, head, element], or [row, head, element] where sequences are packed,
whatever order their memory has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.copies import copy_elements
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.memory import packed_strides
from ckdispatch.tensors.operands import Operand, check_out, like

if TYPE_CHECKING:
    from ckdispatch.device import Device

LAYOUTS = {"bshd": (0, 1, 2, 3), "bhsd": (0, 2, 1, 3)}
"""The axes of a tensor in the order of batch, rows, heads and elements; each order is its own
inverse.
"""


@dataclass
class Input:
    """A tensor that is read, or changed in place where ``copied`` is false and
    it is on the device.
    """

    one: Operand
    copied: bool = False

    @property
    def usable(self) -> bool:
        """Whether kernels can take it where it is."""
        if self.one.tensor is None or self.copied:
            return False
        return usable_strides(self.one)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.one.shape

    @property
    def dtype(self) -> str:
        return self.one.dtype

    @property
    def strides(self) -> tuple[int, ...]:
        """Those of the memory that kernels will see."""
        return settled(
            self.one.shape, self.one.strides if self.usable else packed_strides(self.one.shape)
        )

    @property
    def address(self) -> int:
        """Of what is used where it is; memory of our own is aligned to any kernel's wish."""
        return self.one.tensor.address if self.usable and self.one.tensor is not None else 0

    def staged(self, device: Device, changes: list[str], stream: int | None) -> DeviceTensor:
        if self.usable:
            assert self.one.tensor is not None
            return self.one.tensor
        copy = DeviceTensor.allocate(device, self.one.shape, self.one.dtype)
        if self.one.array is not None:
            copy.write(self.one.array)
        else:
            assert self.one.tensor is not None
            if not self.copied:
                changes.append(
                    f"{self.one.name} was copied, because the elements of its heads are not "
                    "contiguous"
                )
            copy_elements(self.one.tensor, copy, stream)
        return copy


@dataclass
class Output:
    """A result: new memory in the caller's order of axes, or ``out``, which is what the caller
    gave.

    One that is written ``partly`` keeps what else the caller has there, or is zero.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    order: tuple[int, ...]
    out: Operand | None = None
    partly: bool = False
    tensor: DeviceTensor | None = None

    def __post_init__(self) -> None:
        if self.out is None:
            return
        if self.out.shape != self.shape:
            wanted, given = (
                [of[axis] for axis in self.order] for of in (self.shape, self.out.shape)
            )
            raise InvalidArgument(
                f"{self.out.name} has the shape {tuple(given)}; the result has {tuple(wanted)}"
            )
        if self.out.dtype != self.dtype:
            raise InvalidArgument(
                f"{self.out.name} holds {self.out.dtype}, and the result is of {self.dtype}"
            )
        check_out(self.out, None)

    @property
    def usable(self) -> bool:
        return self.out is not None and self.out.tensor is not None and usable_strides(self.out)

    @property
    def strides(self) -> tuple[int, ...]:
        if self.usable:
            assert self.out is not None
            return settled(self.shape, self.out.strides)
        return self._own_strides()

    @property
    def address(self) -> int:
        return (
            self.out.tensor.address
            if self.usable and self.out is not None and self.out.tensor is not None
            else 0
        )

    def _own_strides(self) -> tuple[int, ...]:
        packed = packed_strides([self.shape[axis] for axis in self.order])
        return tuple(packed[self.order.index(axis)] for axis in range(len(self.shape)))

    def staged(self, device: Device) -> DeviceTensor:
        if self.usable:
            assert self.out is not None and self.out.tensor is not None
            self.tensor = self.out.tensor
            return self.tensor
        memory = DeviceTensor.allocate(
            device, tuple(self.shape[axis] for axis in self.order), self.dtype
        )
        self.tensor = memory.seen_as(self.shape, self._own_strides())
        if self.partly and memory.span > 0:
            self._begin_with_what_is_there(device, memory)
        return self.tensor

    def _begin_with_what_is_there(self, device: Device, memory: DeviceTensor) -> None:
        assert self.tensor is not None
        if self.out is None:
            device.fill(memory.address, 0, memory.span * device.numpy_dtype(self.dtype).itemsize)
        else:
            self.tensor.write(self.out.on_host)

    def delivered(self, like_what: Any, on_device: bool, device: Device, stream: int | None) -> Any:
        """The result where the caller wants it: in ``out``, or new, on the device or as the
        caller's library has its arrays.
        """
        assert self.tensor is not None
        if self.out is not None and self.out.tensor is not None:
            if self.tensor is not self.out.tensor:
                copy_elements(self.tensor, self.out.tensor, stream)
            return self.out.given
        if self.out is None and on_device:
            return self.tensor.owner  # in the order of the caller's axes
        device.synchronize(stream)
        array = self.tensor.numpy()
        if self.name == "randval":
            array = array.view(np.uint8)
        if self.out is not None:
            assert self.out.array is not None
            self.out.array[...] = array
            return self.out.given
        return like(like_what, array.transpose(self.order))


def usable_strides(one: Operand) -> bool:
    """Whether elements of a head are contiguous, and nothing goes backwards."""
    return (one.shape[-1] <= 1 or one.strides[-1] == 1) and all(
        stride >= 0 for stride in one.strides
    )


def settled(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Strides where an extent of 1 has that of packed memory in place of one that nobody uses."""
    packed = packed_strides(shape)
    return tuple(
        own if extent > 1 else plain
        for extent, own, plain in zip(shape, strides, packed, strict=True)
    )


def by_row_head_batch(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, int, int]:
    """As a problem has them; of a tensor without elements those that it would have with some."""
    if 0 in shape:
        strides = packed_strides([max(1, extent) for extent in shape])
    if len(shape) == 3:
        return strides[0], strides[1], 0
    return strides[1], strides[2], strides[0]
