# SPDX-License-Identifier: MIT
"""Sums of products that plain kernels compute on the device, in double precision.

They take the place of NumPy's where that would take minutes; what follows from the sums, such as
their errors and what an epilogue makes of them, is NumPy's business still.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.native import places
from ckdispatch.native.library import native
from ckdispatch.reference.formats import FloatFormat, Wide, is_float, stand_in
from ckdispatch.reference.multiplication import Products
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.memory import elements_per_byte

if TYPE_CHECKING:
    from ckdispatch.device import Device

_LANES = 256
_MOST_LANES = 2**31
_NONE, _IEEE, _ALL_ONES, _NEGATIVE_ZERO = range(4)

Index = ctypes.c_int64


class _Format(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int32)
        for name in ("bits", "is_float", "exponent_bits", "mantissa_bits", "bias", "specials")
    ]

    @classmethod
    def of(cls, dtype: np.dtype[Any], bits: int) -> _Format:
        if not is_float(dtype):
            return cls(bits)
        form = FloatFormat.of(dtype)
        specials = _NONE
        if form.has_infinity:
            specials = _IEEE
        elif form.has_nan:
            (pattern,) = np.array([np.nan]).astype(dtype).view(np.uint8)
            specials = _NEGATIVE_ZERO if pattern == 0x80 else _ALL_ONES
        mantissa = form.precision - 1
        return cls(bits, 1, bits - form.precision, mantissa, 1 - form.min_exponent, specials)


class Elements(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("format", _Format)]

    @classmethod
    def of(cls, tensor: DeviceTensor) -> Elements:
        dtype = tensor.device.numpy_dtype(tensor.dtype)
        bits = 8 * dtype.itemsize // elements_per_byte(tensor.dtype)
        return cls(tensor.address, _Format.of(dtype, bits))


class SumArguments(ctypes.Structure):
    """How the arguments of each kernel begin: where its results are stored."""

    _fields_: ClassVar[list[tuple[str, Any]]] = [
        ("sums", ctypes.c_void_p),
        ("magnitudes", ctypes.c_void_p),
    ]


class _ProductArguments(SumArguments):
    _fields_: ClassVar[list[tuple[str, Any]]] = [
        ("a", Elements),
        ("b", Elements),
        *((name, Index) for name in ("batch", "m", "n", "begin", "end")),
        *((name, Index) for name in ("a_batch", "a_m", "a_k", "b_batch", "b_k", "b_n")),
    ]


class DeviceSums:
    """The plain kernels, on a device."""

    def __init__(self, device: Device) -> None:
        device.check_process()
        self.device = device
        self._code = places.reference_code(device.gpu).read_bytes()
        self._handle = native().make("ckd_device_load", device.handle, self._code)
        weakref.finalize(self, native().functions.ckd_code_close, self._handle)

    def of_product(self, a: DeviceTensor, b: DeviceTensor) -> Products:
        """Of A[batch, m, k] times B[batch, k, n], either of which may have no batch."""
        batch = max((1, *a.shape[:-2], *b.shape[:-2]))
        shared = len(a.shape) == len(b.shape) == 2
        (m, k), n = a.shape[-2:], b.shape[-1]

        def products(part: slice) -> tuple[Wide, Wide]:
            arguments = _ProductArguments(
                None, None, Elements.of(a), Elements.of(b), batch, m, n, part.start,
                min(part.stop, k), *_strides(a), *_strides(b),
            )  # fmt: skip  # as the structure has them
            return self.compute(
                "ck_reference_product", arguments, (m, n) if shared else (batch, m, n)
            )

        return products

    def multiply(self, left: Wide, right: Wide) -> tuple[Wide, Wide]:
        """Arrays of the host, as ``multiplied_by`` asks."""
        tensors = []
        for array in (left, right):
            tensors.append(DeviceTensor.allocate(self.device, array.shape, "fp64"))
            tensors[-1].write(array.astype(np.float64))
        return self.of_product(*tensors)(slice(0, left.shape[-1]))

    def compute(
        self, kernel: str, arguments: SumArguments, shape: tuple[int, ...]
    ) -> tuple[Wide, Wide]:
        """What a kernel sums up for each element of a result of that shape, and the magnitudes."""
        lanes = math.prod(shape)
        if lanes >= _MOST_LANES:
            raise InvalidArgument(
                f"a result of {lanes} elements was to be checked on the device, where at most "
                f"{_MOST_LANES - 1} are"
            )
        sums, magnitudes = (DeviceTensor.allocate(self.device, shape, "fp64") for _ in range(2))
        arguments.sums, arguments.magnitudes = sums.address, magnitudes.address
        if lanes:
            native().call(
                "ckd_code_launch",
                self._handle,
                kernel.encode(),
                -(-lanes // _LANES),
                _LANES,
                ctypes.addressof(arguments),
                ctypes.sizeof(arguments),
                None,
            )
        return sums.numpy(), magnitudes.numpy()


def product_on_device(
    a: DeviceTensor, b: DeviceTensor
) -> tuple[NDArray[Any], NDArray[Any], Products]:
    """What stands for A and B in a reference, and their products."""
    left, right = (stand_in(one.shape, one.device.numpy_dtype(one.dtype)) for one in (a, b))
    return left, right, DeviceSums(a.device).of_product(a, b)


def _strides(tensor: DeviceTensor) -> tuple[int, ...]:
    batch = tensor.strides[0] if len(tensor.shape) == 3 and tensor.shape[0] > 1 else 0
    return (batch, *tensor.strides[-2:])
