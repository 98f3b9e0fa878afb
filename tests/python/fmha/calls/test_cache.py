# SPDX-License-Identifier: MIT
"""``attention_kvcache``: appended, rotated and paged keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_support import attender, plain, random
from ckdispatch import DeviceTensor
from ckdispatch.errors import InvalidArgument
from numpy.typing import NDArray

Q = random(2, 3, 4, 64)
LENGTHS = [150, 33]


def caches(*shape: int) -> tuple[NDArray[Any], NDArray[Any]]:
    return random(*shape, seed=1), random(*shape, seed=2)


def rotated(
    x: NDArray[Any], cos: NDArray[Any], sin: NDArray[Any], position: int, interleaved: bool
) -> NDArray[Any]:
    """[rows, heads, size], the first row at ``position``."""
    half = cos.shape[1]
    c, s = (one[position : position + len(x), None].astype(np.float32) for one in (cos, sin))
    first, second = (
        (slice(0, 2 * half, 2), slice(1, 2 * half, 2))
        if interleaved
        else (slice(0, half), slice(half, 2 * half))
    )
    found, a, b = (
        x.astype(np.float32),
        x[..., first].astype(np.float32),
        x[..., second].astype(np.float32),
    )
    found[..., first], found[..., second] = a * c - b * s, b * c + a * s
    return found.astype(x.dtype)


def test_only_keys_that_are_there_count() -> None:
    k, v = caches(2, 200, 2, 64)
    result = attender().attention_kvcache(
        Q, k, v, cache_seqlens=LENGTHS, causal=True, return_lse=True, validate=True
    )
    for i, length in enumerate(LENGTHS):
        alone = (
            attender()
            .attention(Q[i : i + 1], k[i : i + 1, :length], v[i : i + 1, :length], causal=True)
            .out
        )
        np.testing.assert_allclose(
            result.out[i].astype(np.float32), alone[0].astype(np.float32), atol=2e-3
        )


def test_one_length_is_for_all() -> None:
    k, v = caches(2, 200, 2, 64)
    one, each = (
        attender().attention_kvcache(Q, k, v, cache_seqlens=n, validate=True).out
        for n in (40, [40, 40])
    )
    assert np.array_equal(one, each)


@pytest.mark.parametrize("lengths", [50, [50, 50]])
def test_first_keys_are_kept_where_all_have_one_length(lengths: Any) -> None:
    k, v = caches(2, 90, 2, 64)
    q = random(2, 3, 4, 64)
    found = (
        attender()
        .attention_kvcache(
            q, k, v, cache_seqlens=lengths, window=(8, 0), sink_tokens=4, validate=True
        )
        .out
    )
    row, key = np.arange(3)[:, None], np.arange(50)
    keep = (key <= row + 47) & ((key >= row + 39) | (key < 4))
    np.testing.assert_allclose(
        found.astype(np.float64), plain(q, k[:, :50], v[:, :50], keep), atol=5e-3
    )
    with pytest.raises(InvalidArgument, match="kernels have one window for all sequences"):
        attender().attention_kvcache(q, k, v, cache_seqlens=[50, 51], window=(8, 0), sink_tokens=4)


def test_new_keys_go_behind_the_others_in_place() -> None:
    k, v = caches(2, 200, 2, 64)
    before = k.copy(), v.copy()
    k_new, v_new = random(2, 3, 2, 64, seed=3), random(2, 3, 2, 64, seed=4)
    attender().attention_kvcache(
        Q, k, v, k_new=k_new, v_new=v_new, cache_seqlens=LENGTHS, causal=True, validate=True
    )
    for found, old, new in zip((k, v), before, (k_new, v_new), strict=True):
        for i, length in enumerate(LENGTHS):
            assert np.array_equal(found[i, length : length + 3], new[i])
            old[i, length : length + 3] = new[i]
        assert np.array_equal(found, old)


@pytest.mark.parametrize("interleaved", [True, False])
def test_new_keys_and_rows_are_rotated_at_their_positions(interleaved: bool) -> None:
    on = attender()
    pages = [on.to_device(one) for one in caches(6, 64, 2, 64)]
    k, v = (one.numpy() for one in pages)
    table, lengths = np.array([[5, 0, 3], [1, 2, 4]]), [150, 33]
    k_new, v_new = random(2, 3, 2, 64, seed=3), random(2, 3, 2, 64, seed=4)
    angles = np.arange(192)[:, None] * 0.7 ** np.arange(16)
    cos, sin = np.cos(angles).astype(np.float16), np.sin(angles).astype(np.float16)
    q = on.to_device(Q)
    result = on.attention_kvcache(
        q,
        *pages,
        k_new=k_new,
        v_new=v_new,
        cache_seqlens=lengths,
        rotary_cos=cos,
        rotary_sin=sin,
        rotary_interleaved=interleaved,
        block_table=table,
        causal=True,
        validate=True,
    )
    assert np.array_equal(q.numpy(), Q)  # a copy was rotated
    for i, length in enumerate(lengths):
        gathered = [
            np.concatenate([one[page] for page in table[i]])[: length + 3] for one in (k, v)
        ]
        gathered[0][length:] = rotated(k_new[i], cos, sin, length, interleaved)
        gathered[1][length:] = v_new[i]
        rows = rotated(Q[i], cos, sin, length, interleaved)
        keep = np.arange(length + 3) <= np.arange(3)[:, None] + length
        expected = plain(rows[None], gathered[0][None], gathered[1][None], keep)
        np.testing.assert_allclose(result.out.numpy()[i].astype(np.float64), expected[0], atol=5e-3)


def test_an_index_says_which_sequences_are_meant() -> None:
    k, v = caches(5, 100, 2, 64)
    found = (
        attender()
        .attention_kvcache(
            Q, k, v, cache_index=[4, 1], cache_seqlens=[70, 9], causal=True, validate=True
        )
        .out
    )
    expected = (
        attender()
        .attention_kvcache(Q, k[[4, 1]], v[[4, 1]], cache_seqlens=[70, 9], causal=True)
        .out
    )
    np.testing.assert_allclose(found.astype(np.float32), expected.astype(np.float32), atol=2e-3)


@pytest.mark.parametrize("on_device", [False, True])
def test_pages_by_a_table(on_device: bool) -> None:
    on = attender()
    k, v = caches(9, 64, 2, 64)
    table = np.array([[3, 1, 8], [7, 0, 5]], np.int32)
    given: list[Any] = [k, v, table, np.array(LENGTHS, np.int32)]
    if on_device:
        given = [on.to_device(one) for one in given]
    q = on.to_device(Q) if on_device else Q
    result = on.attention_kvcache(
        q,
        *given[:2],
        block_table=given[2],
        cache_seqlens=given[3],
        causal=True,
        return_lse=True,
        validate=True,
    )
    assert isinstance(result.out, DeviceTensor) == on_device
    assert result.changes == ()


@pytest.mark.parametrize("rows", [1, 16, 24])
def test_pages_of_any_size_are_listed(rows: int) -> None:
    pages = -(-160 // rows) * 2
    k, v = caches(pages, rows, 2, 128)
    q = random(2, 3, 4, 128)
    table = np.random.default_rng(0).permutation(pages).reshape(2, -1)
    result = attender().attention_kvcache(
        q,
        k,
        v,
        block_table=table,
        cache_seqlens=LENGTHS,
        causal=True,
        return_lse=True,
        validate=True,
    )
    assert "listed row by row" in result.changes[0]
    assert result.lse.shape == (2, 4, 3)
    for i, length in enumerate(LENGTHS):
        keys, values = (np.concatenate(one[table[i]])[None, :length] for one in (k, v))
        expected = plain(
            q[i : i + 1], keys, values, np.arange(length) <= np.arange(3)[:, None] + length - 3
        )
        np.testing.assert_allclose(result.out[i].astype(np.float64), expected[0], atol=4e-3)


@pytest.mark.parametrize("on_device", [False, True])
def test_new_rows_go_into_pages_of_any_size(on_device: bool) -> None:
    on = attender()
    k, v = caches(20, 16, 2, 128)
    q, k_new, v_new = (
        random(2, 3, 4, 128),
        random(2, 3, 2, 128, seed=3),
        random(2, 3, 2, 128, seed=4),
    )
    table = np.random.default_rng(0).permutation(20).reshape(2, -1)
    angles = np.arange(160)[:, None] * 0.7 ** np.arange(32)
    cos, sin = np.cos(angles).astype(np.float16), np.sin(angles).astype(np.float16)
    given: list[Any] = (
        [on.to_device(one) for one in (q, k, v)] if on_device else [q, k.copy(), v.copy()]
    )
    result = on.attention_kvcache(
        *given,
        k_new=k_new,
        v_new=v_new,
        cache_seqlens=LENGTHS,
        rotary_cos=cos,
        rotary_sin=sin,
        block_table=table,
        causal=True,
        validate=True,
    )
    assert "by the host" in result.changes[0]
    found = [one.numpy() for one in given[1:]] if on_device else given[1:]
    out = result.out.numpy() if on_device else result.out
    for i, length in enumerate(LENGTHS):
        keys, values = (np.concatenate(one[table[i]])[: length + 3] for one in found)
        assert np.array_equal(values[length:], v_new[i])
        np.testing.assert_allclose(
            keys[length:].astype(np.float32),
            rotated(k_new[i], cos, sin, length, True).astype(np.float32),
            atol=4e-3,
        )
        keep = np.arange(length + 3) <= np.arange(3)[:, None] + length
        expected = plain(
            rotated(q[i], cos, sin, length, True)[None], keys[None], values[None], keep
        )
        np.testing.assert_allclose(out[i].astype(np.float64), expected[0], atol=5e-3)


def test_packed_rows_over_a_list_of_pages() -> None:
    k, v = caches(12, 16, 2, 128)
    q = random(9, 4, 128)
    result = attender().attention_kvcache(
        q,
        k,
        v,
        cu_seqlens_q=[0, 4, 9],
        kv_indptr=[0, 3, 9],
        kv_page_indices=np.arange(11, 2, -1),
        cache_seqlens=[40, 90],
        causal=True,
        validate=True,
    )
    keys, values = (np.concatenate(one[11:8:-1])[None, :40] for one in (k, v))
    expected = plain(q[None, :4], keys, values, np.arange(40) <= np.arange(4)[:, None] + 36)
    np.testing.assert_allclose(result.out[:4].astype(np.float64), expected[0], atol=4e-3)


def test_packed_rows_over_a_table() -> None:
    k, v = caches(12, 16, 2, 128)
    q = random(9, 4, 128)
    table = np.arange(12).reshape(2, 6)
    found = attender().attention_varlen(
        q, k, v, [0, 4, 9], block_table=table, seqused_k=[40, 90], causal=True, validate=True
    )
    by_starts = attender().attention_varlen(
        q, k, v, [0, 4, 9], [0, 40, 130], block_table=table, causal=True
    )
    assert np.array_equal(found.out, by_starts.out)
