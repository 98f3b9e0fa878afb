# SPDX-License-Identifier: MIT
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from ckdispatch import GemmProblem
from ckdispatch.errors import Code, InvalidArgument
from dispatch_support import dispatcher


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("64x32x16", GemmProblem(64, 32, 16)),
        ("gemm 64x32x16 bf16 rrr", GemmProblem(64, 32, 16, dtype="bf16", layout="rrr")),
        ("64x32x16,fp16,split_k=4", GemmProblem(64, 32, 16, split_k=4)),
        (
            "1x2x3 batch=5 stride_a=7 deterministic=true",
            GemmProblem(1, 2, 3, batch=5, stride_a=7, deterministic=True),
        ),
        ("8x8x8 Relu", GemmProblem(8, 8, 8, fused_op="Relu")),
        ("8x8x8 MultiDAddRelu", GemmProblem(8, 8, 8, fused_op="MultiDAddRelu", d_count=1)),
        (
            "8x8x8 MultiDAdd dtype_d=fp32 d_layout=c d_strides=0/packed/9",
            GemmProblem(
                8,
                8,
                8,
                fused_op="MultiDAdd",
                d_count=3,
                dtype_d="fp32",
                d_layout="c",
                d_strides=(0, None, 9),
            ),
        ),
        (
            "8x8x8 batch=2 batch_strides=64/0/72",
            GemmProblem(8, 8, 8, batch=2, batch_strides=(64, 0, 72)),
        ),
        (
            "8x8x8 batch=2 MultiDAdd d_batch_strides=packed",
            GemmProblem(8, 8, 8, batch=2, fused_op="MultiDAdd", d_count=1, d_batch_strides=(None,)),
        ),
        ("8x16x32 weights=16x32", GemmProblem(8, 16, 32, weights="16x32")),
        ("8x16x32+1x2x3 bf16", GemmProblem.grouped([(8, 16, 32), (1, 2, 3)], dtype="bf16")),
    ],
)
def test_a_problem_is_read_from_text(text: str, problem: GemmProblem) -> None:
    assert GemmProblem.parse(text) == problem
    assert GemmProblem.parse(problem.text) == problem


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no GEMM problem; write MxNxK"),
        ("64x32", "is no GEMM problem; write MxNxK"),
        ("64x32x16 split_k=x", "split_k is a whole number"),
        ("64x32x16 deterministic=yes", "it is true or false"),
        ("64x32x16 colour=red", "has the word 'colour'"),
        ("64x32x16+", "is no GEMM problem; write MxNxK"),
        ("64x32x16+1x2 fp16", "is no GEMM problem; write MxNxK"),
        ("64x32x16 MultiDAdd d_strides=0/x", "d_strides is a whole number"),
        (
            "64x32x16 MultiDAdd d_count=1 d_strides=0/0",
            (
                "d_strides = \\(0, 0\\); it must be None or a tuple of 1, "
                "of whole numbers and None for packed ones$"
            ),
        ),
        (
            "64x32x16 batch=2 batch_strides=1/2",
            "it must be None or a tuple of 3, of whole numbers$",
        ),
        (
            "64x32x16 batch=2 batch_strides=1/packed/2",
            "it must be None or a tuple of 3, of whole numbers$",
        ),
        (
            "64x32x16 fp17",
            (
                "has the word 'fp17'; by themselves stand layouts: three letters r or c, .*; "
                "dtypes: fp16, "
            ),
        ),
        ("64x32x16 fp16 bf16", "has fp16 and bf16, which both say dtype"),
        ("64x32x16 Bogus", "the operation 'Bogus' was asked for; there are PassThrough, "),
        ("64x32x" + 5000 * "1", "MxNxK"),
        ("64x32x16 batch=" + 5000 * "1", "batch is a whole number"),
        ("64x32x16 weights=16", "weights preshuffled as '16' were asked for"),
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
        (
            GemmProblem(8, 8, 8, fused_op="MultiDAdd", d_count=1, d_strides=(7,)),
            "D0 of leading dimension 7",
        ),
        (
            GemmProblem(8, 8, 8, fused_op="MultiDAdd", d_count=1, d_layout="x"),
            "D tensors of the layout 'x'",
        ),
        (GemmProblem(8, 8, 8, fused_op="MultiDAdd", d_count=1, dtype_d="half"), "dtype 'half'"),
        (GemmProblem(8, 8, 8, weights="16x32"), "N x K = 8 x 8; each must be a multiple"),
        (GemmProblem.grouped([(8, 8, 8), (8, 0, 8)]), "M x N x K = 8 x 0 x 8"),
        (GemmProblem.grouped([(8, 8, 8)], batch=2), "groups have none"),
    ],
)
def test_a_senseless_problem_is_refused_before_anything_is_selected(
    problem: GemmProblem, sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence) as raised:
        dispatcher().plan(problem)
    assert raised.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            {"split_k": -1},
            "split_k = -1; it is the number of parts, or 0 for the dispatcher to choose",
        ),
        ({"workspace_limit": -1}, "workspace_limit = -1; it is a number of bytes, or None"),
        (
            {"batch_strides": (2**70, 1, 1)},
            "batch_strides = .*; it must be None or a tuple of 3, of whole numbers$",
        ),
        ({"batch_strides": (1, 2)}, "it must be None or a tuple of 3, of whole numbers$"),
        ({"batch_strides": 5}, "it must be None or a tuple of 3, of whole numbers$"),
        (
            {"d_count": 1, "d_strides": (1.5,)},
            (
                "d_strides = .*; it must be None or a tuple of 1, "
                "of whole numbers and None for packed ones$"
            ),
        ),
        ({"dtype": 5}, "a problem was asked for with 5 in place of a word such as 'fp16'"),
        ({"weights": 5}, "weights preshuffled as 5 were asked for"),
        ({"weights": "4294967312x8"}, "weights preshuffled as '4294967312x8' were asked for"),
        (
            {"alignment": 2**32 + 16},
            "alignment = 4294967312; it must be a whole number of at most 2\\^31-1",
        ),
        (
            {"d_count": 2**32 + 1},
            "d_count = 4294967297; it must be a whole number of at most 2\\^31-1",
        ),
        ({"fused_op": "relu"}, "the operation 'relu' was asked for; there are PassThrough, .*Relu"),
    ],
)
def test_a_senseless_option_is_refused_at_once(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        GemmProblem(8, 8, 8, **words)


@pytest.mark.parametrize("group", [(64, 64), 64, (1, 2, 3, 4, 5, 6, 7)])
def test_a_group_that_is_none_is_refused(group: Any) -> None:
    with pytest.raises(InvalidArgument, match="a group is m, n and k"):
        GemmProblem.grouped([group])


def test_strides_may_be_a_list() -> None:
    strides: Any = [64, 0, np.int64(64)]
    assert GemmProblem(8, 8, 8, batch=2, batch_strides=strides).batch_strides == (64, 0, 64)


def test_sizes_may_be_numbers_of_numpy() -> None:
    numpys = GemmProblem(np.int64(1), np.uint8(2), np.array(3), split_k=np.int32(1))  # type: ignore[arg-type]  # an array of NumPy is taken
    assert numpys == GemmProblem(1, 2, 3)
    assert type(numpys.m) is int


def test_sizes_must_be_whole_numbers() -> None:
    with pytest.raises(InvalidArgument, match=r"m = 1.5"):
        GemmProblem(1.5, 1, 1)  # type: ignore[arg-type]  # what is refused


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
    groups = GemmProblem.grouped([(1, 2, 3), (4, 5, 6, 7)])
    copy = pickle.loads(pickle.dumps(groups))
    assert copy == groups
    assert copy.structure.groups[1].stride_a == 7


def test_the_tensors_of_a_problem_have_names() -> None:
    assert GemmProblem(1, 2, 3, fused_op="MultiDAdd", d_count=2).tensors == (
        "A",
        "B",
        "C",
        "D0",
        "D1",
    )
    assert GemmProblem.grouped([(1, 2, 3), (4, 5, 6)]).tensors == (
        "A0",
        "B0",
        "C0",
        "A1",
        "B1",
        "C1",
    )


def test_groups_are_problems_of_their_own() -> None:
    assert GemmProblem.grouped([(1, 2, 3), (4, 5, 6, 7)], dtype="bf16").products() == [
        GemmProblem(1, 2, 3, dtype="bf16"),
        GemmProblem(4, 5, 6, dtype="bf16", stride_a=7),
    ]


def test_no_groups_are_no_problem() -> None:
    with pytest.raises(InvalidArgument, match="a GEMM of no groups was asked for"):
        GemmProblem.grouped([])


def test_flops_count_the_batch() -> None:
    assert GemmProblem(2, 3, 4, batch=5).flops == 240
    assert GemmProblem.grouped([(2, 3, 4), (1, 1, 1)]).flops == 50
