# SPDX-License-Identifier: MIT
"""The reference of attention: what each feature means, and which results its tolerance lets
through.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.reference import (
    Attention,
    alibi_slopes,
    backward,
    combine,
    forward,
    forward_varlen,
    keep_threshold,
    random_bytes,
    with_sink,
)
from ckdispatch.fmha.reference.philox import philox
from ckdispatch.fmha.reference.scores import visible
from ckdispatch.reference.dtypes import numpy_dtype
from ckdispatch.reference.formats import Rounding, round_to
from emulated_attention import emulated_backward, emulated_forward
from random_attention import random_attention

CAUSAL = Attention(mask="bottom_right", window=(-1, 0))


def operands(
    rows: int,
    keys: int,
    heads: tuple[int, int] = (2, 1),
    hdim: int = 32,
    dtype: str = "fp16",
    seed: int = 0,
) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    kind = numpy_dtype(dtype, "fnuz")
    shapes = ((1, rows, heads[0], hdim), (1, keys, heads[1], hdim), (1, keys, heads[1], hdim))
    q, k, v = (round_to(random.normal(size=shape), kind) for shape in shapes)
    return q, k, v


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), (0x5F6FB709, 0x0D893F64, 0x4F121F81, 0x4F730A48)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x5207DDC2, 0x45165E59, 0x4D8EE751, 0x8C52F662)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0x4DFCCABA, 0x190A87F0, 0xC47362BA, 0xB6B5242A),
        ),
    ],
)
def test_philox_has_its_published_answers_for_seven_rounds(
    counter: tuple[int, ...], key: tuple[int, int], words: tuple[int, ...]
) -> None:
    assert tuple(int(word) for word in philox(np.array(counter, np.uint32), key)) == words


def test_random_bytes_are_those_of_their_place_alone() -> None:
    whole = random_bytes(0, 4, 100, 130, seed=7, offset=11)
    assert np.array_equal(random_bytes(0, 4, 33, 65, seed=7, offset=11), whole[:, :33, :65])
    # Sequence 1 of two heads continues where four heads of sequence 0 are.
    assert np.array_equal(random_bytes(1, 2, 100, 130, seed=7, offset=11), whole[2:])
    assert np.array_equal(random_bytes(0, 3, 100, 130, seed=7, offset=11 + 64), whole[1:])
    # Row 9 and column 3 of a tile are in lane 35, byte 1; row 18 is in lane 3, byte 10.
    words = philox(np.array([[11 + 35, 0, 2, 1], [11 + 3, 0, 2, 1]], np.uint32), (7, 0)).view(
        np.uint8
    )
    assert whole[0, 64 + 9, 32 + 3] == words[0, 1] and whole[0, 64 + 18, 32 + 3] == words[1, 10]


def test_an_offset_goes_over_into_the_second_word() -> None:
    whole = random_bytes(0, 1, 1, 32, seed=2**63 + 5, offset=2**32 - 4)
    word = philox(np.array([1, 1, 0, 0], np.uint32), (5, 2**31)).view(np.uint8)
    assert whole[0, 0, 5] == word[0]


@pytest.mark.parametrize(("p_drop", "byte"), [(0.1, 229), (0.5, 127), (0.999, 0)])
def test_dropout_keeps_bytes_up_to_a_threshold(p_drop: float, byte: int) -> None:
    assert keep_threshold(p_drop) == byte
    share = float((random_bytes(0, 1, 600, 600, 1, 2) <= byte).mean())
    assert abs(share - (byte + 1) / 256) < 0.005


@pytest.mark.parametrize("mask", ["top_left", "bottom_right"])
@pytest.mark.parametrize("window", [(-1, 0), (3, 2), (-1, 4), (2, -1), (-1, -1), (0, 0)])
@pytest.mark.parametrize(("rows", "keys"), [(5, 9), (9, 5), (1, 1), (6, 6)])
def test_a_window_is_around_the_diagonal_of_its_mask(
    mask: str, window: tuple[int, int], rows: int, keys: int
) -> None:
    kept = visible(Attention(mask=mask, window=window), rows, keys)
    shift = keys - rows if mask == "bottom_right" else 0
    for row in range(rows):
        for key in range(keys):
            distance = key - row - shift
            inside = (window[0] < 0 or distance >= -window[0]) and (
                window[1] < 0 or distance <= window[1]
            )
            assert kept[row, key] == inside, (row, key)


def test_the_first_keys_stay_in_spite_of_a_window() -> None:
    kept = visible(Attention(mask="bottom_right", window=(1, 0), sink_tokens=2), 6, 6)
    assert kept[5].tolist() == [True, True, False, False, True, True]
    assert kept[0].tolist() == [True, False, False, False, False, False]


def test_a_row_that_keeps_nothing_is_zero_and_its_lse_minus_infinity() -> None:
    made = forward(*operands(5, 3), CAUSAL)
    assert not made.o.exact[0, :2].any() and np.isneginf(made.lse.exact[0, :, :2]).all()
    assert (
        made.o.exact[0, 2:].any(axis=(1, 2)).all() and np.isfinite(made.lse.exact[0, :, 2:]).all()
    )
    without = forward(*operands(5, 0))
    assert not without.o.exact.any() and np.isneginf(without.lse.exact).all()


def test_a_sink_takes_its_share_and_is_all_that_an_empty_row_has() -> None:
    q, k, v = operands(5, 3)
    sink = np.array([0.5, -1.0], np.float32)
    made, plain = forward(q, k, v, CAUSAL, sink=sink), forward(q, k, v, CAUSAL)
    assert np.allclose(made.lse.exact, np.logaddexp(plain.lse.exact, sink[:, None]))
    assert np.array_equal(made.lse.exact[0, :, 0], sink.astype(float))
    o, lse = with_sink(plain.o.exact, plain.lse.exact, sink)
    assert np.allclose(o.exact, made.o.exact) and np.allclose(lse.exact, made.lse.exact)


def test_alibi_with_a_causal_window_shifts_lse_alone() -> None:
    q, k, v = operands(7, 20)
    slopes = alibi_slopes(2)
    assert slopes.tolist() == [0.0625, 0.00390625]
    vertical = forward(q, k, v, CAUSAL, slopes=slopes)
    distances = forward(
        q, k, v, Attention(mask="bottom_right", window=(-1, 0), vertical=False), slopes=slopes
    )
    assert np.allclose(vertical.o.exact, distances.o.exact)
    shift = slopes[:, None] * (np.arange(7) + 13)
    assert np.allclose(vertical.lse.exact, distances.lse.exact + shift)


def test_packed_sequences_are_those_of_a_batch() -> None:
    random = np.random.default_rng(3)
    problem = random_attention(random, "bf16", 60, group=True, features=("alibi",))
    assert problem.starts is not None
    packed = forward_varlen(
        problem.q, problem.k, problem.v, *problem.starts, problem.options, **problem.added
    )
    for rows, keys, number in problem.sequences():
        slopes = problem.added["slopes"]
        own = slopes if slopes.ndim == 1 else slopes[number]
        one = forward(
            problem.q[None, rows],
            problem.k[None, keys],
            problem.v[None, keys],
            problem.options,
            slopes=own,
        )
        assert np.allclose(packed.o.exact[rows], one.o.exact[0]) and np.allclose(
            packed.lse.exact[:, rows], one.lse.exact[0]
        )


def test_rows_beyond_a_length_are_nobodys() -> None:
    q, k, v = operands(9, 20)
    k[0, 13:], v[0, 13:] = np.nan, np.nan
    made = forward(q, k, v, CAUSAL, seqlen_q=[6], seqlen_k=[13])
    assert np.isnan(made.o.exact[0, 6:]).all() and np.isnan(made.lse.exact[0, :, 6:]).all()
    cut = forward(q[:, :6], k[:, :13], v[:, :13], CAUSAL)
    assert np.array_equal(made.o.exact[0, :6], cut.o.exact[0])
    gradients = backward(q, k, v, q, CAUSAL, seqlen_q=[6], seqlen_k=[13])
    assert (
        np.isnan(gradients.dk.exact[0, 13:]).all() and np.isfinite(gradients.dk.exact[0, :13]).all()
    )


def test_parts_combine_to_the_whole() -> None:
    q, k, v = operands(7, 50)
    parts = [
        forward(q, k, v, Attention(mask="bottom_right", window=(20, 0), parts=4, part=part))
        for part in range(4)
    ]
    o, lse = combine(
        np.stack([np.swapaxes(one.o.exact, 1, 2) for one in parts]),
        np.stack([one.lse.exact for one in parts]),
        np.dtype(np.float32),
    )
    whole = forward(q, k, v, Attention(mask="bottom_right", window=(20, 0)))
    assert np.allclose(np.swapaxes(o.exact, 1, 2), whole.o.exact) and np.allclose(
        lse.exact, whole.lse.exact
    )


def test_a_part_without_keys_does_not_count() -> None:
    lse = np.array([[0.0, -np.inf], [-np.inf, -np.inf]])
    o, both = combine(np.ones((2, 2, 3)), lse, np.dtype(np.float32))
    assert o.exact.tolist() == [[1.0] * 3, [0.0] * 3] and both.exact.tolist() == [0.0, -np.inf]


@pytest.mark.parametrize(
    ("dtype", "rounding"),
    [
        ("fp32", Rounding.NEAREST),
        ("fp16", Rounding.NEAREST),
        ("fp16", Rounding.TOWARDS_ZERO),
        ("bf16", Rounding.NEAREST),
    ],
)
def test_what_a_kernel_computes_is_within_the_tolerance_and_a_lost_key_is_not(
    dtype: str, rounding: Rounding
) -> None:
    lost, used = 0, 0.0
    for seed in range(12):
        q, k, v = operands(20, 150 + 30 * seed, (1, 1), 64, dtype, seed)
        made = forward(q, k, v, CAUSAL)
        one_q, one_k, one_v = (one[0, :, 0] for one in (q, k, v))
        kept = visible(CAUSAL, 20, k.shape[1])
        o, lse = emulated_forward(one_q, one_k, one_v, 64**-0.5, kept=kept, rounding=rounding)
        assert made.o.compare(round_to(o, q.dtype)[None, :, None]), seed
        assert made.lse.compare(lse[None, None])
        used = max(
            used,
            float(
                (
                    np.abs(o - made.o.exact[0, :, 0])
                    / made.o.tolerance.bound(made.o.exact)[0, :, 0]
                ).max()
            ),
        )
        kept[:, 100] = False
        o, lse = emulated_forward(one_q, one_k, one_v, 64**-0.5, kept=kept, rounding=rounding)
        lost += not made.o.compare(round_to(o, q.dtype)[None, :, None])
        assert not made.lse.compare(lse[None, None])
    # NumPy adds float32 up in pairs, which is better than what kernels may do by far; roundings to
    # 16 bits are what they are.
    assert lost == 12 and used > (0.005 if dtype == "fp32" else 0.1), (lost, used)


def test_a_kernel_of_8_bit_floats_is_within_the_tolerance_with_scaled_shares_and_without() -> None:
    for scale_p in (1.0, 240.0):
        q, k, v = operands(20, 150, (1, 1), 64, "fp8")
        made = forward(
            q, k, v, Attention(scale_p=scale_p, scale_o=0.5 / scale_p), output=numpy_dtype("bf16")
        )
        o, _ = emulated_forward(q[0, :, 0], k[0, :, 0], v[0, :, 0], 64**-0.5, scale_p=scale_p)
        stored = round_to(o * (0.5 / scale_p), numpy_dtype("bf16"))
        assert made.o.compare(stored[None, :, None])
        assert not made.o.compare(
            round_to(2 * o * (0.5 / scale_p), numpy_dtype("bf16"))[None, :, None]
        )


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16"])
def test_gradients_of_a_kernel_are_within_the_tolerance_and_a_wrong_factor_of_dropout_is_not(
    dtype: str,
) -> None:
    q, k, v = operands(60, 90, (1, 1), 32, dtype, 5)
    d_o = operands(60, 90, (1, 1), 32, dtype, 6)[0]
    options = Attention(p_drop=0.25, seed=3, offset=4)
    bits = random_bytes(0, 1, 60, 90, 3, 4)[0]
    factors = np.where(bits <= keep_threshold(0.25), np.float32(options.kept), np.float32(0))
    stored = forward(q, k, v, options)
    made = backward(q, k, v, d_o, options)
    heads = [one[0, :, 0] for one in (q, k, v, stored.o.rounded)]
    lse = stored.lse.rounded[0, 0]
    right, wrong = (
        emulated_backward(heads[0], heads[1], heads[2], heads[3], lse, d_o[0, :, 0], 32**-0.5, some)
        for some in (factors, factors * np.float32(0.75))
    )
    for one, good, bad in zip((made.dq, made.dk, made.dv), right, wrong, strict=True):
        assert one.compare(round_to(good, q.dtype)[None, :, None]), str(
            one.compare(round_to(good, q.dtype)[None, :, None])
        )
        assert not one.compare(round_to(bad, q.dtype)[None, :, None])


@pytest.mark.parametrize("which", [0, 1, 2, 3])
def test_operands_that_a_matrix_unit_takes_for_zeros_are_within_its_tolerance_and_no_others(
    which: int,
) -> None:
    given = [*operands(1, 3, (1, 1)), operands(1, 3, (1, 1), seed=1)[0]]
    given[which] = given[which].copy()
    given[which][..., ::4] = np.float16(5e-5)
    flushed = [np.where(np.abs(one) < 2.0**-14, np.float16(0), one) for one in given]
    ok = {}
    for flushes in (True, False):
        options = Attention(flushes=flushes)
        made, seen = (forward(q, k, v, options) for q, k, v, _ in (given, flushed))
        grads, seen_grads = (
            backward(
                q, k, v, d_o, options, o=made.o.rounded, lse=made.lse.rounded.astype(np.float32)
            )
            for q, k, v, d_o in (given, flushed)
        )
        pairs = [(made.o, seen.o), (made.lse, seen.lse)]
        pairs += [(getattr(grads, name), getattr(seen_grads, name)) for name in ("dq", "dk", "dv")]
        ok[flushes] = [bool(one.compare(other.rounded)) for one, other in pairs]
    assert all(ok[True]) and not all(ok[False])


def test_heads_of_k_get_the_sum_of_those_that_share_them() -> None:
    q, k, v = operands(10, 12, (4, 2))
    made = backward(q, k, v, q, CAUSAL)
    apart = backward(q, np.repeat(k, 2, axis=2), np.repeat(v, 2, axis=2), q, CAUSAL)
    for name in ("dk", "dv"):
        summed = getattr(apart, name).exact.reshape(1, 12, 2, 2, 32).sum(axis=3)
        assert np.allclose(getattr(made, name).exact, summed)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda q, k, v: forward(q[0], k, v), "q has the shape (5, 2, 32); it has 4 extents here"),
        (
            lambda q, k, v: forward(q[:, :, :1].repeat(3, 2), k.repeat(2, 2), v.repeat(2, 2)),
            "the heads of q are a multiple of those of k",
        ),
        (lambda q, k, v: forward(q, k[..., :8], v), "q and k have one head size"),
        (
            lambda q, k, v: forward(q, k, v, bias=np.zeros((2, 7))),
            "bias has the shape (2, 7), which does not broadcast to (1, 2, 5, 9)",
        ),
        (
            lambda q, k, v: forward(q, k, v, seqlen_k=[10]),
            "the lengths [10] were given for sequences with room for [9]",
        ),
        (
            lambda q, k, v: forward(q, k, v, Attention(soft_cap=3.0), slopes=np.ones(2)),
            "a soft cap together with a bias was asked for",
        ),
        (
            lambda q, k, v: forward_varlen(q[0], k[0], v[0], [0, 5], [0, 4, 9]),
            "both are [batch + 1]",
        ),
        (
            lambda q, k, v: Attention(mask="causal"),
            "the mask 'causal' was asked for; masks are none, top_left, bottom_right",
        ),
        (lambda q, k, v: Attention(p_drop=1.0), "it is from 0 to less than 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        call(*operands(5, 9))
    assert sentence in str(raised.value)
