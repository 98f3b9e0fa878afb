# SPDX-License-Identifier: MIT
"""The random bytes of dropout, every one of them: Philox4x32 with seven rounds over tiles of 32 x
32 scores.

A byte depends on seed, offset, sequence, head, row and column alone, so that backward finds those
of forward, and each kernel those of another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 7
_TILE = 32
_LANES = 64
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(counter: NDArray[np.uint32], key: tuple[int, int]) -> NDArray[np.uint32]:
    """Four random words for each counter of four words, which is the last axis."""
    c0, c1, c2, c3 = (counter[..., word].astype(np.uint64) for word in range(4))
    k0, k1 = key
    for _ in range(_ROUNDS):
        first, second = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (
            (second >> _HALF) ^ c1 ^ np.uint64(k0),
            second & _LOW,
            (first >> _HALF) ^ c3 ^ np.uint64(k1),
            first & _LOW,
        )
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=-1).astype(np.uint32)


def random_bytes(
    sequence: int, heads: int, seqlen_q: int, seqlen_k: int, seed: int, offset: int
) -> NDArray[np.uint8]:
    """The bytes [heads, seqlen_q, seqlen_k] of one sequence of a problem
    with as many heads of q.
    """
    down, across = -(-seqlen_q // _TILE), -(-seqlen_k // _TILE)
    stream = np.arange(heads * _LANES, dtype=np.uint64) + np.uint64(sequence * heads * _LANES)
    # 64 bits, and no more: sums wrap around.
    streams = (stream + np.uint64(offset & (2**64 - 1))).reshape(heads, _LANES)
    counter = np.zeros((heads, down, across, _LANES, 4), np.uint32)
    counter[..., 0] = (streams & _LOW).astype(np.uint32)[:, None, None, :]
    counter[..., 1] = (streams >> _HALF).astype(np.uint32)[:, None, None, :]
    counter[..., 2] = np.arange(down, dtype=np.uint32)[:, None, None]
    counter[..., 3] = np.arange(across, dtype=np.uint32)[:, None]
    words = philox(counter, (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF))
    lanes = words.astype("<u4").view(np.uint8)  # [heads, down, across, lane, byte]
    row, column = np.arange(_TILE)[:, None], np.arange(_TILE)
    tiles = lanes[..., column + 32 * (row // 8 % 2), row % 8 + 8 * (row // 16)]
    return np.ascontiguousarray(
        tiles.swapaxes(2, 3).reshape(heads, down * _TILE, across * _TILE)[:, :seqlen_q, :seqlen_k]
    )


def keep_threshold(p_drop: float) -> int:
    """Scores whose byte is at most this are kept."""
    return int(np.floor(np.float32(255.0) * (np.float32(1.0) - np.float32(p_drop))))
