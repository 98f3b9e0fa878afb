# SPDX-License-Identifier: MIT
"""``Dispatcher.conv`` and its gradients, on arrays of the host."""

from __future__ import annotations

import itertools
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ckdispatch import GroupedConvProblem
from ckdispatch.errors import InvalidArgument, NoKernel
from conv_support import MANY, convolver, kernel_name, last_convolver, only_kernels
from dispatch_support import random
from numpy.typing import NDArray


def by_hand(
    x: NDArray[Any],
    w: NDArray[Any],
    stride: tuple[int, int],
    pad: tuple[tuple[int, int], ...],
    groups: int,
) -> NDArray[Any]:
    """n, positions and channels, one output after the other."""
    x, w = np.pad(x.astype(np.float64), ((0, 0), *pad, (0, 0))), w.astype(np.float64)
    outputs, high, wide, c = w.shape
    extents = [(x.shape[1] - high) // stride[0] + 1, (x.shape[2] - wide) // stride[1] + 1]
    y = np.zeros((x.shape[0], *extents, outputs))
    for row, column, output in itertools.product(*map(range, y.shape[1:])):
        first = output // (outputs // groups) * c
        top, left = row * stride[0], column * stride[1]
        part = x[:, top : top + high, left : left + wide, first : first + c]
        y[:, row, column, output] = (part * w[output]).sum(axis=(1, 2, 3))
    return y


def test_a_convolution_is_what_it_is_by_hand() -> None:
    x, w = random((2, 7, 8, 6), 1), random((10, 3, 2, 3), 2)
    result = convolver().conv(x, w, stride=(2, 1), padding=((1, 0), (0, 2)), groups=2)
    assert result.out.shape == (2, 3, 9, 10)
    assert result.out.dtype == np.float16
    assert np.allclose(result.out, by_hand(x, w, (2, 1), ((1, 0), (0, 2)), 2), atol=0.02)
    assert result.changes == ()
    assert result.padded is None
    assert result.simulated is convolver().device.simulated


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_all_directions_in_all_dimensions_are_right(axes: int, dtype: Any) -> None:
    on = convolver()
    extents = (7, 6, 5)[:axes]
    x, w = random((2, *extents, 6), 1, dtype), random((4, *(2, 3, 2)[:axes], 3), 2, dtype)
    steps: dict[str, Any] = {
        "stride": (2, 1, 1)[:axes],
        "padding": (1, 2, 0)[:axes],
        "dilation": 2,
        "groups": 2,
    }
    y = on.conv(x, w, validate=True, **steps).out
    assert on.conv_bwd_data(y, w, extents, validate=True, **steps).out.shape == x.shape
    assert on.conv_bwd_weight(y, x, w.shape[1:-1], validate=True, **steps).out.shape == w.shape


def test_channels_may_come_first() -> None:
    on = last_convolver()
    x, w = random((2, 7, 8, 16), 1), random((16, 3, 3, 8), 2)
    first = [np.ascontiguousarray(np.moveaxis(one, -1, 1)) for one in (x, w)]
    words: dict[str, Any] = {"padding": 1, "groups": 2}
    last = on.conv(x, w, **words)
    result = on.conv(*first, layout="channels_first", validate=True, **words)
    assert np.array_equal(np.moveaxis(result.out, 1, -1), last.out)
    assert result.out.flags.c_contiguous
    assert result.changes == (
        "x was copied into channels last, which kernels read",
        "w was copied into channels last, which kernels read",
        "the result was copied into channels first, as its operands are",
    )
    words["layout"] = "channels_first"
    assert on.conv_bwd_data(result.out, first[1], (7, 8), validate=True, **words).out.shape == (
        2,
        16,
        7,
        8,
    )
    assert on.conv_bwd_weight(result.out, first[0], 3, validate=True, **words).out.shape == (
        16,
        8,
        3,
        3,
    )


def test_memory_that_has_channels_last_is_not_copied_though_they_are_called_first() -> None:
    x, w = random((2, 7, 8, 16), 1), random((16, 3, 3, 16), 2)
    result = convolver().conv(
        np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1), layout="channels_first", validate=True
    )
    assert result.changes == ()
    assert result.out.shape == (2, 16, 5, 6)
    assert np.moveaxis(result.out, 1, -1).flags.c_contiguous


