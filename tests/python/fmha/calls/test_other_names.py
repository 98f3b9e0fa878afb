# SPDX-License-Identifier: MIT
"""Attention by the names of flash-attn and torch, with their meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from attention_support import attender, heads_first, plain, random
from ckdispatch import scaled_dot_product_attention, use_for_attention
from ckdispatch.errors import InvalidArgument
from ckdispatch.flash_attn import (
    flash_attn_func,
    flash_attn_kvpacked_func,
    flash_attn_qkvpacked_func,
    flash_attn_varlen_func,
    flash_attn_with_kvcache,
)

Q, K, V = random(2, 33, 4, 64), random(2, 70, 4, 64, seed=1), random(2, 70, 4, 64, seed=2)
ROWS, KEYS = np.arange(33)[:, None], np.arange(70)


@pytest.fixture(autouse=True)
def _used() -> Iterator[None]:
    use_for_attention(attender())
    yield
    use_for_attention(None)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, atol=4e-3)


def test_causal_is_from_the_bottom_right_in_one_and_from_the_top_left_in_the_other() -> None:
    close(flash_attn_func(Q, K, V, causal=True), plain(Q, K, V, KEYS <= ROWS + 37))
    q, k, v = heads_first(Q, K, V)
    close(
        scaled_dot_product_attention(q, k, v, is_causal=True).swapaxes(1, 2),
        plain(Q, K, V, KEYS <= ROWS),
    )


def test_windows_count_the_diagonal_as_their_own() -> None:
    close(
        flash_attn_func(Q, K, V, window_size=(5, 3)),
        plain(Q, K, V, (KEYS <= ROWS + 40) & (KEYS >= ROWS + 32)),
    )
    close(
        flash_attn_func(Q, K, V, causal=True, window_size=(5, 3)),
        plain(Q, K, V, (KEYS <= ROWS + 37) & (KEYS >= ROWS + 32)),
    )


def test_everything_is_returned_if_it_is_asked_for() -> None:
    out, lse, random_bytes = flash_attn_func(
        Q, K[:, :20], V[:, :20], causal=True, return_attn_probs=True
    )
    assert random_bytes is None
    assert (lse[:, :, :13] == np.inf).all()
    assert np.isfinite(lse[:, :, 13:]).all()
    assert not out[:, :13].any()


def test_one_tensor_of_several() -> None:
    qkv = random(2, 33, 3, 4, 64)
    expected = plain(*(qkv[:, :, i] for i in range(3)))
    close(flash_attn_qkvpacked_func(qkv), expected)
    close(
        flash_attn_kvpacked_func(
            np.ascontiguousarray(qkv[:, :, 0]), np.ascontiguousarray(qkv[:, :, 1:])
        ),
        expected,
    )
    memory = attender().to_device(qkv)
    close(flash_attn_qkvpacked_func(memory).numpy(), expected)
    with pytest.raises(InvalidArgument, match="qkv has the shape"):
        flash_attn_qkvpacked_func(Q)


def test_packed_sequences() -> None:
    q, k, v = (one.reshape(-1, 4, 64) for one in (Q, K, V))
    close(
        flash_attn_varlen_func(q, k, v, [0, 33, 66], [0, 70, 140], 33, 70, causal=True).reshape(
            Q.shape
        ),
        plain(Q, K, V, KEYS <= ROWS + 37),
    )


def test_a_cache() -> None:
    k, v = K.copy(), V.copy()
    new = random(2, 1, 4, 64, seed=5), random(2, 1, 4, 64, seed=6)
    out, lse = flash_attn_with_kvcache(
        Q[:, :1], k, v, *new, cache_seqlens=[50, 50], causal=True, return_softmax_lse=True
    )
    assert np.array_equal(k[:, 50:51], new[0])
    close(out, plain(Q[:, :1], k[:, :51], v[:, :51]))
    assert lse.shape == (2, 4, 1)
    with pytest.raises(InvalidArgument, match="cache_leftpad"):
        flash_attn_with_kvcache(Q, k, v, cache_leftpad=[1, 1])


def test_bools_keep_and_numbers_are_added() -> None:
    q, k, v = heads_first(Q, K, V)
    keep = np.random.default_rng(0).integers(0, 2, (33, 70)).astype(bool)
    keep[4] = False
    close(scaled_dot_product_attention(q, k, v, keep).swapaxes(1, 2), plain(Q, K, V, keep))
    added = np.where(keep, 0, -np.inf).astype(np.float16)
    close(
        scaled_dot_product_attention(q, k, v, added[None, None]).swapaxes(1, 2),
        plain(Q, K, V, keep),
    )
    with pytest.raises(InvalidArgument, match="excludes"):
        scaled_dot_product_attention(q, k, v, keep, is_causal=True)


def test_shared_heads_are_asked_for() -> None:
    q, k, v = heads_first(Q, K[:, :, :2], V[:, :, :2])
    close(
        scaled_dot_product_attention(q, k, v, enable_gqa=True).swapaxes(1, 2),
        plain(Q, K[:, :, :2], V[:, :, :2]),
    )
    with pytest.raises(InvalidArgument, match="enable_gqa"):
        scaled_dot_product_attention(q, k, v)


def test_extents_before_the_heads_are_one_batch() -> None:
    q, k, v = heads_first(Q, K, V)
    found = scaled_dot_product_attention(q[0], k[0], v[0])
    close(found.swapaxes(0, 1), plain(Q[:1], K[:1], V[:1])[0])
    many = scaled_dot_product_attention(q[:, None], k[:, None], v[:, None])
    assert many.shape == (2, 1, 4, 33, 64)
