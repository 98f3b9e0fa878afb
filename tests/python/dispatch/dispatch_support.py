# SPDX-License-Identifier: MIT
"""Kernels, arrays and guarded buffers for the tests of dispatch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from ckdispatch import DeviceTensor, Dispatcher, Registry
from numpy.typing import NDArray

ESSENTIAL = "gemm_fp16_rcr_essential"
VARIANTS = "test_gemm_variants"
EACH_VARIANT = "test_gemm_dispatch"
PADDED = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
UNPADDED = (
    "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
)

_GUARD = 4096
_MARK = 0xA5


@cache
def everything() -> Registry:
    """All layouts, and split-K."""
    return Registry.load(ESSENTIAL, VARIANTS)


@cache
def dispatcher() -> Dispatcher:
    return Dispatcher(everything())


@cache
def each_variant() -> Registry:
    """One small kernel of each variant, and plain ones."""
    return Registry.load(EACH_VARIANT, ESSENTIAL)


@cache
def of_each_variant() -> Dispatcher:
    return Dispatcher(each_variant())


def only(**words: str) -> Dispatcher:
    """With the small kernels that match and no other."""
    return Dispatcher(Registry.load(EACH_VARIANT).filter(predicate=None, **words))


def random(shape: tuple[int, ...], seed: int, dtype: Any = np.float16) -> NDArray[Any]:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


@dataclass(frozen=True)
class Guarded:
    """A tensor in the middle of memory that nothing may touch."""

    tensor: DeviceTensor
    whole: DeviceTensor
    offset: int

    def broken(self) -> list[int]:
        """Bytes that are not the tensor's own elements and were written to."""
        content = self.whole.numpy().view(np.uint8)
        own = np.zeros(content.size, bool)
        size = self.tensor.device.numpy_dtype(self.tensor.dtype).itemsize
        elements = np.zeros(self.tensor.shape, np.int64)
        for axis, stride in enumerate(self.tensor.strides):
            shape = [1] * elements.ndim
            shape[axis] = -1
            elements = elements + (np.arange(self.tensor.shape[axis]) * stride).reshape(shape)
        for byte in range(size):
            own[self.offset + elements.ravel() * size + byte] = True
        return [int(at) for at in np.flatnonzero((content != _MARK) & ~own)]


def guarded(
    on: Dispatcher, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str, *, shift: int = 0
) -> Guarded:
    """A tensor with those strides, ``shift`` bytes from an aligned address, with marked memory
    around it and in its gaps.
    """
    size = on.device.numpy_dtype(dtype).itemsize
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    bytes_needed = 2 * _GUARD + shift + span * size
    whole = on.empty((bytes_needed,), "int8")
    on.device.fill(whole.address, _MARK, bytes_needed)
    offset = _GUARD + shift
    tensor = DeviceTensor(on.device, whole.address + offset, shape, strides, dtype, None, whole)
    return Guarded(tensor, whole, offset)
