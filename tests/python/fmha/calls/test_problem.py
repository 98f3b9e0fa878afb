# SPDX-License-Identifier: MIT
"""Attention problems: fields, words, and what C reads of them."""

from __future__ import annotations

import pickle

import pytest
from ckdispatch import FmhaProblem
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.structure import PLACES, TENSORS

TEXTS = [
    "fmha 1x1x1 h1 d64 fp16",
    "fmha 2x130x270 h8/2 d128 fp16 causal",
    "fmha 2x3x4 h8 d64/32 bf16 causal=top_left lse seed=3 dropout=0.25",
    "fmha 2x3x400 h8 d64 fp16 rotary=half:32 lse new=1 page=128 splits=4",
    "fmha 2x3x400 h8 d64 fp16 page=128 pages=20 table=9",
    "fmha 2x3x400 h8 d64 fp16 page=1 pages=900 listed=600 group total=5/0",
    "fmha 3x10x20 h2 d64 fp32 window=4: alibi total=20/30 backward group deterministic",
    "fmha 3x10x20 h2 d64 fp16 mask=top_left window=:3 bhsd cap=30",
    "fmha 8x200x900 h8 d64 fp16 causal group total=207/3000 decodes=1",
    "fmha 1x2x3 h1 d64 fp16 mask=top_left window=:",
    "fmha 1x2x3 h1 d64 fp8bf16 bias scale=0.1 scale_p=240 scale_o=0.0123",
    "fmha 2x5x7 h2 d64 fp16 backward bias dbias strides="
    + "+".join(
        f"{name}:1:2:3"
        for name in ("q", "k", "v", "o", "bias", "lse", "d_o", "dq", "dk", "dv", "dbias")
    ),
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written_is_read_back(text: str) -> None:
    problem = FmhaProblem.parse(text)
    again = FmhaProblem.parse(problem.text)
    assert (again, hash(again)) == (problem, hash(problem))
    assert set(problem.text.split()) == set(text.split())


@pytest.mark.parametrize("text", TEXTS)
def test_a_copy_from_a_pickle_is_the_same(text: str) -> None:
    problem = FmhaProblem.parse(text)
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert (
        bytes(copy.structure)[16:] == bytes(problem.structure)[16:]
    )  # behind the address of a word


def test_causal_is_from_the_bottom_right_unless_it_is_said() -> None:
    assert FmhaProblem.parse("fmha 1x2x3 h1 d64 causal").mask == "bottom_right"
    assert FmhaProblem.parse("fmha 1x2x3 h1 d64 causal=top_left").mask == "top_left"
    assert FmhaProblem.parse("fmha 1x2x3 h1 d64 window=5:").window == (5, -1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fmha 2x3 h1 d64", "is no attention; write fmha, sequences x rows"),
        ("fmha 1x2x3 h1 d64 kausal", "has the word 'kausal'"),
        ("fmha 1x2x3 h1 d64 window=3", "keys to the left, a colon"),
        ("fmha 1x2x3 h1 d64 mask=left", "one of none, top_left, bottom_right"),
        ("fmha 1x2x3 h1 d64 causal causal", "both say mask"),
        ("fmha 1x2x3 h1 d64 cap=much", "cap is a number"),
        ("fmha 1x2x3 h1 d64 pages=-2", "a whole number of at least 0"),
        ("fmha 1x2x3 h1 d64 strides=q:1:2", "name and three numbers"),
        ("fmha 1x2x3 h1 d64 nonsense=3", "its words are mask"),
        ("fmha 1x2x3 h1 d64 rotary=third", "interleaved or half"),
    ],
)
def test_words_that_mean_nothing_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        FmhaProblem.parse(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("batch", 1.5),
        ("heads_q", None),
        ("scale", float("nan")),
        ("soft_cap", "x"),
        ("mask", "left"),
        ("window", (1,)),
        ("lse", 1),
        ("seed", -1),
        ("strides", (("q", 1, 2, 3),)),
        ("dtype", 16),
        ("layout", "sbhd"),
        ("batch", 2**70),
    ],
)
def test_fields_of_another_kind_are_refused(field: str, value: object) -> None:
    fields = {"batch": 1, "seqlen_q": 2, "seqlen_k": 3, "heads_q": 4, field: value}
    with pytest.raises(InvalidArgument):
        FmhaProblem(**fields)  # type: ignore[arg-type]  # what is refused


def test_tensors_are_those_of_the_header_that_the_problem_has() -> None:
    problem = FmhaProblem.parse("fmha 2x3x400 h8/2 d64 rotary=half:32 new=1 page=128 lse alibi")
    assert problem.tensors == (
        *(
            "q",
            "k",
            "v",
            "o",
            "bias",
            "lse",
            "k_new",
            "v_new",
            "rotary_cos",
            "rotary_sin",
            "seqlen_k",
            "block_table",
        ),
    )
    addresses = list(range(1, len(problem.tensors) + 1))
    placed = problem.placed(addresses)
    assert len(placed) == len(TENSORS)
    assert [placed[PLACES[name]] for name in problem.tensors] == addresses
    assert sum(address != 0 for address in placed) == len(addresses)


def test_spans_count_elements_of_packed_tensors() -> None:
    problem = FmhaProblem.parse("fmha 3x10x20 h4/2 d64/32 backward bias dbias")
    spans = dict(zip(problem.tensors, problem.spans(), strict=True))
    assert spans == {
        "q": 3 * 10 * 4 * 64,
        "k": 3 * 20 * 2 * 64,
        "v": 3 * 20 * 2 * 32,
        "o": 3 * 10 * 4 * 32,
        "bias": 3 * 4 * 10 * 20,
        "lse": 3 * 4 * 10,
        "d_o": 3 * 10 * 4 * 32,
        "dq": 3 * 10 * 4 * 64,
        "dk": 3 * 20 * 2 * 64,
        "dv": 3 * 20 * 2 * 32,
        "dbias": 3 * 4 * 10 * 20,
    }


def test_heads_come_first_in_the_other_layout() -> None:
    rows_first, heads_first = (
        FmhaProblem.parse(f"fmha 3x10x20 h4 d64 {layout}") for layout in ("bshd", "bhsd")
    )
    assert rows_first.strides_of("q") == (4 * 64, 64, 10 * 4 * 64)
    assert heads_first.strides_of("q") == (64, 10 * 64, 10 * 4 * 64)


def test_a_causal_mask_leaves_half_of_the_work() -> None:
    whole, causal = (FmhaProblem.parse(f"fmha 1x128x128 h1 d64 {mask}") for mask in ("", "causal"))
    assert whole.flops == 4 * 128 * 128 * 64
    assert causal.flops == 4 * (128 * 129 // 2) * 64
