# SPDX-License-Identifier: MIT
"""Weights in the order of a kernel's matrix instructions, which then need no LDS on their way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.structure import granule_of
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.packing import elements_per_byte
from ckdispatch.tensors.results import transposed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.dispatcher import Dispatcher


@dataclass(frozen=True, eq=False)
class PreshuffledWeights:
    """B[k,n], or a batch of them, reordered; to be made once and used by many calls.

    ``data`` is of the kind that was given, with all elements of a matrix in its last extent.
    ``shape`` is that of B, and ``granule`` the n and k of the matrix instruction.
    """

    data: Any
    shape: tuple[int, ...]
    granule: tuple[int, int]
    dtype: str

    @property
    def word(self) -> str:
        """The granule as problems have it, such as ``16x32``."""
        return f"{self.granule[0]}x{self.granule[1]}"

    def on(self, dispatcher: Dispatcher) -> PreshuffledWeights:
        """The same on the dispatcher's device, so that calls need not copy them."""
        if isinstance(self.data, DeviceTensor):
            return self
        tensor = dispatcher.to_device(host_array(self.data))
        return PreshuffledWeights(tensor, self.shape, self.granule, self.dtype)

    def plain(self) -> NDArray[Any]:
        """B[k,n] as it was, on the host."""
        data = self.data.numpy() if isinstance(self.data, DeviceTensor) else host_array(self.data)
        *batch, k, n = self.shape
        wn, wk, parts = _parts(self.granule)
        blocks = data.reshape(*batch, n // wn, k // wk, parts, wn, wk // parts)
        first = len(batch)
        order = (*range(first), *(first + axis for axis in (0, 3, 1, 2, 4)))
        plain: NDArray[Any] = blocks.transpose(order).reshape(*batch, n, k).swapaxes(-1, -2)
        return plain


def preshuffle(b: Any, to: Any) -> PreshuffledWeights:
    """B[k,n] (for weights of shape n x k that is ``weights.T``) reordered for preshuffle kernels.

    ``to`` says for which: a granule such as ``(16, 32)`` or ``"16x32"``, a plan, a kernel of a
    registry, or a registry or dispatcher whose kernels for that dtype agree on one. Arrays give
    arrays; torch tensors stay on their device, and so do DeviceTensors.
    """
    from ckdispatch.reference.dtypes import dtype_name

    if isinstance(b, DeviceTensor):
        shape, dtype = b.shape, b.dtype
    elif _is_torch(b):
        shape, dtype = tuple(b.shape), _torch_dtype(b)
    else:
        b = host_array(b)
        shape, dtype = b.shape, dtype_name(b.dtype)
    if elements_per_byte(dtype) > 1:
        raise InvalidArgument(f"weights of {dtype} were to be preshuffled; no kernel takes them")
    granule = _granule(to, dtype)
    _check(shape, granule)
    reorder = _on_device if isinstance(b, DeviceTensor) else _reordered
    return PreshuffledWeights(reorder(b, granule), shape, granule, dtype)


def granules(kernels: Any, dtype: str) -> list[tuple[int, int]]:
    """Those of the preshuffle kernels among ``kernels`` that read a B of ``dtype``."""
    found = {
        (kernel.spec["warp_tile"][1], kernel.spec["warp_tile"][2])
        for kernel in kernels
        if kernel.spec["variant"] == "preshuffle" and kernel.spec["dtype_b"] == dtype
    }
    return sorted(found)


def host_array(given: Any) -> NDArray[Any]:
    """The memory of anything on the host as a NumPy array."""
    import numpy as np

    from ckdispatch.tensors.operands import borrowed_array

    return given if isinstance(given, np.ndarray) else borrowed_array(given)


def _parts(granule: tuple[int, int]) -> tuple[int, int, int]:
    """With the parts of k that lanes of an instruction share out."""
    return (*granule, 2 if granule[0] == 32 else 4)


def _check(shape: tuple[int, ...], granule: tuple[int, int]) -> None:
    wn, wk, parts = _parts(granule)
    if wn < 1 or wk < 1 or wk % parts:
        raise InvalidArgument(
            f"weights were to be preshuffled as {wn}x{wk}; it is the n and k of a kernel's warp "
            "tile, such as 16x32"
        )
    if len(shape) not in (2, 3) or 0 in shape or shape[-1] % wn or shape[-2] % wk:
        raise InvalidArgument(
            f"B of shape {shape} was to be preshuffled as {wn}x{wk}; it must be a matrix, or a "
            f"batch of them, with k a multiple of {wk} and n of {wn}"
        )


def _reordered(b: Any, granule: tuple[int, int]) -> Any:
    """For NumPy arrays and torch tensors alike."""
    wn, wk, parts = _parts(granule)
    *batch, k, n = b.shape
    weights = b.swapaxes(-1, -2).reshape(*batch, n // wn, wn, k // wk, parts, wk // parts)
    first = len(batch)
    order = (*range(first), *(first + axis for axis in (0, 2, 3, 1, 4)))
    return transposed(weights, order).reshape(*batch, n * k)


def _on_device(b: DeviceTensor, granule: tuple[int, int]) -> DeviceTensor:
    """By copies on the device, one for each part of k of a column."""
    wn, wk, parts = _parts(granule)
    *batch, k, n = b.shape
    size = b.device.numpy_dtype(b.dtype).itemsize
    if b.strides[-2] != 1:
        raise InvalidArgument(
            f"B on the device with the strides {b.strides} was to be preshuffled; its columns must "
            "be contiguous, as those of weights.T are"
        )
    out = DeviceTensor.allocate(b.device, (*batch, n * k), b.dtype)
    width = wk // parts
    for matrix in range(math.prod(batch)):
        source = b.address + (matrix * b.strides[0] * size if batch else 0)
        target = out.address + matrix * n * k * size
        for column in range(n):
            block = column // wn * (k // wk) * wn * wk + column % wn * width
            for part in range(parts):
                b.device.copy_rows(
                    target + (block + part * wn * width) * size,
                    wn * wk * size,
                    source + (column * b.strides[-1] + part * width) * size,
                    wk * size,
                    width * size,
                    k // wk,
                )
    return out


def _granule(to: Any, dtype: str) -> tuple[int, int]:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.registry import KernelInfo, Registry

    if isinstance(to, str):
        return granule_of(to)
    if isinstance(to, tuple) and len(to) == 2 and all(type(one) is int for one in to):
        return to
    if isinstance(to, Plan) and to.problem.weights is not None:
        return granule_of(to.problem.weights)
    if isinstance(to, KernelInfo) and to.spec["variant"] == "preshuffle":
        return to.spec["warp_tile"][1], to.spec["warp_tile"][2]
    if isinstance(to, (Registry, Dispatcher)):
        return _agreed(to, dtype)
    raise InvalidArgument(
        f"weights were to be preshuffled for {to!r}; give a granule such as (16, 32), or a "
        "preshuffle kernel, a plan with one, or a registry of such kernels"
    )


def _agreed(of: Any, dtype: str) -> tuple[int, int]:
    from ckdispatch.dispatcher import Dispatcher

    registry = of.registry.filter(gpu=of.selection.gpu) if isinstance(of, Dispatcher) else of
    found = granules(registry, dtype)
    if len(found) != 1:
        which = " and ".join(f"{n}x{k}" for n, k in found)
        why = f"some for {which}; say which" if found else "none that reads such weights"
        raise InvalidArgument(
            f"weights of {dtype} were to be preshuffled for the kernels of {registry.name}, and "
            f"there are {why}"
        )
    return found[0]


def _is_torch(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "torch"


def _torch_dtype(tensor: Any) -> str:
    from ckdispatch.tensors.dlpack import borrow

    return borrow(tensor).dtype
