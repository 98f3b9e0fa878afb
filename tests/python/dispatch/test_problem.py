# SPDX-License-Identifier: MIT
from __future__ import annotations

import pickle

import pytest
from dispatch_support import dispatcher

from ckdispatch import GemmProblem
from ckdispatch.errors import Code, InvalidArgument


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("64x32x16", GemmProblem(64, 32, 16)),
        ("gemm 64x32x16 bf16 rrr", GemmProblem(64, 32, 16, dtype="bf16", layout="rrr")),
        ("64x32x16,fp16,split_k=4", GemmProblem(64, 32, 16, split_k=4)),
        ("1x2x3 batch=5 stride_a=7 deterministic=true", GemmProblem(1, 2, 3, batch=5, stride_a=7, deterministic=True)),
    ],
)
def test_a_problem_is_read_from_text(text: str, problem: GemmProblem) -> None:
    assert GemmProblem.parse(text) == problem


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no GEMM problem; write MxNxK"),
        ("64x32", "is no GEMM problem; write MxNxK"),
        ("64x32x16 split_k=x", "split_k is a whole number"),
        ("64x32x16 deterministic=yes", "it is true or false"),
        ("64x32x16 colour=red", "has the word 'colour'"),
    ],
)
def test_text_that_is_no_problem_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        GemmProblem.parse(text)


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (GemmProblem(0, 1, 1), "M x N x K = 0 x 1 x 1"),
        (GemmProblem(1, 2**31, 1), "each must be from 1 to"),
        (GemmProblem(8, 8, 8, layout="rx"), "layout 'rx'"),
        (GemmProblem(8, 8, 8, dtype="fp17"), "dtype 'fp17'"),
        (GemmProblem(8, 8, 8, stride_a=4), "A of leading dimension 4; it must be at least 8"),
        (GemmProblem(8, 8, 8, batch=-1), "a batch of -1"),
        (GemmProblem(8, 8, 8, batch=0), "a batch of -1"),
        (GemmProblem(8, 8, 8, split_k=9), "split into 9 parts"),
        (GemmProblem(8, 8, 8, alignment=3), "aligned to 3 bytes"),
        (GemmProblem(8, 8, 8, d_count=5), "5 D tensors"),
        (GemmProblem(8, 8, 8, batch=2, batch_strides=(0, 0, 0)), "batch stride of C"),
    ],
)
def test_a_senseless_problem_is_refused_before_anything_is_selected(problem: GemmProblem, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence) as raised:
        dispatcher().plan(problem)
    assert raised.value.code is Code.INVALID_ARGUMENT


def test_sizes_must_be_whole_numbers() -> None:
    with pytest.raises(InvalidArgument, match="m = 1.5"):
        GemmProblem(1.5, 1, 1)  # type: ignore[arg-type]


def test_equal_problems_are_one_key() -> None:
    one, other = GemmProblem(1, 2, 3), GemmProblem(1, 2, 3)
    assert one == other
    assert hash(one) == hash(other)
    assert one != GemmProblem(1, 2, 3, split_k=2)


def test_a_problem_can_be_pickled() -> None:
    problem = GemmProblem(1, 2, 3, batch=4, batch_strides=(1, 2, 6))
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert copy.structure.m == 1


def test_flops_count_the_batch() -> None:
    assert GemmProblem(2, 3, 4, batch=5).flops == 240
