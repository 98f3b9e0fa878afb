# SPDX-License-Identifier: MIT
"""``Dispatcher.conv`` and its gradients: from whatever arrays to a launch, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ckdispatch.arguments import ON_DEVICE
from ckdispatch.device import stream_address
from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.layouts import (
    CHANNELS_FIRST,
    as_given,
    channels_last,
    check_layout,
    grouped,
    memory_order,
    ungrouped_shape,
)
from ckdispatch.grouped_conv.on_device import convolution_on_device
from ckdispatch.grouped_conv.reference import expected
from ckdispatch.grouped_conv.request import ConvCall, Steps, conv_call
from ckdispatch.product.fused_ops import with_bias
from ckdispatch.result import Result
from ckdispatch.tensors.copies import copy_elements
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.memory import is_packed, packed_strides, strides_in_order
from ckdispatch.tensors.operands import Operand, check_out, like, operand, transposed
from ckdispatch.tensors.operands import as_given as as_given_before

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.comparison import Comparison
    from ckdispatch.grouped_conv.problem import GroupedConvProblem
    from ckdispatch.plan import Plan
    from ckdispatch.product.problem import CallOptions


_CHANNELS = re.compile(r"\bc(?P<c>\d+) k(?P<k>\d+)\b", re.ASCII)
_NAMES = {"forward": ("x", "w"), "backward_data": ("dy", "w"), "backward_weight": ("dy", "x")}


def run(
    dispatcher: BaseDispatcher,
    direction: str,
    first: Any,
    second: Any,
    steps: Steps,
    layout: str,
    options: CallOptions,
    *,
    size: Any = None,
    bias: Any = None,
    fused_op: str | None = None,
    out: Any = None,
    stream: Any = None,
) -> Result:
    """The direction's result from the two tensors that it reads."""
    check_layout(layout)
    device = dispatcher.device
    names = zip(_NAMES[direction], (first, second), strict=True)
    target = None if out is None else operand("out", out, device)
    given = [
        as_given_before(operand(name, one, device), target, options.validate) for name, one in names
    ]
    call = conv_call(
        dispatcher, direction, *given, size=size, steps=steps, layout=layout, options=options
    )
    _take_bias(call, bias, fused_op, target)
    if target is not None:
        _take_out(call, target)
    plan = call.plan()
    call.changes.extend(plan.changes)
    stream = stream_address(stream)
    spec = dispatcher.registry[plan.kernel].spec
    _check_bias(call, spec["dtype_y"])
    placed = {name: _staged(call, name, call.tensors[name], stream) for name in call.read}
    result_tensor = placed[call.written] = _output_tensor(call, spec[f"dtype_{call.written}"])
    tensors = [placed[name] for name in "xwy"]
    if call.bias is not None:
        tensors.append(_staged(call, "bias", call.bias, stream))
    addresses = [one.address for one in tensors]
    milliseconds = dispatcher.launch(plan, addresses, stream, options.timing)
    result = _delivered(call, result_tensor, stream)
    comparison = _validated(call, plan, placed, result, stream) if options.validate else None
    padded = _padded(plan)
    return Result(
        result,
        plan,
        device.name,
        device.simulated,
        tuple(call.changes),
        padded,
        milliseconds,
        comparison,
    )


def _take_bias(call: ConvCall, bias: Any, fused_op: str | None, out: Operand | None) -> None:
    call.fused_op = fused_op
    if bias is None:
        return
    call.fused_op = with_bias(fused_op)
    if call.fused_op is None:
        raise InvalidArgument(
            f"a bias was given with {fused_op}, and a bias is added; "
            "give an activation such as Relu, or no operation"
        )
    one, sizes = operand("bias", bias, call.dispatcher.device), call.sizes
    if one.shape != (sizes.g * sizes.k,):
        raise InvalidArgument(
            f"bias has the shape {one.shape}; it is a vector of {sizes.g * sizes.k} values, one "
            "for each channel of the output"
        )
    call.bias = as_given_before(one, out, call.options.validate).reshaped(0, (sizes.g, sizes.k))


def _check_bias(call: ConvCall, dtype: str) -> None:
    if call.bias is not None and call.bias.dtype != dtype:
        raise InvalidArgument(
            f"bias holds {call.bias.dtype}, and the output {dtype}; both must be alike, "
            "so convert the bias"
        )


