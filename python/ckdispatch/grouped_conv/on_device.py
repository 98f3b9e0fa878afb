# SPDX-License-Identifier: MIT
"""Sums of a convolution that a plain kernel computes on the device."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from ckdispatch.reference.formats import Wide, stand_in
from ckdispatch.reference.multiplication import Products
from ckdispatch.reference.on_device import DeviceSums, Elements, Index, SumArguments
from ckdispatch.tensors.device_tensor import DeviceTensor

if TYPE_CHECKING:
    from ckdispatch.grouped_conv.sizes import ConvSizes

_AXES = 3
_DIRECTIONS = ("forward", "backward_data", "backward_weight")


class _Axis(ctypes.Structure):
    _fields_ = [
        (name, Index) for name in ("input", "filter", "output", "stride", "dilation", "left_pad")
    ]


class _Arguments(SumArguments):
    _fields_: ClassVar[list[tuple[str, Any]]] = [
        *((name, Elements) for name in "xwy"),
        ("axes", _Axis * _AXES),
        *((name, Index) for name in ("n", "g", "c", "k", "begin", "end")),
        *((f"{name}_strides", Index * (_AXES + 3)) for name in "xwy"),
        ("direction", Index),
        ("outputs", Index),
    ]


def convolution_on_device(
    direction: str, sizes: ConvSizes, tensors: Mapping[str, DeviceTensor]
) -> tuple[NDArray[Any], NDArray[Any], Products]:
    """What stands for the two tensors that a direction reads, and their products."""
    first, second = (
        stand_in(one.shape, one.device.numpy_dtype(one.dtype)) for one in tensors.values()
    )
    device = next(iter(tensors.values())).device
    return first, second, _products(DeviceSums(device), direction, sizes, tensors)


def _products(
    sums: DeviceSums, direction: str, sizes: ConvSizes, tensors: Mapping[str, DeviceTensor]
) -> Products:
    """Of a direction, whose two tensors have the shapes of ``sizes`` and any strides."""
    written = next(name for name in "xwy" if name not in tensors)
    shape = sizes.shape(written)
    absent = [_Axis(1, 1, 1, 1, 1, 0)] * (_AXES - len(sizes.axes))
    axes = [
        _Axis(one.input, one.filter, one.output, one.stride, one.dilation, one.left_pad)
        for one in sizes.axes
    ]
    common: dict[str, Any] = {
        "axes": (_Axis * _AXES)(*absent, *axes),
        "n": sizes.n, "g": sizes.g, "c": sizes.c, "k": sizes.k,
        "direction": _DIRECTIONS.index(direction),
        "outputs": math.prod(shape),
    }  # fmt: skip  # four of a kind
    for name, tensor in tensors.items():
        common[name] = Elements.of(tensor)
        common[f"{name}_strides"] = _of_three_axes(tensor.strides, 2 if name == "w" else 1)

    def products(part: slice) -> tuple[Wide, Wide]:
        arguments = _Arguments(begin=part.start, end=part.stop, **common)
        return sums.compute("ck_reference_convolution", arguments, shape)

    return products


def _of_three_axes(strides: Sequence[int], before: int) -> Any:
    """Strides with spatial axes of one position put ``before`` those that there are."""
    absent = [0] * (_AXES + 3 - len(strides))
    return (Index * (_AXES + 3))(*strides[:before], *absent, *strides[before:])
