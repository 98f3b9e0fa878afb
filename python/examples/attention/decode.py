# SPDX-License-Identifier: MIT
"""Generates 64 tokens one after the other with a cache of pages: each step turns a new key by its
position, appends it, and attends to all before it. The same is generated without a cache, by the
reference, and compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
import numpy as np
from attentions import Array, example, normal, rotations
from ckdispatch.fmha.reference import Attention, forward
from ckdispatch.fmha.result import AttentionResult

TOKENS, WORDS, HEADS, SIZE, PAGE = 64, 16, 2, 64, 128

EMBEDDINGS, VALUES = (normal(WORDS, HEADS, SIZE, seed=seed) for seed in (5, 6))
"""A model of one layer: the embedding of a token is its q and k, and v is what it has to say."""


def next_token(attended: Array) -> int:
    """The one whose embedding is most like what attention found."""
    return int(
        np.argmax(
            np.einsum("whd,hd->w", EMBEDDINGS.astype(np.float64), attended.astype(np.float64))
        )
    )


def generate(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult | str]:
    """The cache stays on the device, and its one sequence is in page 2 of 3."""
    cosines, sines = (dispatcher.to_device(one) for one in rotations(PAGE, SIZE))
    k_pages, v_pages = (
        dispatcher.to_device(np.zeros((3, PAGE, HEADS, SIZE), np.float16)) for _ in "kv"
    )
    tokens = [0]
    for step in range(TOKENS):
        row, value = (one[tokens[-1]][None, None] for one in (EMBEDDINGS, VALUES))
        last = step == TOKENS - 1
        result = dispatcher.attention_kvcache(
            dispatcher.to_device(row),
            k_pages,
            v_pages,
            k_new=row,
            v_new=value,
            cache_seqlens=step,
            block_table=[[2]],
            rotary_cos=cosines,
            rotary_sin=sines,
            rotary_interleaved=False,
            validate=last,
        )
        tokens.append(next_token(result.out.numpy()[0, 0]))
    yield result
    expected = without_cache()
    yield (
        f"{len(set(tokens))} words in {TOKENS} tokens, "
        f"{'as' if tokens == expected else 'not as'} the reference has them"
    )


def without_cache() -> list[int]:
    """Every step from the beginning."""
    cosines, sines = rotations(PAGE, SIZE)
    tokens = [0]
    for _ in range(TOKENS):
        k = rotated(EMBEDDINGS[tokens][None], cosines, sines)
        tokens.append(
            next_token(forward(k[:, -1:], k, VALUES[tokens][None], Attention()).o.exact[0, 0])
        )
    return tokens


def rotated(rows: Array, cosines: Array, sines: Array) -> Array:
    """[batch, row, head, element], whose pairs are (i, i + half)."""
    x, y = np.split(rows.astype(np.float32), 2, axis=-1)
    c, s = (one[None, : rows.shape[1], None].astype(np.float32) for one in (cosines, sines))
    return np.concatenate([x * c - y * s, y * c + x * s], axis=-1).astype(np.float16)


if __name__ == "__main__":
    example(__doc__, generate)
