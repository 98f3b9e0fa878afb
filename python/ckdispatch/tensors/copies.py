# SPDX-License-Identifier: MIT
"""Copies between tensors of any strides on the device."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from ckdispatch.tensors.memory import elements_per_byte

if TYPE_CHECKING:
    from ckdispatch.tensors.device_tensor import DeviceTensor


class _Axis(NamedTuple):
    extent: int
    source: int
    to: int


def copy_elements(source: DeviceTensor, to: DeviceTensor, stream: int | None) -> None:
    """Copies all of ``source`` into the leading corner of ``to``, on the device."""
    device = source.device
    if elements_per_byte(source.dtype) > 1:
        # A byte that two elements share cannot be copied for one of them.
        device.synchronize(stream)
        to.corner(source.shape).write(source.numpy())
        return
    size = device.numpy_dtype(source.dtype).itemsize
    axes = _merged(
        _Axis(*axis)
        for axis in zip(source.shape, source.strides, to.strides, strict=True)
        if axis[0] != 1
    )
    width = 1
    if axes and axes[-1][1:] == (1, 1):
        width = axes.pop().extent
    rows = _rows(axes, width)
    for index in itertools.product(*(range(axis.extent) for axis in axes)):
        offsets = [
            sum(i * axis[place] for i, axis in zip(index, axes, strict=True)) * size
            for place in (1, 2)
        ]
        device.copy_rows(
            to.address + offsets[1],
            rows.to * size,
            source.address + offsets[0],
            rows.source * size,
            width * size,
            rows.extent,
            stream,
        )


def _merged(axes: Any) -> list[_Axis]:
    """The innermost axis last; two that are one run of memory on both sides are one."""
    found: list[_Axis] = []
    for axis in sorted(axes, key=lambda axis: (axis.to, axis.source), reverse=True):
        outer = found[-1] if found else None
        if outer and outer[1:] == (axis.extent * axis.source, axis.extent * axis.to):
            found[-1] = _Axis(outer.extent * axis.extent, axis.source, axis.to)
        else:
            found.append(axis)
    return found


def _rows(axes: list[_Axis], width: int) -> _Axis:
    """The longest axis that one copy can take beside ``width``, which is taken out."""
    fit = [axis for axis in axes if min(axis.source, axis.to) >= width]
    if not fit:
        return _Axis(1, width, width)
    longest = max(fit)
    axes.remove(longest)
    return longest
