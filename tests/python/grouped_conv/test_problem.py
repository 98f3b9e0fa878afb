# SPDX-License-Identifier: MIT
from __future__ import annotations

import ctypes
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ckdispatch import GemmProblem, GroupedConvProblem
from ckdispatch.errors import Code, InvalidArgument
from conv_support import convolver

PLAIN = GroupedConvProblem(8, 1, 64, 128, (56, 56), (3, 3), left_pad=(1, 1), right_pad=(1, 1))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n8 g1 c64 k128 56x56 3x3 stride=1 pad=1 fp16 forward", PLAIN),
        ("grouped_conv: n8 c64 k128 56x56 3x3, pad=1x1", PLAIN),
        (
            "n1 g2 c8 k16 9 3 stride=2 dilation=2 pad=0+1 bf16 backward_data",
            GroupedConvProblem(
                1,
                2,
                8,
                16,
                (9,),
                3,
                stride=2,
                dilation=2,
                right_pad=1,
                dtype="bf16",
                direction="backward_data",
            ),
        ),
        (
            (
                "n1 c8 k8 7x8x9 3x1x1 stride=2x1x3 pad=1+2x0x3 backward_weight split_k=0 "
                "deterministic=true"
            ),
            GroupedConvProblem(
                1,
                1,
                8,
                8,
                (7, 8, 9),
                (3, 1, 1),
                stride=(2, 1, 3),
                left_pad=(1, 0, 3),
                right_pad=(2, 0, 3),
                direction="backward_weight",
                split_k=0,
                deterministic=True,
            ),
        ),
        (
            "n1 c8 k8 5x5 1x1 nhwgc Relu",
            GroupedConvProblem(1, 1, 8, 8, (5, 5), 1, layout="nhwgc", fused_op="Relu"),
        ),
        ("n1 c8 k8 5x5 1x1 ngchw", GroupedConvProblem(1, 1, 8, 8, (5, 5), 1, layout="ngchw")),
        ("n1 c8 k8 5 1 layout=ngcw", GroupedConvProblem(1, 1, 8, 8, (5,), 1, layout="ngcw")),
        (
            "n1 c8 k8 5x5x5 1x1x1 ngcdhw bf16",
            GroupedConvProblem(1, 1, 8, 8, (5, 5, 5), 1, layout="ngcdhw", dtype="bf16"),
        ),
        ("n1 c8 k8 5x5 1x1 bias", GroupedConvProblem(1, 1, 8, 8, (5, 5), 1, bias=True)),
        (
            "n1 c8 k8 5x5 1x1 Relu bias",
            GroupedConvProblem(1, 1, 8, 8, (5, 5), 1, bias=True, fused_op="MultiDAddRelu"),
        ),
        (
            "n1 c8 k8 5x5 1x1 channels_first",
            GroupedConvProblem(1, 1, 8, 8, (5, 5), 1, layout="ngchw"),
        ),
        (
            "n1 c8 k8 5 1 layout=channels_last",
            GroupedConvProblem(1, 1, 8, 8, (5,), 1, layout="nwgc"),
        ),
        ("n1 c8 k8 6x6x6 3", GroupedConvProblem(1, 1, 8, 8, (6, 6, 6), 3)),
        (
            "n1 c8 k8 5x5 1x1 MultiDAddRelu dtype_y=fp32",
            GroupedConvProblem(
                1, 1, 8, 8, (5, 5), 1, bias=True, fused_op="MultiDAddRelu", dtype_y="fp32"
            ),
        ),
    ],
)
def test_a_problem_is_read_from_text(text: str, problem: GroupedConvProblem) -> None:
    assert GroupedConvProblem.parse(text) == problem
    assert GroupedConvProblem.parse(problem.text) == problem


