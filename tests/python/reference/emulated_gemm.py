# SPDX-License-Identifier: MIT
"""Right results as kernels might compute them: float32 sums in many orders, rounded at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ckdispatch.reference.formats import Rounding, round_to
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Random = np.random.Generator
SINGLE = np.dtype(np.float32)


def terms(a: NDArray[Any], b: NDArray[Any]) -> Singles:
    """The products of every k, first axis k, in float32."""
    left, right = a.astype(np.float32), b.astype(np.float32)
    return left.T[:, :, None] * right[:, None, :]


def sequential(products: Singles, random: Random) -> Singles:
    """One after the other, as in a loop of multiply-adds."""
    total = np.zeros(products.shape[1:], np.float32)
    for product in products:
        total += product
    return total


def pairwise(products: Singles, random: Random) -> Singles:
    """Neighbours first, as in a tree."""
    while len(products) > 1:
        odd = products[-1:] if len(products) % 2 else products[:0]
        products = np.concatenate((products[:-1:2] + products[1::2], odd))
    return products[0] if len(products) else np.zeros(products.shape[1:], np.float32)


def blocks(products: Singles, random: Random) -> Singles:
    """In a random order, cut into random pieces that are summed up first."""
    shuffled = products[random.permutation(len(products))]
    cuts = np.sort(random.integers(0, len(products) + 1, size=4))
    sums = [sequential(piece, random) for piece in np.split(shuffled, cuts)]
    return sequential(np.stack(sums), random)


def truncating(products: Singles, random: Random) -> Singles:
    """One after the other, by an adder that drops what does not fit."""
    total = np.zeros(products.shape[1:], np.float32)
    for product in products:
        exact = total.astype(np.float64) + product
        total = round_to(exact, SINGLE, Rounding.TOWARDS_ZERO)
    return total


ORDERS: Mapping[str, Callable[[Singles, Random], Singles]] = {
    "sequential": sequential,
    "pairwise": pairwise,
    "blocks": blocks,
    "truncating": truncating,
}


def store(total: Singles, dtype: np.dtype[Any], rounding: Rounding = Rounding.NEAREST) -> Any:
    """What the epilogue writes."""
    return round_to(total, dtype, rounding)


def split(products: Singles, parts: int, block: int, dtype: np.dtype[Any], random: Random) -> Any:
    """Parts that are stored and added up in the output dtype, in a random order."""
    size = max(1, -(-len(products) // (parts * block))) * block
    pieces = [products[i : i + size] for i in range(0, len(products), size)]
    total = np.zeros(products.shape[1:], dtype)
    for index in random.permutation(len(pieces)):
        stored = store(sequential(pieces[index], random), dtype)
        total = store((total.astype(np.float32) + stored.astype(np.float32)), dtype)
    return total
