# SPDX-License-Identifier: MIT
"""``attention`` and ``attention_varlen`` on the simulator, against the reference and against three
lines of NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_support import attender, heads_first, kernels, plain, random
from ckdispatch import DeviceTensor, Dispatcher, FmhaProblem
from ckdispatch.errors import InvalidArgument

Q, K, V = random(2, 33, 4, 64), random(2, 70, 2, 64, seed=1), random(2, 70, 2, 64, seed=2)
ROWS, KEYS = np.arange(33)[:, None], np.arange(70)


@pytest.mark.parametrize(
    ("said", "keep"),
    [
        ({}, True),
        ({"causal": True}, KEYS <= ROWS + 37),
        ({"causal": "top_left"}, KEYS <= ROWS),
        ({"causal": True, "window": (10, -1)}, (KEYS <= ROWS + 37) & (KEYS >= ROWS + 27)),
        ({"window": (5, 3)}, (KEYS <= ROWS + 40) & (KEYS >= ROWS + 32)),
        ({"mask": "t:5,3"}, (KEYS <= ROWS + 3) & (KEYS >= ROWS - 5)),
    ],
)
def test_masks_keep_what_they_say(said: dict[str, Any], keep: Any) -> None:
    result = attender().attention(Q, K, V, **said, validate=True)
    np.testing.assert_allclose(result.out.astype(np.float64), plain(Q, K, V, keep), atol=4e-3)


def test_lse_is_a_natural_logarithm() -> None:
    result = attender().attention(Q, K, V, causal=True, return_lse=True, validate=True)
    scores = (
        np.einsum("bihd,bjhd->bhij", Q.astype(np.float64), np.repeat(K, 2, 2).astype(np.float64))
        / 8
    )
    scores = np.where(KEYS <= ROWS + 37, scores, -np.inf)
    np.testing.assert_allclose(result.lse, np.log(np.exp(scores).sum(-1)), atol=1e-4)


def test_rows_without_keys_are_zero() -> None:
    result = attender().attention(
        random(1, 40, 2, 64), K[:1, :20], V[:1, :20], causal=True, return_lse=True, validate=True
    )
    assert not result.out[0, :20].any()
    assert (result.lse[0, :, :20] == -np.inf).all()
    assert np.isfinite(result.lse[0, :, 20:]).all()


def test_heads_may_come_before_rows() -> None:
    expected = attender().attention(Q, K, V, causal=True).out
    q, k, v = heads_first(Q, K, V)
    found = attender().attention(q, k, v, layout="bhsd", causal=True).out
    assert found.shape == q.shape
    assert np.array_equal(found.swapaxes(1, 2), expected)


def test_tensors_of_the_device_stay_there() -> None:
    on = attender()
    result = on.attention(*(on.to_device(one) for one in (Q, K, V)), return_lse=True)
    assert isinstance(result.out, DeviceTensor)
    assert isinstance(result.lse, DeviceTensor)
    assert result.changes == ()
    assert np.array_equal(result.out.numpy(), on.attention(Q, K, V).out)


def test_parts_of_one_tensor_are_used_where_they_are() -> None:
    on = attender()
    qkv = random(2, 40, 3, 2, 64)
    memory = on.to_device(qkv)
    result = on.attention(*(memory.part(2, i) for i in range(3)), causal=True, validate=True)
    assert result.changes == ()
    expected = on.attention(
        *(np.ascontiguousarray(qkv[:, :, i]) for i in range(3)), causal=True
    ).out
    assert np.array_equal(result.out.numpy(), expected)


class Foreign:
    """A tensor of another library: all that is known of it is DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)


def test_tensors_of_other_libraries_are_read_by_dlpack() -> None:
    found = attender().attention(Foreign(Q), Foreign(K[:, ::2]), Foreign(V[:, ::2]), validate=True)
    assert np.array_equal(found.out, attender().attention(Q, K[:, ::2], V[:, ::2]).out)


def test_heads_with_gaps_are_copied_and_told() -> None:
    on = attender()
    memory = on.to_device(random(1, 20, 2, 64, 2))
    gaps = memory.part(4, 0)
    result = on.attention(gaps, gaps, gaps, validate=True)
    assert any(change.startswith("q was copied") for change in result.changes)


