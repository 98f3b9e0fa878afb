# SPDX-License-Identifier: MIT
"""Reading tensors of other libraries by the DLPack protocol, without copying them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import numpy_dtype
from ckdispatch.tensors.memory import packed_strides
from ckdispatch.wording import kind_of

_CPU, _CUDA_HOST, _ROCM, _ROCM_HOST = 1, 3, 10, 11
_HOSTS = (_CPU, _CUDA_HOST, _ROCM_HOST)

# Kind of number and bits, to the project's dtype and the encoding of 8-bit floats.
_DTYPES: dict[tuple[int, int], tuple[str, str | None]] = {
    (0, 8): ("int8", None),
    (0, 32): ("int32", None),
    (2, 16): ("fp16", None),
    (2, 32): ("fp32", None),
    (2, 64): ("fp64", None),
    (4, 16): ("bf16", None),
    (10, 8): ("fp8", "ocp"),
    (11, 8): ("fp8", "fnuz"),
    (12, 8): ("bf8", "ocp"),
    (13, 8): ("bf8", "fnuz"),
}


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Dtype(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Dtype),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


@dataclass(frozen=True)
class Borrowed:
    """A tensor that somebody else owns; ``owner`` keeps it alive. Strides are in elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    encoding: str | None
    on_host: bool
    device_number: int
    owner: Any


def borrow(tensor: Any) -> Borrowed:
    """The memory of an object with ``__dlpack__``: on the host, or on an AMD GPU."""
    try:
        capsule = tensor.__dlpack__()
    except (BufferError, RuntimeError, TypeError) as error:
        raise InvalidArgument(
            f"{kind_of(tensor)} was given that cannot be handed over by DLPack: {error}"
        ) from error
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    found = _Tensor.from_address(get_pointer(capsule, b"dltensor"))
    kind = found.device.kind
    if kind not in (*_HOSTS, _ROCM):
        raise InvalidArgument(
            f"a tensor of DLPack device type {kind} was given; "
            "it must be on the host or on an AMD GPU"
        )
    dtype = _DTYPES.get((found.dtype.code, found.dtype.bits)) if found.dtype.lanes == 1 else None
    if dtype is None:
        raise InvalidArgument(
            f"a tensor of DLPack dtype code {found.dtype.code} with {found.dtype.bits} bits was "
            "given; tensors of that dtype are not taken, only NumPy arrays and DeviceTensors"
        )
    shape = tuple(found.shape[i] for i in range(found.ndim))
    strides = (
        tuple(found.strides[i] for i in range(found.ndim))
        if found.strides
        else packed_strides(shape)
    )
    address = (found.data or 0) + found.byte_offset
    # The capsule was not taken over, so it frees what it holds when it goes.
    return Borrowed(
        address,
        shape,
        strides,
        dtype[0],
        dtype[1],
        kind in _HOSTS,
        found.device.number,
        (tensor, capsule),
    )


def host_array(given: Any) -> NDArray[Any]:
    """The memory of anything on the host as a NumPy array."""
    if isinstance(given, np.ndarray):
        return np.asarray(given)
    if not hasattr(given, "__dlpack__"):
        raise InvalidArgument(
            f"{kind_of(given)} was given where an array or a tensor with __dlpack__ is needed"
        )
    found = borrow(given)
    if not found.on_host:
        raise InvalidArgument(
            "a tensor of an AMD GPU was given where one of the host is needed; "
            "copy it to the host first"
        )
    return on_host(found)


def on_host(found: Borrowed) -> NDArray[Any]:
    """The array of a tensor that is on the host."""
    kind = numpy_dtype(found.dtype, found.encoding)
    if any(stride < 0 for stride in found.strides):
        raise InvalidArgument("a tensor with negative strides was given; make it contiguous first")
    span = 1 + sum(
        (extent - 1) * stride for extent, stride in zip(found.shape, found.strides, strict=True)
    )
    # NumPy's types do not know ctypes arrays as buffers, nor ctypes' that an array takes any
    # attribute.
    memory: Any = (ctypes.c_char * (span * kind.itemsize)).from_address(found.address)
    array: NDArray[Any] = np.ndarray(
        found.shape, kind, memory, strides=[stride * kind.itemsize for stride in found.strides]
    )
    memory._owner = found.owner  # the array keeps its buffer, and the buffer what owns the memory
    return array
