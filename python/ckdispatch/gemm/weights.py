# SPDX-License-Identifier: MIT
"""Weights in the order of a kernel's matrix instructions, which then need no LDS on their way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ckarch import load_specs
from numpy.typing import NDArray

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.problem import GemmProblem, block_of
from ckdispatch.plan import Plan
from ckdispatch.reference.dtypes import dtype_name
from ckdispatch.registry import KernelInfo, Registry
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.dlpack import borrow, host_array
from ckdispatch.tensors.memory import elements_per_byte
from ckdispatch.tensors.operands import transposed
from ckdispatch.wording import quoted


@dataclass(frozen=True, eq=False)
class PreshuffledWeights:
    """B[k,n], or a batch of them, reordered; to be made once and used by many calls.

    ``data`` is of the kind that was given, with all elements of a matrix in its last extent.
    ``shape`` is that of B. ``block`` says in which order: in blocks of n columns, with k
    neighbours of each after the other.
    """

    data: Any
    shape: tuple[int, ...]
    block: tuple[int, int]
    dtype: str

    @property
    def word(self) -> str:
        """The block as problems have it, such as ``16x8``."""
        return f"{self.block[0]}x{self.block[1]}"

    def on(self, dispatcher: BaseDispatcher) -> PreshuffledWeights:
        """The same on the dispatcher's device, so that calls need not copy them."""
        if isinstance(self.data, DeviceTensor):
            return self
        tensor = dispatcher.to_device(host_array(self.data))
        return PreshuffledWeights(tensor, self.shape, self.block, self.dtype)

    def plain(self) -> NDArray[Any]:
        """B[k,n] as it was, on the host."""
        data = self.data.numpy() if isinstance(self.data, DeviceTensor) else host_array(self.data)
        *batch, k, n = self.shape
        columns, run = self.block
        blocks = data.reshape(*batch, n // columns, k // run, columns, run)
        plain: NDArray[Any] = blocks.swapaxes(-3, -2).reshape(*batch, n, k).swapaxes(-1, -2)
        return plain


def preshuffle(b: Any, to: Any) -> PreshuffledWeights:
    """B[k,n] (for weights of shape n x k that is ``weights.T``) reordered for preshuffle kernels.

    ``to`` says for which: a block such as ``(16, 8)`` or ``"16x8"``, a plan, a kernel of a
    registry, or a registry or dispatcher whose kernels for that dtype agree on one. On different
    GPUs the same kernel may want different ones. Arrays give arrays; torch tensors stay on their
    device, and so do DeviceTensors.
    """
    if isinstance(b, DeviceTensor):
        shape, dtype = b.shape, b.dtype
    elif type(b).__module__.partition(".")[0] == "torch":
        shape, dtype = tuple(b.shape), borrow(b).dtype
    else:
        b = host_array(b)
        shape, dtype = b.shape, dtype_name(b.dtype)
    if elements_per_byte(dtype) > 1:
        raise InvalidArgument(f"weights of {dtype} were to be preshuffled; no kernel takes them")
    block = _block(to, dtype)
    _check(shape, block)
    reorder = _on_device if isinstance(b, DeviceTensor) else _reordered
    return PreshuffledWeights(reorder(b, block), shape, block, dtype)


def blocks(kernels: Iterable[KernelInfo], dtype: str, gpu: str = "") -> list[tuple[int, int]]:
    """Those of the preshuffle kernels that read a B of ``dtype``, on ``gpu`` or any of theirs."""
    found = set()
    for kernel in kernels:
        if kernel.spec["variant"] == "preshuffle" and kernel.spec["dtype_b"] == dtype:
            on = [gpu] if gpu in kernel.gpus else () if gpu else kernel.gpus
            found |= {read_block(kernel.spec["warp_tile"], one) for one in on}
    return sorted(found)


def read_block(warp_tile: Sequence[int], gpu: str) -> tuple[int, int]:
    """The block that kernels with this warp tile read on a GPU."""
    _, n, k = warp_tile
    return n, load_specs().gpu(gpu).k_per_lane(n, k)


def _check(shape: tuple[int, ...], block: tuple[int, int]) -> None:
    n, k = block
    if n < 1 or k < 1:
        raise InvalidArgument(
            f"weights were to be preshuffled as {n}x{k}; it is columns and their neighbours along "
            "k that lie together, such as 16x8"
        )
    if len(shape) not in (2, 3) or 0 in shape or shape[-1] % n or shape[-2] % k:
        raise InvalidArgument(
            f"B of shape {shape} was to be preshuffled as {n}x{k}; it must be a matrix, or a "
            f"batch of them, with k a multiple of {k} and n of {n}"
        )


def _reordered(b: Any, block: tuple[int, int]) -> Any:
    """For NumPy arrays and torch tensors alike."""
    columns, run = block
    *batch, k, n = b.shape
    weights = b.swapaxes(-1, -2).reshape(*batch, n // columns, columns, k // run, run)
    first = len(batch)
    order = (*range(first), *(first + axis for axis in (0, 2, 1, 3)))
    return transposed(weights, order).reshape(*batch, n * k)


def _on_device(b: DeviceTensor, block: tuple[int, int]) -> DeviceTensor:
    """By copies on the device, one for each column."""
    columns, run = block
    *batch, k, n = b.shape
    size = b.device.numpy_dtype(b.dtype).itemsize
    if b.strides[-2] != 1:
        raise InvalidArgument(
            f"B on the device with the strides {b.strides} was to be preshuffled; its columns must "
            "be contiguous, as those of weights.T are"
        )
    out = DeviceTensor.allocate(b.device, (*batch, n * k), b.dtype)
    width = run * size
    for matrix in range(math.prod(batch)):
        source = b.address + (matrix * b.strides[0] * size if batch else 0)
        target = out.address + matrix * n * k * size
        for column in range(n):
            above, place = divmod(column, columns)
            first = above * columns * k * size + place * width
            origin = source + column * b.strides[-1] * size
            b.device.copy_rows(target + first, columns * width, origin, width, width, k // run)
    return out


def _block(to: Any, dtype: str) -> tuple[int, int]:
    if isinstance(to, str):
        return block_of(to)
    if isinstance(to, tuple) and len(to) == 2 and all(type(one) is int for one in to):
        return to
    if (
        isinstance(to, Plan)
        and isinstance(to.problem, GemmProblem)
        and to.problem.weights is not None
    ):
        return block_of(to.problem.weights)
    if isinstance(to, BaseDispatcher):
        return _agreed(to.registry, to.registry.name, dtype, to.selection.gpu)
    if isinstance(to, Registry):
        return _agreed(to, to.name, dtype)
    if isinstance(to, KernelInfo) and to.spec["variant"] == "preshuffle":
        return _agreed([to], to.name, to.spec["dtype_b"])
    raise InvalidArgument(
        f"weights were to be preshuffled for {quoted(to)}; give a block such as (16, 8), or a "
        "preshuffle kernel, a plan with one, or a registry of such kernels"
    )


def _agreed(
    kernels: Iterable[KernelInfo], named: str, dtype: str, gpu: str = ""
) -> tuple[int, int]:
    found = blocks(kernels, dtype, gpu)
    if len(found) != 1:
        which = " and ".join(f"{n}x{k}" for n, k in found)
        why = f"some for {which}; say which" if found else "none that reads such weights"
        raise InvalidArgument(
            f"weights of {dtype} were to be preshuffled for the kernels of {named}, "
            f"and there are {why}"
        )
    return found[0]
