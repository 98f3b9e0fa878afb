# SPDX-License-Identifier: MIT
"""``Dispatcher.gemm``: from whatever arrays to a launch, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ckdispatch.device import stream_address
from ckdispatch.gemm.operands import DTensor, Matrix, d_tensors, epilogue, matrix
from ckdispatch.gemm.reference import expected
from ckdispatch.gemm.request import GemmCall, check_operands
from ckdispatch.gemm.weights import PreshuffledWeights
from ckdispatch.product.problem import CallOptions
from ckdispatch.result import Result
from ckdispatch.tensors.copies import copy_elements, filled_up
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.operands import as_given, like, operand

if TYPE_CHECKING:
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
        _weights_operand(weights, device) if weights else as_given(matrix("B", b, device), target, options.validate),
        target,
        options,
        weights=weights,
    )
    check_operands(call)
    given_ds, call.fused_op = epilogue(ds, bias, fused_op)
    found = d_tensors(given_ds, device, (call.batch, *call.sizes[:2]))
    call.ds = [replace(one, operand=as_given(one.operand, target, options.validate)) for one in found]
    plan, copied = call.plan()
    padded = _say_changes(call, plan, copied)
    stream = stream_address(stream)
    left, right, *others = _inputs(call, plan, copied, stream)
    written = output_tensor(call, plan, copied)
    addresses = [one.address for one in (left, right, written, *others)]
    milliseconds = dispatcher.launch(plan, addresses, stream, options.timing)
    result = delivered(call, written, stream)
    comparison = _validated(call, plan, result, stream) if options.validate else None
    changes = tuple(call.changes)
    return Result(result, plan, device.name, device.simulated, changes, padded, milliseconds, comparison)


def _validated(call: GemmCall, plan: Plan[GemmProblem], result: Any, stream: int | None) -> Comparison:
    """How what a call gave differs from the reference; raises ``Mismatch`` if that is too much."""
    device = call.dispatcher.device
    device.synchronize(stream)
    spec = call.dispatcher.registry[plan.kernel].spec
    reference = expected(
        plan.parts,
        spec,
        call.a.on_host,
        call.weights.plain() if call.weights else call.b.on_host,
        k=plan.problem.k,
        ds=[one.operand.on_host for one in call.ds],
    )
    comparison = reference.compare(operand("out", result, device).on_host)
    comparison.raise_if_bad()
    return comparison


def _inputs(call: GemmCall, plan: Plan[GemmProblem], copied: bool, stream: int | None) -> list[DeviceTensor]:
    """A, B and the D tensors on the device."""
    p = plan.problem
    return [
        staged(call, call.a, p.layout[0], (p.m, p.k), copied, stream),
        staged(call, call.b, p.layout[1], (p.k, p.n), copied and not call.weights, stream),
        *(staged_d(call, one, plan, copied, stream) for one in call.ds),
    ]


def _say_changes(call: GemmCall, plan: Plan[GemmProblem], copied: bool) -> tuple[int, int, int] | None:
    """Returns the sizes that are computed in place of those that were given, if there are any."""
    problem = plan.problem
    ran = (problem.m, problem.n, problem.k)
    if ran != call.sizes:
        before, after = ("x".join(map(str, extents)) for extents in (call.sizes, ran))
        call.changes.append(f"M x N x K = {before} was padded to {after}, because no kernel takes the shape as it is")
        return ran
    if copied:
        call.changes.append("operands were copied, because no kernel takes their addresses or strides as they are")
    return None


def _weights_operand(weights: PreshuffledWeights, device: Any) -> Matrix:
    """B as it is seen from outside, with the memory of its reordered elements."""
    flat = matrix("B", weights.data, device, vectors=True)
    *batch, k, n = weights.shape
    strides = (*(k * n for _ in batch), 1, k)
    return Matrix("B", weights.shape, strides, flat.dtype, flat.array, flat.tensor, weights)


def staged(call: GemmCall, one: Matrix, letter: str, shape: tuple[int, int], copied: bool, stream: int | None) -> DeviceTensor:
    """The operand on the device: where it is, or a copy in that layout, filled up with zeros."""
    if one.tensor is not None and not copied:
        return one.tensor
    device = call.dispatcher.device
    if call.weights is not None and one is call.b:
        assert one.array is not None
        flat = DeviceTensor.allocate(device, one.array.shape, one.dtype)
        flat.write(one.array)
        return flat
    full = (*one.shape[:-2], *shape)
    copy = DeviceTensor.allocate(device, full, one.dtype, column_major=letter == "c")
    if one.array is not None:
        _say_copy(call, one, letter)
        copy.write(filled_up(one.array, full))
        return copy
    assert one.tensor is not None
    copy_elements(one.tensor, copy, stream, zero=True)
    return copy


def staged_d(call: GemmCall, d: DTensor, plan: Plan[GemmProblem], copied: bool, stream: int | None) -> DeviceTensor:
    """A D tensor on the device: a line that is repeated, or a whole matrix."""
    import numpy as np

    one, problem = d.operand, plan.problem
    if one.tensor is not None and not copied:
        return one.tensor
    letter = problem.d_layout
    rows, columns = problem.m, problem.n
    if d.repeated(letter) and len(one.shape) == 2:
        shape = (1, columns) if letter == "r" else (rows, 1)
        return staged(call, one, letter, shape, copied, stream)
    if d.repeats is None:
        return staged(call, one, letter, (rows, columns), copied, stream)
    # A line of the other kind, or one for each matrix: it is written out.
    if one.array is None:
        call.dispatcher.device.synchronize(stream)
    lines = one.array if one.array is not None else one.tensor.numpy()  # type: ignore[union-attr]
    whole = np.broadcast_to(lines, (*one.shape[:-2], *call.sizes[:2]))
    full = (*one.shape[:-2], rows, columns)
    copy = DeviceTensor.allocate(call.dispatcher.device, full, one.dtype, column_major=letter == "c")
    copy.write(filled_up(whole, full))
    call.changes.append(f"{one.name} was written out as a matrix, which is how the kernel reads its D tensors")
    return copy


def _say_copy(call: GemmCall, one: Matrix, letter: str) -> None:
    if not one.letters:
        call.changes.append(f"{one.name} was copied, because neither its rows nor its columns are contiguous")
    elif letter not in one.letters and 1 not in one.shape[-2:]:
        lines = "rows" if letter == "r" else "columns"
        call.changes.append(f"{one.name} was copied into contiguous {lines}, which the kernel reads")


def output_tensor(call: GemmCall, plan: Plan[GemmProblem], copied: bool) -> DeviceTensor:
    """Where the kernel writes: the caller's own tensor, or a new one."""
    problem = plan.problem
    if call.c is not None and call.c.tensor is not None and not copied:
        return call.c.tensor
    shape: tuple[int, ...] = (problem.m, problem.n)
    if call.batched:
        shape = (call.batch, *shape)
    dtype = call.dispatcher.registry[plan.kernel].spec["dtype_c"]
    by_columns = problem.layout[2] == "c"
    return DeviceTensor.allocate(call.dispatcher.device, shape, dtype, column_major=by_columns)


def delivered(call: GemmCall, target: DeviceTensor, stream: int | None) -> Any:
    """The output where the caller wants it: in ``out``, or new and like the operands."""
    m, n = call.a.rows, call.b.columns
    device = call.dispatcher.device
    if call.c is not None and call.c.tensor is not None:
        if target is not call.c.tensor:
            copy_elements(target.corner(call.c.tensor.shape), call.c.tensor, stream)
        return call.c.given
    plain_b = call.weights is None and call.b.tensor is not None
    if call.c is None and (call.a.tensor is not None or plain_b):
        return target.corner((*target.shape[:-2], m, n))
    device.synchronize(stream)
    array = target.numpy()[..., :m, :n]
    if call.c is not None:
        assert call.c.array is not None
        call.c.array[...] = array
        return call.c.given
    return like(call.a.given, array)