def test_out_receives_the_result() -> None:
    on = attender()
    host, memory = np.empty_like(Q), on.empty(Q.shape, "fp16")
    expected = on.attention(Q, K, V).out
    assert on.attention(Q, K, V, out=host).out is host
    assert np.array_equal(host, expected)
    assert on.attention(Q, K, V, out=memory).out is memory
    assert np.array_equal(memory.numpy(), expected)
    wide = on.empty((2, 33, 4, 128), "fp16")
    view = wide.seen_as(Q.shape, wide.strides)
    on.attention(Q, K, V, out=view)
    assert np.array_equal(view.numpy(), expected)


def test_rows_that_do_not_count_are_left_alone() -> None:
    mark = np.full_like(Q, 7)
    result = attender().attention(
        Q, K, V, seqused_q=[33, 5], seqused_k=[0, 70], causal=True, out=mark, validate=True
    )
    assert (result.out[1, 5:] == 7).all()
    assert not result.out[0].any()
    alone = attender().attention(Q[1:, :5], K[1:], V[1:], causal=True).out
    assert np.array_equal(result.out[1, :5], alone[0])


def test_an_attention_without_rows_or_keys() -> None:
    on = attender()
    none = on.attention(Q[:, :0], K, V, return_lse=True)
    assert none.out.shape == (2, 0, 4, 64)
    assert none.lse.shape == (2, 4, 0)
    empty = on.attention(Q, K[:, :0], V[:, :0], return_lse=True, validate=True)
    assert not empty.out.any()
    assert (empty.lse == -np.inf).all()


@pytest.mark.parametrize(
    "shape", [(33, 70), (4, 33, 70), (2, 1, 33, 70), (2, 4, 1, 70), (2, 4, 33, 1)]
)
def test_a_bias_broadcasts(shape: tuple[int, ...]) -> None:
    result = attender().attention(Q, K, V, bias=random(*shape), causal=True, validate=True)
    assert result.comparison


@pytest.mark.parametrize("causal", [False, True, "top_left"])
def test_slopes_are_for_heads_or_for_sequences_too(causal: Any) -> None:
    slopes = random(2, 4, dtype=np.float32)
    assert (
        attender()
        .attention(Q, K, V, alibi_slopes=slopes, causal=causal, return_lse=True, validate=True)
        .comparison
    )
    assert (
        attender()
        .attention(Q, K, V, alibi_slopes=slopes[0], causal=causal, validate=True)
        .comparison
    )


def test_dropout_is_that_of_its_seed() -> None:
    on = attender()
    first = on.attention(
        Q, K, V, dropout_p=0.3, seed=5, offset=7, return_randval=True, validate=True
    )
    again = on.attention(Q, K, V, dropout_p=0.3, seed=5, offset=7)
    other = on.attention(Q, K, V, dropout_p=0.3)
    assert first.randval.dtype == np.uint8
    assert np.array_equal(first.out, again.out)
    assert not np.array_equal(first.out, other.out)
    assert np.array_equal(
        on.attention(Q, K, V, dropout_p=0.3, seed=other.seed, offset=other.offset).out, other.out
    )
    share = (first.randval <= np.floor(255 * 0.7)).mean()
    assert abs(share - 0.7) < 0.02


def test_seeds_may_be_on_the_device() -> None:
    on = attender()
    seeds = [on.to_device(np.array([number], np.uint64).view(np.int32)) for number in (5, 7)]
    found = on.attention(Q, K, V, dropout_p=0.3, seed=seeds[0], offset=seeds[1], validate=True)
    assert np.array_equal(found.out, on.attention(Q, K, V, dropout_p=0.3, seed=5, offset=7).out)


def test_caps_sinks_and_sink_tokens() -> None:
    on = attender()
    assert on.attention(Q, K, V, soft_cap=2.5, causal=True, validate=True).comparison
    sinks = np.array([0.5, -1, 3, 0], np.float32)
    assert on.attention(Q, K, V, sinks=sinks, return_lse=True, validate=True).comparison
    assert on.attention(
        Q, K, V, causal=True, window=(8, 0), sink_tokens=3, validate=True
    ).comparison