@pytest.mark.parametrize("view", ["reversed", "strided", "offset"])
def test_any_strides_of_the_host_are_taken(view: str) -> None:
    whole = random((2, 12, 14, 32), 3)
    x = {
        "reversed": whole[:, ::-1],
        "strided": whole[:, ::2, :, ::2],
        "offset": whole[:, 1:6, 2:9, 8:24],
    }[view]
    result = convolver().conv(x, random((8, 3, 3, x.shape[-1]), 4), validate=True)
    assert result.changes == ("x was copied, because it has gaps or is in another order",)


def test_out_is_written_where_it_is_and_nothing_around_it() -> None:
    x, w = random((1, 6, 6, 8), 1), random((8, 3, 3, 8), 2)
    whole = np.full((1, 8, 4, 8), 9, np.float16)
    out = whole[:, 2:6]
    result = convolver().conv(x, w, out=out, validate=True)
    assert result.out is out
    assert np.all(whole[:, :2] == 9)
    assert np.all(whole[:, 6:] == 9)
    first = np.zeros((1, 8, 4, 4), np.float16)
    moved = [np.moveaxis(one, -1, 1) for one in (x, w)]
    told = convolver().conv(*moved, layout="channels_first", out=first)
    assert told.out is first
    assert told.changes == ("the result was copied into the strides of out",)
    assert np.array_equal(np.moveaxis(first, 1, -1), out)


def test_a_gradient_of_one_position_lies_as_the_other_operand() -> None:
    dy, w = random((1, 8, 1, 1), 1), random((8, 8, 3, 3), 2)
    result = convolver().conv_bwd_data(dy, w, 3, layout="channels_first", validate=True)
    assert result.changes == (
        "w was copied into channels last, which kernels read",
        "the result was copied into channels first, as its operands are",
    )
    assert result.out.flags.c_contiguous
    one = convolver().conv_bwd_data(
        dy, w[:, :, :1, :1].copy(), 1, layout="channels_first", validate=True
    )
    assert one.changes == ()


def test_a_bias_and_an_activation_are_fused() -> None:
    x, w, bias = random((1, 6, 6, 16), 1), random((16, 3, 3, 8), 2), random((16,), 3)
    result = convolver().conv(x, w, groups=2, bias=bias, fused_op="Relu", validate=True)
    assert result.plan.problem.fused_op == "MultiDAddRelu"
    expected = np.maximum(by_hand(x, w, (1, 1), ((0, 0), (0, 0)), 2) + bias.astype(np.float64), 0)
    assert np.allclose(result.out, expected, atol=0.02)
    assert (result.out == 0).any()


def test_an_operation_that_no_kernel_has_gets_the_reason() -> None:
    x, w = random((1, 6, 6, 8), 1), random((8, 3, 3, 8), 2)
    with pytest.raises(NoKernel, match=r"computes grouped_conv forward .* Gelu on"):
        convolver().conv(x, w, fused_op="Gelu")


def test_split_sums_are_right_within_their_own_tolerance() -> None:
    dy, x = random((2, 12, 12, 8), 1), random((2, 14, 14, 8), 2)
    result = convolver().conv_bwd_weight(dy, x, 3, split_k=3, validate=True)
    assert result.plan.parts == 3
    same = [
        convolver().conv_bwd_weight(dy, x, 3, split_k=3, deterministic=True, validate=True)
        for _ in range(2)
    ]
    assert same[0].kernel.endswith("_splitkws")
    assert np.array_equal(same[0].out, same[1].out)


def test_what_no_output_reaches_has_no_gradient() -> None:
    dy, w = random((1, 2, 2, 8), 1), random((8, 1, 1, 8), 2)
    result = convolver().conv_bwd_data(dy, w, 6, stride=4, validate=True)
    reached = np.zeros((6, 6), bool)
    reached[::4, ::4] = True
    assert np.all(result.out[0, ~reached] == 0)
    assert np.any(result.out[0, reached] != 0)


def test_channels_that_no_kernel_takes_are_padded_in_each_group() -> None:
    on = only_kernels(
        *(kernel_name(direction, MANY) for direction in ("fwd", "bwd_data", "bwd_weight"))
    )
    x, w = random((1, 6, 6, 6), 1), random((10, 3, 3, 3), 2)
    result = on.conv(x, w, groups=2, validate=True)
    assert result.padded == (8, 8)
    (told,) = result.changes
    assert re.fullmatch(
        r"grouped_conv .* c3 k5 .* was padded to grouped_conv .* c8 k8 .*, "
        r"because no kernel takes it as it is",
        told,
    )
    assert np.allclose(result.out, by_hand(x, w, (1, 1), ((0, 0), (0, 0)), 2), atol=0.02)
    assert on.conv_bwd_data(result.out, w, 6, groups=2, validate=True).padded == (8, 8)
    assert on.conv_bwd_weight(result.out, x, 3, groups=2, validate=True).padded == (8, 8)
    with pytest.raises(NoKernel, match="The nearest"):
        on.conv(x, w, groups=2, pad=False)


