# SPDX-License-Identifier: MIT
"""``validate="device"`` of attention, whose products a plain kernel computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_support import attender, random
from ckdispatch.comparison import Comparison
from ckdispatch.fmha.reference import Attention, forward_varlen
from numpy.typing import NDArray

Q, K, V = random(1, 33, 4, 64), random(1, 40, 2, 64, seed=1), random(1, 40, 2, 64, seed=2)
STARTS_Q, STARTS_K = [0, 20, 20, 55], [0, 40, 70, 70]
"""Of packed sequences, one of which has no rows and one no keys."""


def typed(dtype: str, *arrays: NDArray[Any]) -> list[NDArray[Any]]:
    return [one.astype(attender().device.numpy_dtype(dtype)) for one in arrays]


def packed() -> list[NDArray[Any]]:
    return [random(55, 4, 64), random(70, 2, 64, seed=1), random(70, 2, 64, seed=2)]


def same(once: Comparison | None, again: Comparison | None) -> None:
    """Two calls that gave the same, compared with references whose products are the same."""
    assert once and again
    assert once.size == again.size
    assert once.max_abs == pytest.approx(again.max_abs, rel=1e-9)
    assert once.max_ulps == pytest.approx(again.max_ulps, rel=1e-6)


def same_calls(name: str, *given: Any, **said: Any) -> None:
    calls = [getattr(attender(), name)(*given, **said, validate=how) for how in (True, "device")]
    same(*(one.comparison for one in calls))


@pytest.mark.parametrize(
    "said", [{}, {"causal": True}, {"dropout_p": 0.3, "seed": 5, "offset": 7}], ids=str
)
def test_forward(said: dict[str, Any]) -> None:
    same_calls("attention", Q, K, V, **said)


SCALES = {"q_scale": 0.5, "k_scale": 2.0, "v_scale": 0.75}


@pytest.mark.parametrize(
    ("dtype", "said"),
    [
        ("fp32", {"causal": True}),
        ("fp8", {**SCALES, "causal": True}),
        ("fp8", {**SCALES, "o_scale": 0.25, "dtype": "fp8"}),
    ],
    ids=["fp32", "fp8 to bf16", "fp8"],
)
def test_other_dtypes(dtype: str, said: dict[str, Any]) -> None:
    same_calls("attention", *typed(dtype, Q, K, V), **said)


@pytest.mark.parametrize(
    ("dtype", "said"),
    [("fp16", {"causal": True, "return_lse": True}), ("bf16", {"soft_cap": 2.5})],
    ids=["fp16", "bf16"],
)
def test_packed_sequences(dtype: str, said: dict[str, Any]) -> None:
    same_calls("attention_varlen", *typed(dtype, *packed()), STARTS_Q, STARTS_K, **said)


@pytest.mark.parametrize("new", [False, True], ids=["as it is", "with new keys"])
def test_a_cache(new: bool) -> None:
    cache = random(2, 90, 2, 64, seed=1), random(2, 90, 2, 64, seed=2)
    said: dict[str, Any] = {"cache_seqlens": [70, 33], "causal": True}
    if new:
        said |= {"k_new": random(2, 3, 2, 64, seed=3), "v_new": random(2, 3, 2, 64, seed=4)}
    same_calls("attention_kvcache", random(2, 3, 4, 64), *cache, **said)


def test_pages_of_a_cache() -> None:
    pages = random(6, 64, 2, 64, seed=1), random(6, 64, 2, 64, seed=2)
    said = {"cache_seqlens": [150, 33], "block_table": np.array([[5, 0, 3], [1, 2, 4]])}
    same_calls("attention_kvcache", random(2, 3, 4, 64), *pages, **said, causal=True)


def test_gradients() -> None:
    made = attender().attention(Q, K, V, return_lse=True)
    given = random(1, 33, 4, 64, seed=3), Q, K, V, made.out, made.lse
    once, again = (attender().attention_bwd(*given, validate=how) for how in (True, "device"))
    assert len(once.comparisons) == 3
    for one, other in zip(once.comparisons, again.comparisons, strict=True):
        same(one, other)


def test_gradients_of_packed_sequences_and_a_bias() -> None:
    q, k, v = packed()
    bias = random(4, 55, 40)
    made = forward_varlen(
        q,
        k,
        v,
        STARTS_Q,
        STARTS_K,
        Attention(mask="bottom_right", window=(-1, 0)),
        bias=bias,
        unwritten=0.0,
    )
    given = random(55, 4, 64, seed=3), q, k, v
    lse = made.lse.rounded.astype(np.float32)
    said: dict[str, Any] = {
        "cu_seqlens_q": STARTS_Q,
        "cu_seqlens_k": STARTS_K,
        "causal": True,
        "bias": bias,
        "return_dbias": True,
    }
    once, again = (
        attender().attention_bwd(*given, made.o.rounded, lse, **said, validate=how)
        for how in (True, "device")
    )
    assert len(once.comparisons) == 4
    for one, other in zip(once.comparisons, again.comparisons, strict=True):
        same(one, other)
