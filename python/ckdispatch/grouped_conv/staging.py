# SPDX-License-Identifier: MIT
"""Tensors on the device, where they are or as copies, and the result where the caller wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ckdispatch.grouped_conv.layouts import (
    CHANNELS_FIRST,
    as_given,
    memory_order,
    ungrouped_shape,
)
from ckdispatch.grouped_conv.request import ConvCall
from ckdispatch.tensors.copies import copy_elements, filled_up
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.results import like, transposed
from ckdispatch.tensors.strides import is_packed, packed_strides, strides_in_order

if TYPE_CHECKING:
    from ckdispatch.tensors.operands import Operand


def staged(
    call: ConvCall,
    name: str,
    one: Operand,
    shape: tuple[int, ...],
    copied: bool,
    stream: int | None,
) -> DeviceTensor:
    """A tensor on the device: where it is, or a packed copy, filled up with zeros to ``shape``."""
    if one.tensor is not None and call.usable(name, one) and not copied:
        return one.tensor
    if not call.lies_right(name, one):  # more than a copy between host and device
        _say_copy(call, one)
    copy = _allocated(call, name, shape, one.dtype)
    if one.array is not None:
        copy.write(filled_up(one.array, shape))
    else:
        assert one.tensor is not None
        copy_elements(one.tensor, copy, stream, zero=shape != one.shape)
    return copy


def _allocated(call: ConvCall, name: str, shape: tuple[int, ...], dtype: str) -> DeviceTensor:
    """Memory as the kernel has it, seen with channels last."""
    order = call.order(name, len(shape))
    extents = tuple(shape[axis] for axis in order)
    memory = DeviceTensor.allocate(call.dispatcher.device, extents, dtype)
    return memory.seen_as(shape, strides_in_order(shape, order))


def _say_copy(call: ConvCall, one: Operand) -> None:
    if call.first and one.name != "bias":
        call.changes.append(f"{one.name} was copied into channels first, which the kernel reads")
    elif call.layout == CHANNELS_FIRST and one.name != "bias":
        call.changes.append(f"{one.name} was copied into channels last, which kernels read")
    else:
        call.changes.append(f"{one.name} was copied, because it has gaps or is in another order")


def output_tensor(
    call: ConvCall, shape: tuple[int, ...], dtype: str, copied: bool
) -> DeviceTensor:
    """Where the kernel writes: the caller's own tensor, or a new one."""
    out = call.out
    if out is not None and out.tensor is not None:
        if call.usable(call.written, out) and not copied:
            return out.tensor
    return _allocated(call, call.written, shape, dtype)


def delivered(call: ConvCall, target: DeviceTensor, stream: int | None) -> Any:
    """The result where the caller wants it: in ``out``, or new and in the layout of the tensors."""
    out, shape = call.out, call.sizes.shape(call.written)
    part = target.corner(shape)
    if out is not None and out.tensor is not None:
        if target is not out.tensor:
            _say_result(call, out)
            copy_elements(part, out.tensor, stream)
        return out.given
    given = call.tensors[call.read[0]]
    first = call.first or (call.result_first and not _lies_both_ways(call, shape))
    if out is None and any(call.tensors[name].tensor is not None for name in call.read):
        return _on_device(call, part, first, stream)
    call.dispatcher.device.synchronize(stream)
    array = target.numpy()[tuple(slice(extent) for extent in shape)]
    if out is not None:
        assert out.array is not None
        _say_result(call, out)
        out.array[...] = array
        return out.given
    plain = array.reshape(ungrouped_shape(shape, call.written))
    order = as_given(plain.ndim, call.layout)
    if first:
        _say_new(call)
        return like(given.given, plain.transpose(order))
    return transposed(like(given.given, plain), order)


def _on_device(
    call: ConvCall, part: DeviceTensor, first: bool, stream: int | None
) -> DeviceTensor:
    """The result as a tensor of the layout; its memory is copied if channels are to come first."""
    shape = ungrouped_shape(part.shape, call.written)
    order = as_given(len(shape), call.layout)
    asked = tuple(shape[axis] for axis in order)
    if call.first:
        return part.seen_as(asked, packed_strides(asked))
    if first:
        _say_new(call)
        memory = DeviceTensor.allocate(call.dispatcher.device, asked, part.dtype)
        axes = tuple(order.index(axis) for axis in range(len(shape)))
        _copy_into(call, part, memory, axes, stream)
        return memory
    if not is_packed(part.shape, part.strides):  # there are padded channels in between
        memory = DeviceTensor.allocate(call.dispatcher.device, shape, part.dtype)
        _copy_into(call, part, memory, tuple(range(len(shape))), stream)
        part = memory
    strides = packed_strides(shape)
    return part.seen_as(asked, tuple(strides[axis] for axis in order))


def _copy_into(
    call: ConvCall,
    part: DeviceTensor,
    memory: DeviceTensor,
    axes: tuple[int, ...],
    stream: int | None,
) -> None:
    """Copies a result into a tensor that has its axes, with channels last, at ``axes``."""
    strides = tuple(memory.strides[axis] for axis in axes)
    copy_elements(
        part, memory.seen_as(part.shape, _grouped_strides(call, part.shape, strides)), stream
    )


def _grouped_strides(
    call: ConvCall, shape: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[int, ...]:
    """Of a tensor with its groups apart, from those of the same memory without."""
    if call.written == "w":
        return (strides[0] * shape[1], *strides)
    return (*strides[:-1], strides[-1] * shape[-1], strides[-1])


def _lies_both_ways(call: ConvCall, shape: tuple[int, ...]) -> bool:
    """Whether packed memory with channels last has them first too, such as that of one position."""
    order = memory_order(call.written, len(shape), True)
    return is_packed(shape, packed_strides(shape), order)


def _say_new(call: ConvCall) -> None:
    if not call.first:
        call.changes.append("the result was copied into channels first, as its operands are")


def _say_result(call: ConvCall, out: Operand) -> None:
    if not call.lies_right(call.written, out):
        call.changes.append("the result was copied into the strides of out")