@pytest.mark.parametrize(
    ("dtype", "result", "padded"),
    [
        (np.float32, np.float32, (8, 8)),
        (ml_dtypes.float8_e4m3fnuz, np.float16, (16, 8)),
        (np.int8, np.int32, (16, 8)),
    ],
)
def test_every_dtype_is_padded_to_its_own_vectors(
    dtype: Any, result: Any, padded: tuple[int, int]
) -> None:
    x, w = (random(shape, 1, np.float32) * 100 for shape in ((1, 6, 6, 10), (14, 3, 3, 5)))
    found = convolver().conv(x.astype(dtype), w.astype(dtype), groups=2, validate=True)
    assert found.out.dtype == result
    assert found.padded == padded


def test_a_bias_is_padded_with_its_channels() -> None:
    x, w, bias = random((1, 6, 6, 6), 1), random((10, 3, 3, 3), 2), random((10,), 3)
    result = convolver().conv(x, w, groups=2, bias=bias, fused_op="Relu", validate=True)
    assert result.padded == (8, 8)
    assert result.out.shape == (1, 4, 4, 10)


def test_timing_is_in_the_result() -> None:
    x, w = random((1, 6, 6, 8), 1), random((8, 3, 3, 8), 2)
    timed = convolver().conv(x, w, timing=True, validate=True)
    assert timed.milliseconds is not None
    assert timed.milliseconds > 0


IMAGE, FILTER = np.zeros((1, 6, 6, 8), np.float16), np.zeros((8, 3, 3, 4), np.float16)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({}, "x has 8 channels, and w 4 in each group; with 1 group x must have 4"),
        ({"groups": 3}, "x has 8 channels, and w 4 in each group; with 3 groups x must have 12"),
        ({"groups": 0}, "groups = 0 was asked for"),
        (
            {"groups": 2, "w": np.zeros((7, 3, 3, 4), np.float16)},
            "w has 7 outputs, which 2 groups do not share evenly",
        ),
        (
            {"groups": 2, "layout": "nchw"},
            "the layout 'nchw' was asked for; there is channels_last",
        ),
        (
            {"groups": 2, "stride": (1, 1, 1)},
            r"stride is \(1, 1, 1\), and there are 2 spatial axes",
        ),
        ({"groups": 2, "padding": ((1, 2, 3), 1)}, "it is a number, or a pair for both sides"),
        ({"groups": 2, "stride": 0}, "each of them must be at least 1"),
        ({"groups": 2, "dilation": 1.5}, "it must be a whole number"),
        ({"groups": 2, "stride": True}, "stride was asked for as True; it must be a whole number"),
        ({"groups": 2, "padding": 1.5}, "padding was asked for as 1.5; it must be a whole number"),
        (
            {"groups": 2, "padding": ((1, 0.5), 1)},
            "padding was asked for as 0.5; it must be a whole number",
        ),
        ({"groups": 2, "padding": -1}, "a pad must be at least 0"),
        ({"groups": 2, "padding": 10**30}, "it must be a whole number of at most 2\\^31-1"),
        ({"groups": 2.0}, "groups = 2.0 was asked for"),
        ({"groups": 2, "stride": np.array([1.0, 1.0])}, "stride was asked for as 1.0"),
        (
            {"groups": 2, "stride": np.array([1, 2, 3])},
            r"stride is \(1, 2, 3\), and there are 2 spatial axes",
        ),
        (
            {"groups": 2, "fused_op": "relu"},
            "the operation 'relu' was asked for; there are PassThrough, .*MultiDAddTanh",
        ),
        (
            {"groups": 2, "fused_op": "Bogus", "bias": np.zeros(8, np.float16)},
            "the operation 'Bogus' was asked for",
        ),
        ({"groups": 2, "dilation": 4}, "spans 9 positions, but an input of 6"),
        ({"groups": 2, "w": np.zeros((8, 3, 4), np.float16)}, "x has 4 extents and w 3"),
        ({"groups": 2, "w": np.zeros((8, 4), np.float16)}, "from 3 to 5 extents are needed"),
        ({"groups": 2, "w": [1.0]}, "w is a list; give a NumPy array"),
        (
            {"groups": 2, "bias": np.zeros(4, np.float16)},
            r"bias has the shape \(4,\); it is a vector of 8 values",
        ),
        (
            {"groups": 2, "bias": np.zeros(8, np.float32), "fused_op": "Relu"},
            "bias holds fp32, and the output fp16",
        ),
        (
            {"groups": 2, "bias": np.zeros(8, np.float16), "fused_op": "MultiDMultiply"},
            "a bias is added",
        ),
        (
            {"groups": 2, "out": np.zeros((1, 4, 4, 4), np.float16)},
            r"out has the shape \(1, 4, 4, 4\); the result has \(1, 4, 4, 8\)",
        ),
        (
            {"groups": 2, "out": np.zeros((1, 4, 4, 8), np.float16), "dtype": "fp32"},
            "out holds fp16, and dtype='fp32'",
        ),
    ],
)
def test_a_senseless_call_gets_a_sentence(words: dict[str, Any], sentence: str) -> None:
    w = words.pop("w", FILTER)
    with pytest.raises(InvalidArgument, match=sentence):
        convolver().conv(IMAGE, w, **words)


