# SPDX-License-Identifier: MIT
"""``Dispatcher.conv`` and its gradients: from whatever arrays to a launch, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ckdispatch.device import stream_address
from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.layouts import (
    as_given,
    channels_last,
    check_layout,
    grouped,
    ungrouped_shape,
)
from ckdispatch.grouped_conv.request import ConvCall, conv_call
from ckdispatch.grouped_conv.staging import delivered, output_tensor, staged
from ckdispatch.grouped_conv.validation import expected
from ckdispatch.problems.fused_ops import with_bias
from ckdispatch.result import Result
from ckdispatch.tensors.operands import Operand, check_out, operand
from ckdispatch.tensors.overlap import as_given as as_given_before

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.grouped_conv.arguments import Steps
    from ckdispatch.plan import Plan
    from ckdispatch.wishes import Wishes

_NAMES = {
    "forward": ("x", "w"),
    "backward_data": ("dy", "w"),
    "backward_weight": ("dy", "x"),
}


def run(
    dispatcher: Dispatcher,
    direction: str,
    first: Any,
    second: Any,
    *,
    steps: Steps,
    layout: str,
    wishes: Wishes,
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
    given = [as_given_before(operand(name, one, device), target, wishes.validate) for name, one in names]
    call = conv_call(
        dispatcher, direction, *given, size=size, steps=steps, layout=layout, wishes=wishes
    )
    _take_bias(call, bias, fused_op, target)
    if target is not None:
        _take_out(call, target)
    plan, copied = call.plan()
    padded = _say_padding(call, plan, copied)
    stream = stream_address(stream)
    spec = dispatcher.registry[plan.kernel].spec
    _check_bias(call, spec["dtype_y"])
    shapes = plan.problem.sizes
    placed = {
        name: staged(call, name, call.tensors[name], shapes.shape(name), copied, stream)
        for name in call.read
    }
    written, dtype = call.written, spec[f"dtype_{call.written}"]
    result_tensor = placed[written] = output_tensor(call, shapes.shape(written), dtype, copied)
    tensors = [placed[name] for name in "xwy"]
    if call.bias is not None:
        tensors.append(staged(call, "bias", call.bias, (shapes.g, shapes.k), copied, stream))
    addresses = [one.address for one in tensors]
    milliseconds = dispatcher.launch(plan, addresses, stream, wishes.timing)
    result = delivered(call, result_tensor, stream)
    comparison = _validated(call, plan, result, stream) if wishes.validate else None
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
            f"a bias was given with {fused_op}, and a bias is added; give an activation such as "
            "Relu, or no operation"
        )
    one, sizes = operand("bias", bias, call.dispatcher.device), call.sizes
    if one.shape != (sizes.g * sizes.k,):
        raise InvalidArgument(
            f"bias has the shape {one.shape}; it is a vector of {sizes.g * sizes.k} values, one "
            "for each channel of the output"
        )
    call.bias = as_given_before(one, out, call.wishes.validate).reshaped(0, (sizes.g, sizes.k))


def _check_bias(call: ConvCall, dtype: str) -> None:
    if call.bias is not None and call.bias.dtype != dtype:
        raise InvalidArgument(
            f"bias holds {call.bias.dtype}, and the output {dtype}; both must be alike, so convert "
            "the bias"
        )


def _take_out(call: ConvCall, one: Operand) -> None:
    shape = ungrouped_shape(call.sizes.shape(call.written), call.written)
    wanted = tuple(shape[axis] for axis in as_given(len(shape), call.layout))
    if one.shape != wanted:
        raise InvalidArgument(f"out has the shape {one.shape}; the result has {wanted}")
    check_out(one, call.wishes.dtype)
    last = channels_last(one, call.layout)
    call.tensors[call.written] = grouped(last, call.written, call.sizes.g)


def _say_padding(call: ConvCall, plan: Plan, copied: bool) -> tuple[int, int] | None:
    """Returns the channels in and out of a group that are computed in place of those given."""
    given, ran = ((one.c, one.k) for one in (call.sizes, plan.problem))
    if ran != given:
        call.changes.append(
            f"c = {given[0]} and k = {given[1]} of each group were padded to {ran[0]} and "
            f"{ran[1]}, because no kernel takes these channels as they are"
        )
        return ran
    if copied:
        call.changes.append(
            "tensors were copied, because no kernel takes their addresses as they are"
        )
    return None


def _validated(call: ConvCall, plan: Plan, result: Any, stream: int | None) -> Comparison:
    """How what a call gave differs from the reference; raises ``Mismatch`` if that is too much."""
    device, sizes, written = call.dispatcher.device, call.sizes, call.written
    device.synchronize(stream)
    spec = call.dispatcher.registry[plan.kernel].spec
    a, b = (call.tensors[name].on_host for name in call.read)
    bias = None if call.bias is None else call.bias.on_host
    reference = expected(plan.parts, spec, sizes, a, b, bias)
    got = grouped(channels_last(operand("out", result, device), call.layout), written, sizes.g)
    return reference.compare(got.on_host).raise_if_bad()