def _take_out(call: ConvCall, one: Operand) -> None:
    shape = ungrouped_shape(call.sizes.shape(call.written), call.written)
    wanted = tuple(shape[axis] for axis in as_given(len(shape), call.layout))
    if one.shape != wanted:
        raise InvalidArgument(f"out has the shape {one.shape}; the result has {wanted}")
    check_out(one, call.options.dtype)
    last = channels_last(one, call.layout)
    call.tensors[call.written] = grouped(last, call.written, call.sizes.g)


def _padded(plan: Plan[GroupedConvProblem]) -> tuple[int, int] | None:
    """The channels in and out of a group that are computed in place of those given."""
    found = _CHANNELS.search(plan.padded or "")
    ran = (int(found["c"]), int(found["k"])) if found else None
    return ran if ran != (plan.problem.c, plan.problem.k) else None


def _validated(
    call: ConvCall,
    plan: Plan[GroupedConvProblem],
    placed: Mapping[str, DeviceTensor],
    result: Any,
    stream: int | None,
) -> Comparison:
    """How what a call gave differs from the reference; raises ``Mismatch`` if that is too much."""
    device, sizes, written = call.dispatcher.device, call.sizes, call.written
    device.synchronize(stream)
    spec = call.dispatcher.registry[plan.kernel].spec
    products = None
    if call.options.validate == ON_DEVICE:
        read = {name: placed[name] for name in call.read}
        a, b, products = convolution_on_device(spec["variant"], sizes, read)
    else:
        a, b = (call.tensors[name].on_host for name in call.read)
    bias = None if call.bias is None else call.bias.on_host
    reference = expected(plan.parts, spec, sizes, a, b, bias, products)
    got = grouped(channels_last(operand("out", result, device), call.layout), written, sizes.g)
    return reference.compare(got.on_host).raise_if_bad()


def _staged(call: ConvCall, name: str, one: Operand, stream: int | None) -> DeviceTensor:
    """A tensor on the device: where it is, or a packed copy."""
    if one.tensor is not None and call.usable(name, one):
        return one.tensor
    if not call.lies_right(name, one):  # more than a copy between host and device
        _say_copy(call, one)
    copy = _allocated(call, name, one.shape, one.dtype)
    if one.array is not None:
        copy.write(one.array)
    else:
        assert one.tensor is not None
        copy_elements(one.tensor, copy, stream)
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


def _output_tensor(call: ConvCall, dtype: str) -> DeviceTensor:
    """Where the result is written: the caller's own tensor, or a new one."""
    out = call.out
    if out is not None and out.tensor is not None and call.usable(call.written, out):
        return out.tensor
    return _allocated(call, call.written, call.sizes.shape(call.written), dtype)


def _delivered(call: ConvCall, target: DeviceTensor, stream: int | None) -> Any:
    """The result where the caller wants it: in ``out``, or new and in the layout of the tensors."""
    out = call.out
    if out is not None and out.tensor is not None:
        if target is not out.tensor:
            _say_result(call, out)
            copy_elements(target, out.tensor, stream)
        return out.given
    given = call.tensors[call.read[0]]
    first = call.first or (call.result_first and not _lies_both_ways(call, target.shape))
    if out is None and any(call.tensors[name].tensor is not None for name in call.read):
        return _on_device(call, target, first, stream)
    call.dispatcher.device.synchronize(stream)
    array = target.numpy()
    if out is not None:
        assert out.array is not None
        _say_result(call, out)
        out.array[...] = array
        return out.given
    plain = array.reshape(ungrouped_shape(target.shape, call.written))
    order = as_given(plain.ndim, call.layout)
    if first:
        _say_new(call)
        return like(given.given, plain.transpose(order))
    return transposed(like(given.given, plain), order)


def _on_device(
    call: ConvCall, target: DeviceTensor, first: bool, stream: int | None
) -> DeviceTensor:
    """The result as a tensor of the layout; its memory is copied if channels are to come first."""
    shape = ungrouped_shape(target.shape, call.written)
    order = as_given(len(shape), call.layout)
    asked = tuple(shape[axis] for axis in order)
    if call.first:
        return target.seen_as(asked, packed_strides(asked))
    if first:
        _say_new(call)
        memory = DeviceTensor.allocate(call.dispatcher.device, asked, target.dtype)
        strides = tuple(memory.strides[order.index(axis)] for axis in range(len(shape)))
        copy_elements(
            target,
            memory.seen_as(target.shape, _grouped_strides(call, target.shape, strides)),
            stream,
        )
        return memory
    strides = packed_strides(shape)
    return target.seen_as(asked, tuple(strides[axis] for axis in order))


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