def test_numbers_may_be_those_of_numpy() -> None:
    x, w = random((1, 6, 6, 8), 1), random((8, 3, 3, 4), 2)
    plain: dict[str, Any] = {
        "stride": 2,
        "padding": ((1, 0), (1, 0)),
        "dilation": (1, 1),
        "groups": 2,
    }
    numpys: dict[str, Any] = {
        "stride": np.int64(2),
        "padding": np.array([[1, 0], [1, 0]]),
        "dilation": np.array([1, 1]),
        "groups": np.int32(2),
    }
    y = convolver().conv(x, w, **plain)
    same = convolver().conv(x, w, **numpys)
    assert same.plan is y.plan
    sizes: list[Any] = [np.array([6, 6]), np.uint8(3)]
    dx = convolver().conv_bwd_data(y.out, w, sizes[0], **numpys)
    assert dx.out.shape == x.shape
    assert convolver().conv_bwd_weight(y.out, x, sizes[1], **numpys).out.shape == w.shape


def test_one_of_something_is_called_so() -> None:
    x = np.zeros((1, 6, 8), np.float16)
    with pytest.raises(InvalidArgument, match="there is 1 spatial axis;"):
        convolver().conv(x, np.zeros((8, 3, 8), np.float16), stride=(1, 1))
    with pytest.raises(InvalidArgument, match="an ndarray was given where a tensor of the device"):
        convolver().run(GroupedConvProblem(1, 1, 8, 8, (6,), 3), x, x, x)


def test_gradients_that_do_not_fit_get_a_sentence() -> None:
    on = convolver()
    dy, w = np.zeros((1, 4, 4, 8), np.float16), np.zeros((8, 3, 3, 4), np.float16)
    with pytest.raises(
        InvalidArgument, match=r"dy has the spatial extents \(4, 4\); .* follow \(5, 5\)"
    ):
        on.conv_bwd_data(dy, w, 7, groups=2)
    with pytest.raises(
        InvalidArgument, match=r"input_size is \(6, 6, 6\), and there are 2 spatial axes"
    ):
        on.conv_bwd_data(dy, w, (6, 6, 6), groups=2)
    with pytest.raises(
        InvalidArgument, match="input_size was asked for as None; it must be a whole number"
    ):
        on.conv_bwd_data(dy, w, None, groups=2)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(InvalidArgument, match=r"filter_size was asked for as 1.5"):
        on.conv_bwd_weight(dy, IMAGE, (3, 1.5))  # type: ignore[arg-type]  # what is refused
    with pytest.raises(InvalidArgument, match="split_k = -1; it is the number of parts"):
        on.conv_bwd_weight(dy, IMAGE, 3, split_k=-1)
    with pytest.raises(InvalidArgument, match="dy has 4 channels, and w 8 outputs"):
        on.conv_bwd_data(dy[..., :4], w, 6, groups=2)
    with pytest.raises(InvalidArgument, match="dy has 1 image and x 2"):
        on.conv_bwd_weight(dy, np.zeros((2, 6, 6, 8), np.float16), 3)
    with pytest.raises(
        InvalidArgument, match="x has 8 channels, which 3 groups do not share evenly"
    ):
        on.conv_bwd_weight(dy, IMAGE, 3, groups=3)
