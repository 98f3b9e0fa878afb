# SPDX-License-Identifier: MIT
"""What cannot be computed is refused with a sentence; nothing is launched, and nothing written."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from attention_support import attender, random
from ckdispatch.errors import InvalidArgument

Q, K, V = random(2, 8, 4, 64), random(2, 9, 2, 64, seed=1), random(2, 9, 2, 64, seed=2)
WRONG_FP8 = ml_dtypes.float8_e4m3fn  # gfx942 has the other encoding


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"k": random(2, 9, 3, 64), "v": random(2, 9, 3, 64)}, "4 heads of q and 3 of k"),
        ({"q": random(2, 8, 4, 32)}, "one head size"),
        ({"v": random(2, 10, 2, 64)}, "as many rows"),
        ({"q": random(3, 8, 4, 64)}, "as many sequences"),
        ({"q": random(8, 4, 64)}, "batch, rows, heads, head size"),
        ({"k": K.astype(np.float32)}, "all must be alike"),
        ({"q": "many"}, "q is"),
        ({"v": None}, "v is None"),
        ({"soft_cap": 0}, "more than 0"),
        ({"soft_cap": -3}, "more than 0"),
        ({"dropout_p": 1}, "from 0 to less than 1"),
        ({"dropout_p": -0.1}, "from 0 to less than 1"),
        ({"dropout_p": float("nan")}, "finite"),
        ({"return_randval": True}, "without dropout"),
        ({"layout": "sbhd"}, "bshd, bhsd"),
        ({"scale": float("inf")}, "finite"),
        ({"bias": random(8, 9, dtype=np.float32)}, "convert it"),
        ({"bias": random(7, 9)}, "does not broadcast"),
        ({"bias": random(8, 9), "alibi_slopes": random(4, dtype=np.float32)}, "one or the other"),
        ({"alibi_slopes": random(3, dtype=np.float32)}, "for each of 4 heads"),
        ({"alibi_slopes": random(4)}, "float32"),
        ({"sinks": random(2, dtype=np.float32)}, "for each of 4 heads"),
        ({"seqused_k": [9, 10]}, "room for 9 rows"),
        ({"seqused_q": [1]}, "2 sequences"),
        ({"out": np.empty((2, 8, 4, 32), np.float16)}, "the result has"),
        ({"out": np.empty((2, 8, 4, 64), np.float32)}, "it can be of fp16"),
        ({"dtype": "bf16"}, "it can be of fp16"),
        ({"q_scale": 2.0}, "of fp8"),
        ({"splits": 1000}, "parts"),
        ({"splits": -1}, "splits"),
        ({"sink_tokens": 3}, "window"),
        ({"seed": "x", "dropout_p": 0.1}, "seed"),
        (
            {"q": Q.astype(WRONG_FP8), "k": K.astype(WRONG_FP8), "v": V.astype(WRONG_FP8)},
            "encoding",
        ),
    ],
)
def test_attention(given: dict[str, Any], said: str) -> None:
    arguments = {"q": Q, "k": K, "v": V, **given}
    operands = [arguments.pop(name) for name in "qkv"]
    with pytest.raises(InvalidArgument, match=said):
        attender().attention(*operands, **arguments)


def test_decodes_of_a_batch_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="decodes can be told from prefills"):
        attender().attention_kvcache(Q, K, V, decode_rows=1)
    with pytest.raises(InvalidArgument, match="decode_rows"):
        attender().attention_varlen(Q[0], K[0], V[0], [0, 8], [0, 9], decode_rows=-1)


def test_a_result_over_its_operands_is_refused() -> None:
    on = attender()
    q, k, v = (on.to_device(one) for one in (Q, K, V))
    before = q.numpy()
    with pytest.raises(InvalidArgument, match=r"overlap|memory"):
        on.attention(q, k, v, out=q.seen_as(Q.shape, q.strides))
    assert np.array_equal(q.numpy(), before)


def test_sizes_beyond_32_bits_are_refused() -> None:
    on = attender()
    one = on.empty((1, 1, 1, 64), "fp16")
    long = one.seen_as((1, 2**31, 1, 64), (0, 0, 0, 1))
    with pytest.raises(InvalidArgument, match=r"2\^31-1"):
        on.attention(one, long, long)


PACKED = random(20, 4, 64), random(30, 2, 64, seed=1), random(30, 2, 64, seed=2)


@pytest.mark.parametrize(
    ("starts", "given", "said"),
    [
        (([0, 20], [0, 10, 30]), {}, "one more than there are"),
        (([1, 20], [0, 30]), {}, "begins with 0"),
        (([0, 21], [0, 30]), {}, "q has 20 rows"),
        (([0, 20], [0, 31]), {}, "k has 30 rows"),
        (([0, 15, 10, 20], [0, 10, 20, 30]), {}, "less than the one before"),
        (([0, 20], None), {}, "cu_seqlens_k is None"),
        (([0, 20], [0, 30]), {"max_seqlen_q": 10}, "has 20 rows"),
        (([0, 20], [0, 30]), {"seqused_k": [31]}, "room for 30 rows"),
        (([0.5, 20], [0, 30]), {}, "whole numbers"),
    ],
)
def test_packed_sequences(starts: tuple[Any, Any], given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        attender().attention_varlen(*PACKED, *starts, **given)


CACHE = random(2, 9, 2, 64), random(2, 9, 2, 64, seed=1)
PAGES = random(5, 64, 2, 64), random(5, 64, 2, 64, seed=1)
NEW = {"k_new": random(2, 2, 2, 64), "v_new": random(2, 2, 2, 64, seed=1)}
ANGLES = {"rotary_cos": random(9, 16), "rotary_sin": random(9, 16)}


@pytest.mark.parametrize(
    ("cache", "given", "said"),
    [
        (CACHE, {"cache_seqlens": [9, 10]}, "room for 9 rows"),
        (CACHE, {"cache_seqlens": 10}, "room for 9 rows"),
        (CACHE, {**NEW}, "without cache_seqlens"),
        (CACHE, {**NEW, "cache_seqlens": [8, 3]}, "room for 7 rows"),
        (CACHE, {**NEW, "v_new": None, "cache_seqlens": 3}, "v_new is None"),
        (CACHE, {**NEW, "k_new": random(2, 2, 2, 32), "cache_seqlens": 3}, "k_new has the shape"),
        (CACHE, {**ANGLES, "cache_seqlens": 3}, "without k_new"),
        (CACHE, {**NEW, **ANGLES, "rotary_sin": None, "cache_seqlens": 3}, "a rotation has both"),
        (
            CACHE,
            {**NEW, "rotary_cos": random(4, 16), "rotary_sin": random(4, 16), "cache_seqlens": 3},
            "4 positions",
        ),
        (
            CACHE,
            {**NEW, "rotary_cos": random(9, 64), "rotary_sin": random(9, 64), "cache_seqlens": 3},
            "at most 64",
        ),
        (CACHE, {"cache_index": [0, 2]}, "from 0 to 1"),
        (CACHE, {**NEW, "cache_index": [1, 1], "cache_seqlens": 3}, "twice"),
        ((PAGES[0], PAGES[1][:4]), {"block_table": [[0], [1]]}, "both have as many"),
        (PAGES, {"cache_seqlens": 3}, "cache_index"),
        (
            PAGES,
            {"block_table": [[0, 5], [1, 2]], "cache_seqlens": [100, 3]},
            "the page 5 for sequence 0",
        ),
        (PAGES, {"block_table": [[0, -1], [1, 2]]}, "the page -1 for sequence 0"),
        (PAGES, {"block_table": [[0, 1]]}, "for each of 2 sequences"),
        (PAGES, {"block_table": [[0], [1]], "cache_seqlens": [65, 3]}, "room for 64 rows"),
        (PAGES, {"kv_indptr": [0, 1, 2]}, "has both"),
        (PAGES, {"kv_indptr": [0, 1, 3], "kv_page_indices": [0, 1]}, "ends with 3"),
        (PAGES, {"kv_indptr": [0, 1, 2], "kv_page_indices": [0, 9]}, "the page 9"),
        (PAGES, {"kv_indptr": [0, 2], "kv_page_indices": [0, 1]}, "one more"),
        (
            PAGES,
            {"kv_indptr": [0, 1, 2], "kv_page_indices": [0, 1], "cache_seqlens": [65, 1]},
            "room for 64 rows",
        ),
        (
            PAGES,
            {"kv_indptr": [0, 1, 2], "kv_page_indices": [0, 1], "block_table": [[0], [1]]},
            "by one of them",
        ),
    ],
)
def test_caches(cache: tuple[Any, Any], given: dict[str, Any], said: str) -> None:
    before = [one.copy() for one in cache]
    with pytest.raises(InvalidArgument, match=said):
        attender().attention_kvcache(random(2, 1, 4, 64), *cache, **given)
    assert all(np.array_equal(one, old) for one, old in zip(cache, before, strict=True))


LSE = np.zeros((2, 4, 8), np.float32)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lse": None}, "return_lse=True"),
        ({"lse": LSE[:, :, :7]}, "lse has the shape"),
        ({"lse": LSE.astype(np.float16)}, "of fp16"),
        ({"out": None}, "out is None"),
        ({"dout": Q[:, :7]}, "dout has the shape"),
        ({"dropout_p": 0.1}, "no seed"),
        ({"return_dbias": True}, "without a bias"),
        ({"cu_seqlens_q": [0, 8]}, "have both"),
    ],
)
def test_gradients(given: dict[str, Any], said: str) -> None:
    arguments = {"dout": Q, "q": Q, "k": K, "v": V, "out": Q, "lse": LSE, **given}
    operands = [arguments.pop(name) for name in ("dout", "q", "k", "v", "out", "lse")]
    with pytest.raises(InvalidArgument, match=said):
        attender().attention_bwd(*operands, **arguments)


def test_gradients_in_the_same_memory_are_refused() -> None:
    same = np.empty((2, 9, 2, 64), np.float16)
    with pytest.raises(InvalidArgument, match="memory in common"):
        attender().attention_bwd(Q, Q, K, V, Q, LSE, dk=same, dv=same)
