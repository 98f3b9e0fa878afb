# SPDX-License-Identifier: MIT
"""``attention_bwd`` on the simulator, against the reference and against differences of
``attention``'s own formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_support import attender, heads_first, plain, random

Q, K, V = random(2, 33, 4, 64), random(2, 70, 2, 64, seed=1), random(2, 70, 2, 64, seed=2)
DOUT = random(2, 33, 4, 64, seed=3)


@pytest.mark.parametrize(
    "said", [{}, {"causal": True}, {"causal": "top_left"}, {"window": (9, 4)}], ids=str
)
def test_gradients_are_those_of_the_reference(said: dict[str, Any]) -> None:
    made = attender().attention(Q, K, V, **said, return_lse=True)
    found = attender().attention_bwd(DOUT, Q, K, V, made.out, made.lse, **said, validate=True)
    assert [one.shape for one in (found.dq, found.dk, found.dv)] == [Q.shape, K.shape, V.shape]
    assert len(found.comparisons) == 3
    assert len(found.kernels) >= 3


def test_gradients_are_slopes() -> None:
    """Of a sum of all results, weighted by dout, along one direction of each tensor."""
    made = attender().attention(Q, K, V, return_lse=True)
    found = attender().attention_bwd(DOUT, Q, K, V, made.out, made.lse)
    given = {"dq": Q, "dk": K, "dv": V}
    for i, (name, one) in enumerate(given.items()):
        direction = random(*one.shape, seed=7).astype(np.float64)
        step, tensors = 1e-4, [tensor.astype(np.float64) for tensor in (Q, K, V)]
        sums = []
        for sign in (1, -1):
            moved = list(tensors)
            moved[i] = tensors[i] + sign * step * direction
            sums.append((plain(*moved) * DOUT).sum())
        slope = (sums[0] - sums[1]) / (2 * step)
        assert abs(
            (getattr(found, name).astype(np.float64) * direction).sum() - slope
        ) < 0.05 * max(1, abs(slope)), name


def test_heads_may_come_before_rows() -> None:
    made = attender().attention(Q, K, V, causal=True, return_lse=True)
    expected = attender().attention_bwd(DOUT, Q, K, V, made.out, made.lse, causal=True)
    dout, q, k, v, out = heads_first(DOUT, Q, K, V, made.out)
    found = attender().attention_bwd(
        dout, q, k, v, out, made.lse, layout="bhsd", causal=True, validate=True
    )
    assert found.dk.shape == k.shape
    np.testing.assert_allclose(
        found.dv.swapaxes(1, 2).astype(np.float32), expected.dv.astype(np.float32), atol=2e-3
    )


def test_gradients_into_parts_of_one_tensor() -> None:
    on = attender()
    packed, gradient = on.to_device(random(2, 40, 3, 4, 64)), on.empty((2, 40, 3, 4, 64), "fp16")
    q, k, v = (packed.part(2, i) for i in range(3))
    made = on.attention(q, k, v, causal=True, return_lse=True)
    dout = on.to_device(random(2, 40, 4, 64, seed=5))
    dq, dk, dv = (gradient.part(2, i) for i in range(3))
    found = on.attention_bwd(
        dout, q, k, v, made.out, made.lse, causal=True, dq=dq, dk=dk, dv=dv, validate=True
    )
    assert (found.dq, found.dk, found.dv) == (dq, dk, dv)
    assert np.isfinite(gradient.numpy().astype(np.float32)).all()


def test_deterministic_gradients_of_dropout_and_slopes_have_the_same_bits() -> None:
    said: dict[str, Any] = {
        "causal": True,
        "alibi_slopes": np.array([0.5, 0.25, 0.125, 0.0625], np.float32),
        "dropout_p": 0.2,
        "seed": 3,
    }
    made = attender().attention(
        Q, K, V, return_lse=True, **{**said, "dropout_p": 0.0, "seed": None}
    )
    found = [
        attender().attention_bwd(
            DOUT, Q, K, V, made.out, made.lse, **said, deterministic=True, validate=True
        )
        for _ in range(2)
    ]
    assert np.array_equal(found[0].dq, found[1].dq)


def test_packed_sequences_and_the_gradient_of_a_bias() -> None:
    starts_q, starts_k = [0, 20, 20, 55], [0, 40, 70, 70]
    q, k, v, dout = (
        random(55, 4, 64),
        random(70, 2, 64, seed=1),
        random(70, 2, 64, seed=2),
        random(55, 4, 64, seed=3),
    )
    bias = random(4, 55, 40)
    from ckdispatch.fmha.reference import Attention, forward_varlen

    made = forward_varlen(
        q,
        k,
        v,
        starts_q,
        starts_k,
        Attention(mask="bottom_right", window=(-1, 0)),
        bias=bias,
        unwritten=0.0,
    )
    found = attender().attention_bwd(
        dout,
        q,
        k,
        v,
        made.o.rounded,
        made.lse.rounded.astype(np.float32),
        cu_seqlens_q=starts_q,
        cu_seqlens_k=starts_k,
        causal=True,
        bias=bias,
        return_dbias=True,
        validate=True,
    )
    assert found.dbias.shape == bias.shape
    assert not found.dk[70:].any()


def test_without_keys_there_is_no_gradient() -> None:
    lse = np.full((2, 4, 33), -np.inf, np.float32)
    found = attender().attention_bwd(DOUT, Q, K[:, :0], V[:, :0], np.zeros_like(Q), lse)
    assert not found.dq.any()
    assert found.dk.shape == (2, 0, 2, 64)


def test_without_rows_there_is_none_either() -> None:
    found = attender().attention_bwd(
        DOUT[:, :0], Q[:, :0], K, V, Q[:, :0], np.zeros((2, 4, 0), np.float32)
    )
    assert found.dq.shape == (2, 0, 4, 64)
    assert not found.dk.any()
    assert not found.dv.any()
