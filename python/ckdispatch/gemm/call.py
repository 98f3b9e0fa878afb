# SPDX-License-Identifier: MIT
"""``Dispatcher.gemm``: from whatever arrays to a launch, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ckdispatch.arguments import ON_DEVICE
from ckdispatch.device import stream_address
from ckdispatch.gemm.operands import DTensor, Matrix, d_tensors, epilogue, matrix
from ckdispatch.gemm.problem import computed_sizes
from ckdispatch.gemm.reference import expected
from ckdispatch.gemm.request import GemmCall, check_operands
from ckdispatch.gemm.weights import PreshuffledWeights
from ckdispatch.product.problem import CallOptions
from ckdispatch.reference.multiplication import Products
from ckdispatch.reference.on_device import product_on_device
from ckdispatch.result import Result
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.operands import as_given, like, operand

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.comparison import Comparison
    from ckdispatch.gemm.problem import GemmProblem
    from ckdispatch.plan import Plan


def run(
    dispatcher: BaseDispatcher,
    a: Any,
    b: Any,
    *,
    out: Any,
    ds: Sequence[Any],
    bias: Any,
    fused_op: str | None,
    stream: Any,
    options: CallOptions,
) -> Result:
    device = dispatcher.device
    weights = b if isinstance(b, PreshuffledWeights) else None
    target = matrix("out", out, device) if out is not None else None
    call = GemmCall(
        dispatcher,
        as_given(matrix("A", a, device), target, options.validate),
        _weights_operand(weights, device)
        if weights
        else as_given(matrix("B", b, device), target, options.validate),
        target,
        options,
        weights=weights,
    )
    check_operands(call)
    given_ds, call.fused_op = epilogue(ds, bias, fused_op)
    found = d_tensors(given_ds, device, (call.batch, *call.sizes[:2]))
    call.ds = [
        replace(one, operand=as_given(one.operand, target, options.validate)) for one in found
    ]
    plan = call.plan()
    call.changes.extend(plan.changes)
    stream = stream_address(stream)
    problem = plan.problem
    inputs = [staged(call, call.a, problem.layout[0]), staged(call, call.b, problem.layout[1])]
    others = [_staged_d(call, one, problem.d_layout) for one in call.ds]
    written = output_tensor(call, plan)
    addresses = [one.address for one in (*inputs, written, *others)]
    milliseconds = dispatcher.launch(plan, addresses, stream, options.timing)
    result = delivered(call, written, stream)
    comparison = _validated(call, plan, inputs, result, stream) if options.validate else None
    ran = computed_sizes(plan.padded) if plan.padded else call.sizes
    padded = ran if ran != call.sizes else None
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


def _validated(
    call: GemmCall,
    plan: Plan[GemmProblem],
    inputs: Sequence[DeviceTensor],
    result: Any,
    stream: int | None,
) -> Comparison:
    """How what a call gave differs from the reference; raises ``Mismatch`` if that is too much."""
    device = call.dispatcher.device
    device.synchronize(stream)
    spec = call.dispatcher.registry[plan.kernel].spec
    a, b, products = compared_operands(call, inputs)
    reference = expected(
        plan.parts,
        spec,
        a,
        b,
        k=computed_sizes(plan.padded)[2] if plan.padded else None,
        ds=[one.operand.on_host for one in call.ds],
        products=products,
    )
    comparison = reference.compare(operand("out", result, device).on_host)
    comparison.raise_if_bad()
    return comparison


def compared_operands(
    call: GemmCall, inputs: Sequence[DeviceTensor]
) -> tuple[NDArray[Any], NDArray[Any], Products | None]:
    """A and B for the reference, and their products if the device computes those."""
    if call.options.validate != ON_DEVICE:
        b = call.weights.plain() if call.weights else call.b.on_host
        return call.a.on_host, b, None
    left, right = inputs
    if call.weights:
        plain = call.weights.plain()
        right = DeviceTensor.allocate(call.dispatcher.device, plain.shape, call.b.dtype)
        right.write(plain)
    return product_on_device(left, right)


def _weights_operand(weights: PreshuffledWeights, device: Any) -> Matrix:
    """B as it is seen from outside, with the memory of its reordered elements."""
    flat = matrix("B", weights.data, device, vectors=True)
    *batch, k, n = weights.shape
    strides = (*(k * n for _ in batch), 1, k)
    return Matrix("B", weights.shape, strides, flat.dtype, flat.array, flat.tensor, weights)


def staged(call: GemmCall, one: Matrix, letter: str) -> DeviceTensor:
    """The operand on the device: where it is, or a copy in that layout of what is on the host."""
    if one.tensor is not None:
        return one.tensor
    assert one.array is not None
    shuffled = call.weights is not None and one is call.b
    if not shuffled:
        _say_copy(call, one, letter)
    copy = DeviceTensor.allocate(
        call.dispatcher.device,
        one.array.shape,
        one.dtype,
        column_major=letter == "c" and not shuffled,
    )
    copy.write(one.array)
    return copy


def _staged_d(call: GemmCall, d: DTensor, letter: str) -> DeviceTensor:
    """A D tensor on the device: a line that is repeated, or a whole matrix."""
    import numpy as np

    one = d.operand
    if one.tensor is not None or d.repeats is None or d.repeated(letter):
        return staged(call, one, letter)
    # A line of the other kind, or one for each matrix: it is written out.
    call.changes.append(
        f"{one.name} was written out as a matrix, which is how the kernel reads its D tensors"
    )
    assert one.array is not None
    whole = np.broadcast_to(one.array, (*one.shape[:-2], *call.sizes[:2]))
    copy = DeviceTensor.allocate(
        call.dispatcher.device, whole.shape, one.dtype, column_major=letter == "c"
    )
    copy.write(whole)
    return copy


def _say_copy(call: GemmCall, one: Matrix, letter: str) -> None:
    if not one.letters:
        call.changes.append(
            f"{one.name} was copied, because neither its rows nor its columns are contiguous"
        )
    elif letter not in one.letters and 1 not in one.shape[-2:]:
        lines = "rows" if letter == "r" else "columns"
        call.changes.append(
            f"{one.name} was copied into contiguous {lines}, which the kernel reads"
        )


def output_tensor(call: GemmCall, plan: Plan[GemmProblem]) -> DeviceTensor:
    """Where the result is written: the caller's own tensor, or a new one."""
    if call.c is not None and call.c.tensor is not None:
        return call.c.tensor
    shape = (*((call.batch,) if call.batched else ()), *call.sizes[:2])
    dtype = call.dispatcher.registry[plan.kernel].spec["dtype_c"]
    return DeviceTensor.allocate(
        call.dispatcher.device, shape, dtype, column_major=plan.problem.layout[2] == "c"
    )


def delivered(call: GemmCall, target: DeviceTensor, stream: int | None) -> Any:
    """The output where the caller wants it: in ``out``, or new and like the operands."""
    if call.c is not None and call.c.tensor is not None:
        return call.c.given
    plain_b = call.weights is None and call.b.tensor is not None
    if call.c is None and (call.a.tensor is not None or plain_b):
        return target
    call.dispatcher.device.synchronize(stream)
    array = target.numpy()
    if call.c is not None:
        assert call.c.array is not None
        call.c.array[...] = array
        return call.c.given
    return like(call.a.given, array)