@pytest.mark.parametrize("splits", [1, 2, 5])
def test_keys_may_be_computed_in_parts(splits: int) -> None:
    result = attender().attention(
        Q, K, V, causal=True, splits=splits, return_lse=True, validate=True
    )
    assert len(result.plan.kernels) == (1 if splits == 1 else 2)


@pytest.mark.parametrize("size", [8, 24, 40, 61, 64])
def test_smaller_heads_fall_into_a_bucket(size: int) -> None:
    q, k, v = (np.ascontiguousarray(one[..., :size]) for one in (Q, K, V))
    assert attender().attention(q, k, v, causal=True, validate=True).comparison


def test_packed_sequences() -> None:
    starts_q, starts_k = [0, 20, 20, 55], [0, 40, 70, 70]
    q, k, v = random(55, 4, 64), random(70, 2, 64, seed=1), random(70, 2, 64, seed=2)
    result = attender().attention_varlen(
        q, k, v, starts_q, starts_k, causal=True, return_lse=True, validate=True
    )
    assert result.lse.shape == (4, 55)
    alone = attender().attention(q[None, :20], k[None, :40], v[None, :40], causal=True).out[0]
    np.testing.assert_allclose(
        result.out[:20].astype(np.float32), alone.astype(np.float32), atol=2e-3
    )
    assert not result.out[20:].any()


@pytest.mark.parametrize("decode_rows", [1, 2])
def test_decodes_among_prefills_may_be_computed_apart(
    decode_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts_q, starts_k = [0, 1, 141, 143, 143], [0, 90, 240, 300, 310]
    q, k, v = random(143, 4, 64), random(310, 2, 64, seed=1), random(310, 2, 64, seed=2)
    said: dict[str, Any] = {"causal": True, "return_lse": True, "validate": True}
    together = attender().attention_varlen(q, k, v, starts_q, starts_k, **said)
    any_plan = attender().attention_varlen(
        q, k, v, starts_q, starts_k, decode_rows=decode_rows, **said
    )
    np.testing.assert_allclose(
        any_plan.out.astype(np.float32), together.out.astype(np.float32), atol=2e-3
    )
    # In parts of their keys, and the prefill by the kernel that leaves them out.
    on = Dispatcher(kernels(), "sim:gfx942")
    (skips,) = (kernel.name for kernel in kernels() if "_skip_" in kernel.name)
    monkeypatch.setattr(
        on, "plan", lambda problem, *, pad: Dispatcher.plan(on, problem, kernel=skips)
    )
    apart = on.attention_varlen(
        q, k, v, starts_q, starts_k, decode_rows=decode_rows, splits=2, **said
    )
    first, second, third = apart.plan.kernels
    assert ("splitkv" in first, "combine" in second, third) == (True, True, skips)
    np.testing.assert_allclose(
        apart.out.astype(np.float32), together.out.astype(np.float32), atol=2e-3
    )
    np.testing.assert_allclose(apart.lse, together.lse, atol=1e-3)


def test_packed_sequences_with_room() -> None:
    q, k, v = random(60, 4, 64), random(80, 2, 64, seed=1), random(80, 2, 64, seed=2)
    result = attender().attention_varlen(
        q, k, v, [0, 30, 60], [0, 40, 80], seqused_q=[30, 11], seqused_k=[0, 33], validate=True
    )
    assert not result.out[:30].any()
    assert not result.out[41:].any()


def test_a_problem_runs_on_its_own_tensors_alone() -> None:
    on = attender()
    problem = FmhaProblem(2, 33, 70, 4, 2, 64, mask="bottom_right", window=(-1, 0))
    tensors = [on.to_device(one) for one in (Q, K, V)]
    out = on.empty(Q.shape, "fp16")
    on.run(problem, *tensors, out)
    on.run(problem, *tensors, out)
    assert np.array_equal(out.numpy(), on.attention(Q, K, V, causal=True).out)
    with pytest.raises(InvalidArgument, match="it needs 4: q, k, v, o"):
        on.run(problem, *tensors)
