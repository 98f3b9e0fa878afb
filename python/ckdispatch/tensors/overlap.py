# SPDX-License-Identifier: MIT
"""Results that lie in the memory of what they are computed from, or of each other.

What is read is on the device before anything is written to the host, so that there an ``out`` may be an input. On the device
the runtime refuses what a kernel would read and write at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.operands import Operand
from ckdispatch.tensors.packing import bytes_of

Kind = TypeVar("Kind", bound=Operand)

_WORK = 10_000
"""Steps after which arrays that may overlap count as such."""


def overlap(one: Operand, other: Operand) -> bool:
    """Whether two tensors have memory in common."""
    if one.array is not None and other.array is not None:
        import numpy as np

        try:
            return bool(np.shares_memory(one.array, other.array, max_work=_WORK))
        except np.exceptions.TooHardError:
            return True
    if one.tensor is None or other.tensor is None:
        return False
    first, second = _bytes(one), _bytes(other)
    return first.start < second.stop and second.start < first.stop


def as_given(one: Kind, out: Operand | None, validate: bool) -> Kind:
    """An input, or a copy of it if the result is written over it before the two are compared."""
    if not validate or out is None or not overlap(one, out):
        return one
    if one.array is None:
        raise InvalidArgument(
            f"out lies in the memory of {one.name}, which validate=True reads once more after the result is there; give another out"
        )
    return replace(one, array=one.array.copy())


def check_apart(outs: Sequence[Operand]) -> None:
    """Refuses results that would be written over each other."""
    for i, one in enumerate(outs):
        for other in outs[:i]:
            if overlap(one, other):
                raise InvalidArgument(f"{other.name} and {one.name} have memory in common; each result needs its own")


def _bytes(one: Operand) -> range:
    tensor = one.tensor
    assert tensor is not None
    size = tensor.device.numpy_dtype(tensor.dtype).itemsize
    return range(tensor.address, tensor.address + bytes_of(tensor.span, tensor.dtype, size))
