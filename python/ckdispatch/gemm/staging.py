# SPDX-License-Identifier: MIT
"""Operands on the device, where they are or as copies, and the output where the caller wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ckdispatch.tensors.copies import copy_elements, filled_up
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.results import like

if TYPE_CHECKING:
    from ckdispatch.gemm.ds import DTensor
    from ckdispatch.gemm.matrices import Matrix
    from ckdispatch.gemm.request import GemmCall
    from ckdispatch.plan import Plan


def staged(
    call: GemmCall,
    one: Matrix,
    letter: str,
    shape: tuple[int, int],
    copied: bool,
    stream: int | None,
) -> DeviceTensor:
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


def staged_d(
    call: GemmCall, d: DTensor, plan: Plan, copied: bool, stream: int | None
) -> DeviceTensor:
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
    copy = DeviceTensor.allocate(
        call.dispatcher.device, full, one.dtype, column_major=letter == "c"
    )
    copy.write(filled_up(whole, full))
    call.changes.append(
        f"{one.name} was written out as a matrix, which is how the kernel reads its D tensors"
    )
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


def output_tensor(call: GemmCall, plan: Plan, copied: bool) -> DeviceTensor:
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

