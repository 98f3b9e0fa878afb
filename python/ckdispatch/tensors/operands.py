# SPDX-License-Identifier: MIT
"""What friendly calls are given, seen alike: tensors on the host or on the device; and results as
the caller's library has its arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import dtype_encoding, dtype_name
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.dlpack import borrow, on_host
from ckdispatch.tensors.memory import bytes_of
from ckdispatch.wording import kind_of, quoted

if TYPE_CHECKING:
    from ckdispatch.device import Device


Kind = TypeVar("Kind", bound="Operand")


@dataclass(frozen=True)
class Operand:
    """``array`` is its memory if that is on the host, ``tensor`` if it is on the device. Strides
    are in elements.
    """

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
        return self.array if self.array is not None else self.tensor.numpy()  # type: ignore[union-attr]  # one of the two is there

    def transposed(self: Kind, order: tuple[int, ...]) -> Kind:
        """With its axes in that order."""
        array = None if self.array is None else self.array.transpose(order)
        shape, strides = (
            tuple(values[axis] for axis in order) for values in (self.shape, self.strides)
        )
        return self._seen_as(shape, strides, array)

    def reshaped(self: Kind, axis: int, extents: tuple[int, ...]) -> Kind:
        """With one axis divided into several."""
        steps = [self.strides[axis]]
        for extent in reversed(extents[1:]):
            steps.insert(0, steps[0] * extent)
        shape = (*self.shape[:axis], *extents, *self.shape[axis + 1 :])
        strides = (*self.strides[:axis], *steps, *self.strides[axis + 1 :])
        return self._seen_as(
            shape, strides, None if self.array is None else self.array.reshape(shape)
        )

    def _seen_as(
        self: Kind, shape: tuple[int, ...], strides: tuple[int, ...], array: NDArray[Any] | None
    ) -> Kind:
        tensor = None if self.tensor is None else self.tensor.seen_as(shape, strides)
        return replace(self, shape=shape, strides=strides, array=array, tensor=tensor)


def operand(name: str, given: Any, device: Device) -> Operand:
    """What is behind a NumPy array, a DeviceTensor, or anything with ``__dlpack__`` such as a torch
    tensor.
    """
    if isinstance(given, DeviceTensor):
        if given.device is not device and given.device.name != device.name:
            raise InvalidArgument(
                f"{name} is on {given.device.name}, and the dispatcher runs on {device.name}"
            )
        seen = Operand(name, given.shape, given.strides, given.dtype, None, given, given)
        encoding = given.encoding
    elif isinstance(given, np.ndarray):
        seen = _of_array(name, np.asarray(given), given)
        encoding = dtype_encoding(given.dtype)
    elif hasattr(given, "__dlpack__"):
        found = borrow(given)
        encoding = found.encoding
        if found.on_host:
            seen = _of_array(name, on_host(found), given)
        else:
            if device.simulated:
                raise InvalidArgument(
                    f"{name} is on an AMD GPU, and the dispatcher runs on {device.name}; "
                    "copy it to the host first"
                )
            if device.name != f"hip:{found.device_number}":
                raise InvalidArgument(
                    f"{name} is on hip:{found.device_number}, "
                    f"and the dispatcher runs on {device.name}"
                )
            tensor = DeviceTensor(
                device,
                found.address,
                found.shape,
                found.strides,
                found.dtype,
                encoding,
                found.owner,
            )
            seen = Operand(name, found.shape, found.strides, found.dtype, None, tensor, given)
    else:
        raise InvalidArgument(
            f"{name} is {kind_of(given)}; give a NumPy array, a DeviceTensor, "
            "or a tensor that has __dlpack__"
        )
    expected = dtype_encoding(device.numpy_dtype(seen.dtype)) if encoding else None
    if encoding != expected:
        raise InvalidArgument(
            f"{name} holds {seen.dtype} in the {encoding} encoding, and {device.gpu} computes in "
            f"the {expected} encoding; convert it"
        )
    return seen


def check_out(out: Operand, dtype: str | None) -> None:
    """Refuses an ``out`` that cannot be written, or that holds another dtype than was asked for."""
    if dtype is not None and dtype != out.dtype:
        raise InvalidArgument(f"out holds {out.dtype}, and dtype={quoted(dtype)} was asked for")
    if out.array is not None and not out.array.flags.writeable:
        raise InvalidArgument("out cannot be written to")
    if any(
        extent > 1 and stride == 0 for extent, stride in zip(out.shape, out.strides, strict=True)
    ):
        raise InvalidArgument(
            f"out has the strides {out.strides}, so that some of its elements are the same memory"
        )


def _of_array(name: str, array: NDArray[Any], given: Any) -> Operand:
    strides = tuple(step // array.itemsize for step in array.strides)
    return Operand(name, array.shape, strides, dtype_name(array.dtype), array, None, given)


_WORK = 10_000
"""Steps after which arrays that may overlap count as such."""


def overlap(one: Operand, other: Operand) -> bool:
    """Whether two tensors have memory in common."""
    if one.array is not None and other.array is not None:
        try:
            return bool(np.shares_memory(one.array, other.array, max_work=_WORK))
        except np.exceptions.TooHardError:
            return True
    if one.tensor is None or other.tensor is None:
        return False
    first, second = _bytes(one), _bytes(other)
    return first.start < second.stop and second.start < first.stop


def as_given(one: Kind, out: Operand | None, validate: bool | str) -> Kind:
    """An input, or a copy of it if the result is written over it before the two are compared."""
    if not validate or out is None or not overlap(one, out):
        return one
    if one.array is None:
        raise InvalidArgument(
            f"out lies in the memory of {one.name}, which validate reads once more after the "
            "result is there; give another out"
        )
    return replace(one, array=one.array.copy())


def check_apart(outs: Sequence[Operand]) -> None:
    """Refuses results that would be written over each other."""
    for i, one in enumerate(outs):
        for other in outs[:i]:
            if overlap(one, other):
                raise InvalidArgument(
                    f"{other.name} and {one.name} have memory in common; each result needs its own"
                )


def _bytes(one: Operand) -> range:
    tensor = one.tensor
    assert tensor is not None
    size = tensor.device.numpy_dtype(tensor.dtype).itemsize
    return range(tensor.address, tensor.address + bytes_of(tensor.span, tensor.dtype, size))


def like(given: Any, array: NDArray[Any]) -> Any:
    """The array, packed, of the kind that ``given`` is."""
    array = np.ascontiguousarray(array)
    if isinstance(given, np.ndarray):
        return array
    if type(given).__module__.partition(".")[0] == "torch":
        import torch

        opaque = array.dtype.kind == "V"
        if not opaque:
            return torch.from_numpy(array)
        empty = torch.empty(array.shape, dtype=given.dtype)
        empty.view(torch.uint8).numpy()[...] = array.view(np.uint8)
        return empty
    return array


def transposed(made: Any, order: tuple[int, ...]) -> Any:
    """A view with its axes in that order, of a NumPy array or a torch tensor."""
    return made.permute(order) if hasattr(made, "permute") else made.transpose(order)
