# SPDX-License-Identifier: MIT
"""Convolutions drawn at random, and the same computed one product after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from ckdispatch.grouped_conv.sizes import TENSORS, ConvAxis, ConvSizes
from numpy.typing import NDArray

Index = tuple[int, ...]
Random = np.random.Generator


def random_axis(random: Random, largest: int) -> ConvAxis:
    """An axis of any kind: short or long, with pads of any size, or none at all."""
    filter_, stride, dilation = (int(value) for value in random.integers(1, 5, 3))
    left, right = (int(value) for value in random.integers(0, 7, 2) * random.integers(0, 2, 2))
    needed = max(1, dilation * (filter_ - 1) + 1 - left - right)
    input_ = needed + int(random.integers(0, largest))
    return ConvAxis(input_, filter_, stride, dilation, left, right)


def random_sizes(random: Random, dims: int, largest: int) -> ConvSizes:
    """Sizes with ``dims`` axes whose channels and inputs go up to about ``largest``."""
    n, g, c, k = (int(value) for value in random.integers(1, (4, 4, largest + 1, largest + 1)))
    return ConvSizes(n, g, c, k, tuple(random_axis(random, largest) for _ in range(dims)))


def products(sizes: ConvSizes) -> Iterator[tuple[Index, Index, Index]]:
    """The places in x, w and y of every product: y at the last takes x times w at the others."""
    channels = itertools.product(range(sizes.n), range(sizes.g), range(sizes.c), range(sizes.k))
    for n, g, c, k in channels:
        for output in np.ndindex(sizes.output):
            for tap in np.ndindex(sizes.filter):
                place = tuple(
                    o * axis.stride + t * axis.dilation - axis.left_pad
                    for o, t, axis in zip(output, tap, sizes.axes, strict=True)
                )
                if all(0 <= p < axis.input for p, axis in zip(place, sizes.axes, strict=True)):
                    yield (n, *place, g, c), (g, k, *tap, c), (n, *output, g, k)


def naive(
    direction: str, a: NDArray[Any], b: NDArray[Any], sizes: ConvSizes, dtype: Any
) -> NDArray[Any]:
    """The direction's result, each product and each sum rounded to ``dtype``."""
    first, second, written = ("xwy".index(name) for name in TENSORS[direction])
    a, b = a.astype(dtype), b.astype(dtype)
    total = np.zeros(sizes.shape(TENSORS[direction][2]), dtype)
    for places in products(sizes):
        total[places[written]] += a[places[first]] * b[places[second]]
    return total