def test_the_text_leaves_out_what_is_the_default() -> None:
    assert PLAIN.text == "n8 g1 c64 k128 56x56 3x3 pad=1 fp16 forward"
    assert GroupedConvProblem(1, 2, 3, 4, (5, 6), (1, 2), stride=(1, 2), bias=True).text == (
        "n1 g2 c3 k4 5x6 1x2 stride=1x2 fp16 forward MultiDAdd"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no convolution; write n, g, c and k"),
        ("n1 c8 k8 9x9", "is no convolution; write n, g, c and k"),
        ("n1 c8 k8 9x9 3x3 stride=x", "stride is a whole number"),
        ("n1 c8 k8 9x9 3x3 pad=1+", "pad is a whole number"),
        (
            "n1 c8 k8 9x9 3x3 pad=1x1x1",
            "has pad=1x1x1 and 2 spatial axes; a pad is a number, or one for each",
        ),
        (
            "n1 c8 k8 9x9 3x3x3",
            (
                r"filter is \(3, 3, 3\), and there are 2 spatial axes; give one for each, "
                r"or a number for all"
            ),
        ),
        ("n1 c8 k8 9x9 3x3 pad=-1", "pad=-1; pad is a whole number of at least 0"),
        ("n1 c8 k8 9x9 3x3 stride=-1", "stride is a whole number of at least 1"),
        (
            "n1 c8 k8 9x9 3x3 MultiDAdd bias=false",
            "with MultiDAdd and without a bias, which that takes",
        ),
        (
            "n1 c8 k8 9x9 3x3 sideways",
            "the word 'sideways'; by themselves stand directions: forward, .*; layouts: nwgc, "
            ".*channels_first; one more word: bias; operations: PassThrough, .*; dtypes: fp16, ",
        ),
        ("n1 c8 k8 9x9 3x3 relu", "has the word 'relu'"),
        ("n1 c8 k8 9x9 3x3 Bogus", "the operation 'Bogus' was asked for; there are PassThrough, "),
        ("n1 c8 k8 9x9 3x3 fp16 bf16", "has fp16 and bf16, which both say dtype; leave out one"),
        ("n1 c8 k8 9x9 3x3 pad=1 pad=2", "has pad=1 and pad=2, which both say pad"),
        (
            "n1 c8 k8 9x9 3x3 nhwgc layout=ngchw",
            "has nhwgc and layout=ngchw, which both say layout",
        ),
        ("n1 c8 k8 9x9 3x3 forward backward_data", "which both say direction"),
        ("n1 c8 k8 9x9 3x3 deterministic=yes", "it is true or false"),
        ("n1 c8 k8 9x9 3x3 colour=red", "has the word 'colour'"),
        ("n1 c8 k8 9x9 3x3 direction=up", "no direction 'up'"),
        ("n0 c8 k8 9x9 3x3", "each of them must be at least 1"),
        ("n1 c8 k8 2x2 3x3", "spans 3 positions, but an input of 2"),
    ],
)
def test_text_that_is_no_problem_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        GroupedConvProblem.parse(text)


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (replace(PLAIN, dtype="fp17"), "dtype 'fp17'"),
        (replace(PLAIN, n=2**31), "each must be from 1 to"),
        (replace(PLAIN, split_k=2), "only that of backward_weight is split"),
        (replace(PLAIN, direction="backward_data", fused_op="Relu"), "in forward alone"),
        (replace(PLAIN, direction="backward_data", bias=True), "with a bias"),
        (replace(PLAIN, alignment=3), "aligned to 3 bytes"),
    ],
)
def test_a_senseless_problem_is_refused_before_anything_is_selected(
    problem: GroupedConvProblem, sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence) as raised:
        convolver().plan(problem)
    assert raised.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            {"layout": "nwgc"},
            "with 2 spatial axes in the layout 'nwgc' was asked for; it has nhwgc or ngchw$",
        ),
        ({"layout": "ngcdhw"}, "it has nhwgc or ngchw$"),
        ({"layout": "nchw"}, "and the layouts are nwgc, nhwgc, ndhwgc, ngcw, ngchw, ngcdhw"),
        (
            {"layout": "ngchw", "direction": "backward_data"},
            "it has nhwgc, because channels first is forward only",
        ),
        (
            {"layout": "ngchw", "direction": "backward_weight"},
            "it has nhwgc, because channels first is forward only",
        ),
        (
            {"split_k": -1},
            "split_k = -1; it is the number of parts, or 0 for the dispatcher to choose",
        ),
        ({"workspace_limit": -1}, "workspace_limit = -1; it is a number of bytes, or None"),
        ({"alignment": 1.5}, "alignment = 1.5; it must be a whole number"),
        ({"fused_op": "relu"}, "the operation 'relu' was asked for; there are PassThrough, .*Relu"),
        ({"input": 6}, "input was asked for as 6; it has a number for each spatial axis"),
        ({"stride": 1.5}, "stride was asked for as 1.5; it must be a whole number"),
    ],
)
def test_a_senseless_problem_cannot_be_made(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        replace(PLAIN, **words)


def test_numbers_may_be_those_of_numpy() -> None:
    extents: list[Any] = [
        np.int64(8),
        np.uint8(1),
        np.int32(64),
        np.array(128),
        np.array([56, 56]),
        np.int64(3),
    ]
    words: dict[str, Any] = {
        "stride": np.array([1, 1]),
        "left_pad": np.int8(1),
        "right_pad": (np.int8(1), 1),
        "split_k": np.int64(1),
    }
    numpys = GroupedConvProblem(*extents, **words)
    assert numpys == PLAIN
    assert hash(numpys) == hash(PLAIN)
    assert json.dumps(numpys.to_json()) == json.dumps(PLAIN.to_json())


def test_sizes_must_be_whole_numbers() -> None:
    with pytest.raises(InvalidArgument, match=r"n = 1\.5"):
        GroupedConvProblem(1.5, 1, 1, 1, (3,), 3)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(
        InvalidArgument,
        match=rf"input was asked for as {2**70}; it must be a whole number of at most 2\^31-1",
    ):
        GroupedConvProblem(1, 1, 1, 1, (2**70,), 3)


def test_one_number_for_all_axes_is_the_same_problem() -> None:
    other = GroupedConvProblem(8, 1, 64, 128, (56, 56), 3, stride=1, left_pad=1, right_pad=[1, 1])
    assert other == PLAIN
    assert hash(other) == hash(PLAIN)
    assert other.filter == (3, 3)
    assert replace(PLAIN, right_pad=2) != PLAIN
    assert len({PLAIN, other, GemmProblem(8, 1, 64)}) == 2


def test_the_c_structure_has_every_value() -> None:
    problem = GroupedConvProblem(
        1,
        2,
        3,
        4,
        (15, 16, 17),
        (1, 2, 3),
        (2, 3, 1),
        (1, 2, 3),
        (4, 5, 6),
        (7, 8, 9),
        "forward",
        "bf16",
        "fp16",
        "fp32",
        "ndhwgc",
        1,
        "MultiDAddRelu",
        True,
        8,
        True,
        99,
    )
    found = problem.structure
    assert (found.base.struct_size, found.base.family) == (ctypes.sizeof(found), 2)
    assert (found.n, found.g, found.c, found.k, found.ndim_spatial, found.d_count) == (
        1,
        2,
        3,
        4,
        3,
        1,
    )
    axis = found.axis[1]
    assert (axis.input, axis.filter, axis.output, axis.stride, axis.dilation) == (16, 2, 9, 3, 2)
    assert (axis.left_pad, axis.right_pad) == (5, 8)
    assert (found.direction, found.dtype_x, found.dtype_w, found.dtype_y) == (
        b"forward",
        b"bf16",
        b"fp16",
        b"fp32",
    )
    assert (found.layout, found.fused_op, found.split_k) == (b"ndhwgc", b"MultiDAddRelu", 1)
    assert (found.alignment, found.deterministic, found.workspace_limit) == (8, 1, 99)


def test_a_problem_can_be_pickled() -> None:
    copy = pickle.loads(pickle.dumps(PLAIN))
    assert copy == PLAIN
    assert copy.structure.axis[1].input == 56


def test_the_tensors_of_a_problem_have_names() -> None:
    assert PLAIN.tensors == ("x", "w", "y")
    assert replace(PLAIN, bias=True).tensors == ("x", "w", "y", "bias")


def test_flops_are_two_for_each_product() -> None:
    assert PLAIN.flops == 2 * 8 * 56 * 56 * 128 * 64 * 9


def test_json_has_the_family_and_every_field() -> None:
    assert PLAIN.to_json()["family"] == "grouped_conv"
    assert PLAIN.to_json()["left_pad"] == (1, 1)
