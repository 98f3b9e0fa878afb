# SPDX-License-Identifier: MIT
"""``Dispatcher.gemm``: from whatever arrays to a launch, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ckdispatch.device import stream_address
from ckdispatch.gemm import epilogue
from ckdispatch.gemm.ds import d_tensors
from ckdispatch.gemm.matrices import Matrix, matrix
from ckdispatch.gemm.request import GemmCall, check_operands
from ckdispatch.gemm.staging import delivered, output_tensor, staged, staged_d
from ckdispatch.gemm.validation import validated
from ckdispatch.gemm.weights import PreshuffledWeights
from ckdispatch.result import Result
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.overlap import as_given
from ckdispatch.wishes import Wishes

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan


def run(
    dispatcher: Dispatcher,
    a: Any,
    b: Any,
    *,
    out: Any,
    ds: Sequence[Any],
    bias: Any,
    fused_op: str | None,
    stream: Any,
    wishes: Wishes,
) -> Result:
    device = dispatcher.device
    weights = b if isinstance(b, PreshuffledWeights) else None
    target = matrix("out", out, device) if out is not None else None
    call = GemmCall(
        dispatcher,
        as_given(matrix("A", a, device), target, wishes.validate),
        _weights_operand(weights, device) if weights else as_given(matrix("B", b, device), target, wishes.validate),
        target,
        wishes,
        weights=weights,
    )
    check_operands(call)
    given_ds, call.fused_op = epilogue.resolve(ds, bias, fused_op)
    found = d_tensors(given_ds, device, (call.batch, *call.sizes[:2]))
    call.ds = [replace(one, operand=as_given(one.operand, target, wishes.validate)) for one in found]
    plan, copied = call.plan()
    padded = _say_changes(call, plan, copied)
    stream = stream_address(stream)
    left, right, *others = _inputs(call, plan, copied, stream)
    written = output_tensor(call, plan, copied)
    addresses = [one.address for one in (left, right, written, *others)]
    milliseconds = dispatcher.launch(plan, addresses, stream, wishes.timing)
    result = delivered(call, written, stream)
    comparison = validated(call, plan, result, stream) if wishes.validate else None
    changes = tuple(call.changes)
    return Result(
        result, plan, device.name, device.simulated, changes, padded, milliseconds, comparison
    )


def _inputs(call: GemmCall, plan: Plan, copied: bool, stream: int | None) -> list[DeviceTensor]:
    """A, B and the D tensors on the device."""
    p = plan.problem
    return [
        staged(call, call.a, p.layout[0], (p.m, p.k), copied, stream),
        staged(call, call.b, p.layout[1], (p.k, p.n), copied and not call.weights, stream),
        *(staged_d(call, one, plan, copied, stream) for one in call.ds),
    ]


def _say_changes(call: GemmCall, plan: Plan, copied: bool) -> tuple[int, int, int] | None:
    """Returns the sizes that are computed in place of those that were given, if there are any."""
    problem = plan.problem
    ran = (problem.m, problem.n, problem.k)
    if ran != call.sizes:
        before, after = ("x".join(map(str, extents)) for extents in (call.sizes, ran))
        call.changes.append(
            f"M x N x K = {before} was padded to {after}, because no kernel takes the shape as it "
            "is"
        )
        return ran
    if copied:
        call.changes.append(
            "operands were copied, because no kernel takes their addresses or strides as they are"
        )
    return None


def _weights_operand(weights: PreshuffledWeights, device: Any) -> Matrix:
    """B as it is seen from outside, with the memory of its reordered elements."""
    flat = matrix("B", weights.data, device, vectors=True)
    *batch, k, n = weights.shape
    strides = (*(k * n for _ in batch), 1, k)
    return Matrix("B", weights.shape, strides, flat.dtype, flat.array, flat.tensor, weights)
