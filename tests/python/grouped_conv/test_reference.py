# SPDX-License-Identifier: MIT
"""The reference convolves what it is given, in every direction, dtype and number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.grouped_conv.reference import grouped_conv_reference
from ckdispatch.grouped_conv.sizes import TENSORS, ConvSizes
from ckdispatch.product.epilogue import FUSED_OPS
from ckdispatch.product.sums import Parts
from ckdispatch.reference.dtypes import convert, dtype_name, numpy_dtype
from ckdispatch.reference.formats import round_to
from ckdispatch.reference.tolerance import sum_error
from random_conv import naive, random_sizes

DIRECTIONS = tuple(TENSORS)
DIMS = (1, 2, 3)
SINGLE = np.dtype(np.float32)


def small(random: np.random.Generator, shape: tuple[int, ...], name: str = "fp32") -> Any:
    encoding = "ocp" if name in ("fp8", "bf8") else None
    return convert(random.integers(-3, 4, shape), name, encoding)


def operands(
    direction: str, sizes: ConvSizes, name: str = "fp32", seed: int = 0
) -> tuple[Any, Any]:
    random = np.random.default_rng([seed, *map(ord, direction)])
    a, b, _ = TENSORS[direction]
    return small(random, sizes.shape(a), name), small(random, sizes.shape(b), name)


def line(values: list[float], *, channels_last: bool = True) -> Any:
    """Values along the only spatial axis: of an image, or of weights."""
    array = np.array(values, np.float32)
    return array.reshape(1, -1, 1, 1) if channels_last else array.reshape(1, 1, -1, 1)


@pytest.mark.parametrize("dims", DIMS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_it_is_the_sum_of_all_products(direction: str, dims: int) -> None:
    random = np.random.default_rng(dims)
    for seed in range((150, 60, 20)[dims - 1]):
        sizes = random_sizes(random, dims, largest=3)
        a, b = operands(direction, sizes, seed=seed)
        result = grouped_conv_reference(direction, a, b, sizes)
        assert result.rounded.dtype == np.float32
        assert np.array_equal(result.exact, naive(direction, a, b, sizes, np.float64)), sizes


@pytest.mark.parametrize("dims", DIMS)
def test_backward_directions_are_the_adjoints_of_forward(dims: int) -> None:
    random = np.random.default_rng(dims)
    for _ in range(150):
        sizes = random_sizes(random, dims, largest=(20, 9, 5)[dims - 1])
        x, w, y = (small(random, sizes.shape(name), "int8") for name in "xwy")
        forward = grouped_conv_reference("forward", x, w, sizes).rounded
        to_x = grouped_conv_reference("backward_data", y, w, sizes).rounded
        to_w = grouped_conv_reference("backward_weight", y, x, sizes).rounded
        energy = np.sum(forward.astype(int) * y)
        assert np.sum(to_x.astype(int) * x) == energy, sizes
        assert np.sum(to_w.astype(int) * w) == energy, sizes


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("fp32", "fp32"),
        ("fp16", "fp16"),
        ("bf16", "bf16"),
        ("fp8", "fp16"),
        ("bf8", "fp16"),
        ("int8", "int32"),
        ("pk_fp4", "fp16"),
    ],
)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_small_integers_are_exact_in_every_dtype(direction: str, name: str, output: str) -> None:
    sizes = ConvSizes.of(1, 2, 3, 2, input=(4, 3), filter=2, stride=(1, 2), left_pad=1)
    a, b = operands(direction, sizes, name)
    result = grouped_conv_reference(direction, a, b, sizes).rounded
    assert dtype_name(result.dtype) == output
    assert result.shape == sizes.shape(TENSORS[direction][2])
    expected = naive(direction, a.astype(np.float64), b.astype(np.float64), sizes, np.float64)
    assert np.array_equal(result.astype(np.float64), expected)


def test_the_output_can_be_chosen_and_8_bit_ones_take_the_operands_encoding() -> None:
    sizes = ConvSizes.of(1, 1, 2, 2, input=(4,), filter=2)
    a, b = operands("forward", sizes, "fp8")
    assert grouped_conv_reference("forward", a, b, sizes, output="fp32").rounded.dtype == SINGLE
    stored = grouped_conv_reference("forward", a, b, sizes, output="bf8").rounded.dtype
    assert stored == numpy_dtype("bf8", "ocp")


def test_depthwise_is_a_correlation_of_each_channel() -> None:
    sizes = ConvSizes.of(2, 6, 1, 1, input=(9,), filter=4)
    x, w = operands("forward", sizes)
    result = grouped_conv_reference("forward", x, w, sizes).rounded
    for n in range(2):
        for g in range(6):
            expected = np.correlate(x[n, :, g, 0], w[g, 0, :, 0], "valid")
            assert np.array_equal(result[n, :, g, 0], expected)


@pytest.mark.parametrize(
    "parts", [Parts(), Parts(3, 4), Parts(3, 4, most_parts=2), Parts(4, parts_in="accumulator")]
)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", ["fp16", "fp32"])
def test_a_filter_of_one_is_a_gemm_with_its_tolerance(
    name: str, direction: str, parts: Parts
) -> None:
    sizes = ConvSizes.of(3, 1, 24, 40, input=(5, 2), filter=1)
    random = np.random.default_rng(5)
    x, w, y = (convert(random.normal(size=sizes.shape(one)), name) for one in "xwy")
    images, weights, outputs = x.reshape(30, 24), w.reshape(40, 24), y.reshape(30, 40)
    a, b, left, right = {
        "forward": (x, w, images, weights.T),
        "backward_data": (y, w, outputs, weights),
        "backward_weight": (y, x, outputs.T, images),
    }[direction]
    conv = grouped_conv_reference(direction, a, b, sizes, parts=parts)
    gemm = gemm_reference(
        left,
        right,
        split_k=parts.split_k,
        k_multiple=parts.k_multiple,
        most_parts=parts.most_parts,
        parts_in=parts.parts_in,
    )
    shape = gemm.exact.shape
    assert conv.exact.reshape(shape) == pytest.approx(gemm.exact, rel=1e-13, abs=1e-13)
    assert conv.rounded.dtype == gemm.rounded.dtype
    bounds = np.asarray(conv.tolerance.absolute).reshape(shape)
    assert bounds == pytest.approx(np.asarray(gemm.tolerance.absolute), rel=1e-12)


def test_pads_may_differ_and_be_larger_than_the_filter() -> None:
    sizes = ConvSizes.of(1, 1, 1, 1, input=(3,), filter=2, left_pad=4, right_pad=1)
    x, w = line([1, 2, 3]), line([10, 1], channels_last=False)
    result = grouped_conv_reference("forward", x, w, sizes).rounded
    assert result.ravel().tolist() == [0, 0, 0, 1, 12, 23, 30]


def test_an_output_that_only_pads_reach_is_zero() -> None:
    sizes = ConvSizes.of(1, 1, 1, 1, input=(1,), filter=1, stride=8, left_pad=3)
    result = grouped_conv_reference("forward", line([5]), line([7], channels_last=False), sizes)
    assert result.rounded.ravel().tolist() == [0] and sizes.depth("forward") == 0
    assert result.compare(result.rounded) and not result.compare(result.rounded + SINGLE.type(1e-9))


def test_what_no_output_reaches_has_no_gradient() -> None:
    sizes = ConvSizes.of(1, 1, 1, 1, input=(8,), filter=2, stride=3)
    assert sizes.output == (3,)
    y, w = line([1, 2, 3]), line([10, 1], channels_last=False)
    result = grouped_conv_reference("backward_data", y, w, sizes).rounded
    assert result.ravel().tolist() == [10, 1, 0, 20, 2, 0, 30, 3]


def test_inputs_behind_the_last_window_have_no_gradient() -> None:
    sizes = ConvSizes.of(1, 1, 1, 1, input=(6,), filter=2, stride=3)
    assert sizes.output == (2,)
    result = grouped_conv_reference(
        "backward_data", line([1, 2]), line([10, 1], channels_last=False), sizes
    )
    assert result.rounded.ravel().tolist() == [10, 1, 0, 20, 2, 0]


def test_dilation_spreads_the_taps_and_shares_factors_with_the_stride() -> None:
    sizes = ConvSizes.of(1, 1, 1, 1, input=(7,), filter=3, stride=2, dilation=2)
    assert sizes.output == (2,)
    x, w = line([1, 2, 3, 4, 5, 6, 7]), line([100, 10, 1], channels_last=False)
    forward = grouped_conv_reference("forward", x, w, sizes).rounded
    assert forward.ravel().tolist() == [135, 357]
    y = line([1, 2])
    to_x = grouped_conv_reference("backward_data", y, w, sizes).rounded
    assert to_x.ravel().tolist() == [100, 0, 210, 0, 21, 0, 2]
    to_w = grouped_conv_reference("backward_weight", y, x, sizes).rounded
    assert to_w.ravel().tolist() == [7, 13, 19]


def test_groups_see_only_their_own_channels() -> None:
    sizes = ConvSizes.of(2, 3, 2, 4, input=(5, 4), filter=(3, 2), left_pad=1)
    one = ConvSizes.of(2, 1, 2, 4, input=(5, 4), filter=(3, 2), left_pad=1)
    x, w = operands("forward", sizes)
    whole = grouped_conv_reference("forward", x, w, sizes).rounded
    for g in range(3):
        group = grouped_conv_reference("forward", x[..., g : g + 1, :], w[g : g + 1], one).rounded
        assert np.array_equal(whole[..., g : g + 1, :], group)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_strides_of_memory_do_not_matter(direction: str) -> None:
    sizes = ConvSizes.of(2, 2, 3, 2, input=(4, 5), filter=2)
    a, b = operands(direction, sizes)
    every_second = tuple([slice(0, None, 2)] * b.ndim)
    spread = np.zeros([2 * extent for extent in b.shape], b.dtype)[every_second]
    spread[...] = b
    expected = grouped_conv_reference(direction, a, b, sizes).rounded
    result = grouped_conv_reference(direction, np.asfortranarray(a), spread, sizes).rounded
    assert np.array_equal(result, expected) and result.flags.c_contiguous


def test_pads_are_multiplied_like_everything_else() -> None:
    sizes = ConvSizes.of(1, 1, 1, 1, input=(3,), filter=2, left_pad=1)
    weights = line([np.inf, 1], channels_last=False)
    result = grouped_conv_reference("forward", line([1, 2, 3]), weights, sizes)
    assert np.isnan(result.exact.ravel()[0]) and np.isposinf(result.exact.ravel()[1:]).all()


def test_integer_sums_wrap_around_as_in_the_accumulator() -> None:
    channels = 2**16
    sizes = ConvSizes.of(1, 1, channels, 1, input=(3,), filter=3)
    x, w = (np.full(sizes.shape(name), -128, np.int8) for name in "xw")
    result = grouped_conv_reference("forward", x, w, sizes).rounded
    assert result.item() == np.int64(3 * channels * 2**14).astype(np.int32)


def biased() -> tuple[ConvSizes, Any, Any, Any]:
    sizes = ConvSizes.of(2, 3, 2, 4, input=(5,), filter=3, left_pad=1)
    x, w = operands("forward", sizes, "fp16")
    return sizes, x, w, small(np.random.default_rng(9), (3, 4), "fp16")


def test_a_bias_is_added_to_every_position_of_its_channel() -> None:
    sizes, x, w, bias = biased()
    plain = grouped_conv_reference("forward", x, w, sizes).rounded
    assert np.array_equal(
        grouped_conv_reference("forward", x, w, sizes, bias=bias).rounded, plain + bias
    )


@pytest.mark.parametrize("name", FUSED_OPS)
def test_a_fused_operation_is_applied_to_the_sum_and_the_bias(name: str) -> None:
    sizes, x, w, bias = biased()
    op = FUSED_OPS[name]
    ds = [bias] if op.takes_ds else []
    result = grouped_conv_reference(
        "forward", x, w, sizes, bias=ds[0] if ds else None, fused_op=name
    )
    plain = naive("forward", x, w, sizes, np.float64)
    wide = [np.broadcast_to(d.astype(np.float64), plain.shape) for d in ds]
    assert np.array_equal(result.exact, op.value(plain, wide))
    assert result.compare(round_to(result.exact, np.dtype(np.float16)))


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_sums_in_float32_are_accepted_and_a_missing_tap_is_not(direction: str, name: str) -> None:
    sizes = ConvSizes.of(
        2, 1, 5, 3, input=(6, 4), filter=(3, 2), stride=(2, 1), dilation=(1, 2), left_pad=1
    )
    random = np.random.default_rng(7)
    a, b = (
        convert(random.uniform(0.5, 2, sizes.shape(one)), name) for one in TENSORS[direction][:2]
    )
    reference = grouped_conv_reference(direction, a, b, sizes)
    stored = reference.rounded.dtype
    reference.compare(round_to(naive(direction, a, b, sizes, SINGLE), stored)).raise_if_bad()
    without = b.copy()
    # Not at the border: windows end before the last row of x.
    without[tuple(extent // 2 for extent in b.shape)] = 0
    assert not reference.compare(round_to(naive(direction, a, without, sizes, SINGLE), stored))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_is_multiplied_with_pads_is_allowed_no_error(direction: str) -> None:
    sizes = ConvSizes.of(3, 1, 2, 2, input=(2, 3), filter=(5, 4), left_pad=(3, 2), right_pad=3)
    k = {"forward": 2 * 20, "backward_data": 2 * 20, "backward_weight": 3 * 20}[direction]
    assert sizes.output == (4, 5) and sizes.depth(direction) < k
    a, b = operands(direction, sizes, "fp16")
    result = grouped_conv_reference(direction, a, b, sizes)
    magnitude = naive(direction, np.abs(a), np.abs(b), sizes, np.float64)
    bound = sum_error(magnitude, result.exact, sizes.depth(direction), SINGLE)
    assert result.tolerance.absolute == pytest.approx(bound, rel=1e-12)


def test_sizes_follow_from_one_another() -> None:
    sizes = ConvSizes.of(
        2,
        3,
        4,
        5,
        input=(7, 8, 9),
        filter=(1, 2, 3),
        stride=(1, 2, 3),
        dilation=(1, 1, 2),
        left_pad=(0, 1, 2),
        right_pad=1,
    )
    assert sizes.output == (8, 5, 3)
    assert sizes.shape("x") == (2, 7, 8, 9, 3, 4)
    assert sizes.shape("w") == (3, 5, 1, 2, 3, 4)
    assert sizes.shape("y") == (2, 8, 5, 3, 3, 5)


def test_depths_are_channels_times_what_meets() -> None:
    plain = ConvSizes.of(3, 2, 5, 7, input=(8, 8), filter=3)
    assert [plain.depth(one) for one in DIRECTIONS] == [5 * 9, 7 * 9, 3 * 36]
    # Every second tap meets an input of one parity: two of three, or one.
    strided = ConvSizes.of(3, 2, 5, 7, input=(9,), filter=3, stride=2)
    assert [strided.depth(one) for one in DIRECTIONS] == [5 * 3, 7 * 2, 3 * 4]
    # All taps have one parity, so an even input meets them all.
    dilated = ConvSizes.of(3, 2, 5, 7, input=(9,), filter=3, stride=2, dilation=2)
    assert [dilated.depth(one) for one in DIRECTIONS] == [5 * 3, 7 * 3, 3 * 3]
    # Two inputs and large pads: no window has more than two taps on them.
    padded = ConvSizes.of(3, 2, 5, 7, input=(2,), filter=3, left_pad=5, right_pad=5)
    assert [padded.depth(one) for one in DIRECTIONS] == [5 * 2, 7 * 3, 3 * 2]


@pytest.mark.parametrize("dims", DIMS)
def test_a_depth_is_how_often_the_busiest_element_is_added_to(dims: int) -> None:
    random = np.random.default_rng(dims)
    for _ in range(30):
        sizes = random_sizes(random, dims, largest=2)
        for direction in DIRECTIONS:
            a, b = (np.ones(sizes.shape(name)) for name in TENSORS[direction][:2])
            assert sizes.depth(direction) == naive(direction, a, b, sizes, np.float64).max(), sizes


GOOD: dict[str, Any] = {"n": 1, "g": 1, "c": 1, "k": 1, "input": (5, 5), "filter": 3}
BAD_SIZES: list[tuple[dict[str, Any], str]] = [
    ({"n": 0}, "n 0, g 1, c 1 and k 1 was asked for; each of them must be at least 1"),
    ({"k": -2}, "n 1, g 1, c 1 and k -2 was asked for; each of them must be at least 1"),
    ({"c": 2.5}, r"c was asked for as 2\.5; it must be a whole number"),
    ({"input": (5, 0)}, "input 0, filter 3, stride 1 and dilation 1 .* must be at least 1"),
    ({"filter": (0, 3)}, "input 5, filter 0, stride 1 and dilation 1 .* must be at least 1"),
    ({"stride": 0}, "input 5, filter 3, stride 0 and dilation 1 .* must be at least 1"),
    ({"dilation": -1}, "input 5, filter 3, stride 1 and dilation -1 .* must be at least 1"),
    ({"stride": "ab"}, "stride was asked for as 'ab'; it must be a whole number"),
    ({"left_pad": -1}, "pads of -1 and 0 were asked for; a pad must be at least 0"),
    ({"right_pad": (0, -3)}, "pads of 0 and -3 were asked for; a pad must be at least 0"),
    (
        {"filter": 4, "dilation": 2, "right_pad": 1},
        "a filter of 4 with dilation 2 spans 7 .* an input of 5 with pads of 0 and 1 has 6; use a ",
    ),
    (
        {"stride": (1, 1, 1)},
        r"stride is \(1, 1, 1\), and there are 2 spatial axes; give one for each",
    ),
    ({"input": ()}, "a convolution with 0 spatial axes was asked for; it has 1, 2 or 3"),
    ({"input": (5, 5, 5, 5)}, "a convolution with 4 spatial axes was asked for; it has 1, 2 or 3"),
]


@pytest.mark.parametrize(("changes", "sentence"), BAD_SIZES)
def test_sizes_that_make_no_sense_are_refused_with_a_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        ConvSizes.of(**{**GOOD, **changes})


def test_words_that_mean_nothing_are_refused_with_a_sentence() -> None:
    sizes = ConvSizes.of(**GOOD)
    with pytest.raises(InvalidArgument, match="has no tensor 'z'; it has x, w and y"):
        sizes.shape("z")
    wanted = "has no direction 'sideways'; it has forward, backward_data, backward_weight"
    with pytest.raises(InvalidArgument, match=wanted):
        sizes.depth("sideways")
    with pytest.raises(InvalidArgument, match=wanted):
        grouped_conv_reference("sideways", *operands("forward", sizes), sizes)


def forward_arrays(name: str = "fp16") -> tuple[Any, Any]:
    return operands("forward", ConvSizes.of(**GOOD), name)


REFUSALS: list[tuple[str, tuple[Any, Any], dict[str, Any], str]] = [
    (
        "forward",
        (np.zeros((1, 5, 1, 1), np.float16), forward_arrays()[1]),
        {},
        r"x has the shape \(1, 5, 1, 1\), and these sizes need it to have \(1, 5, 5, 1, 1\)",
    ),
    (
        "backward_data",
        forward_arrays(),
        {},
        r"y has the shape \(1, 5, 5, 1, 1\), and these sizes need it to have \(1, 3, 3, 1, 1\)",
    ),
    (
        "forward",
        forward_arrays()[::-1],
        {},
        r"x has the shape \(1, 1, 3, 3, 1\), and these sizes need it to have",
    ),
    (
        "forward",
        forward_arrays(),
        {"bias": np.zeros(1, np.float16)},
        r"bias has the shape \(1,\), and these sizes need it to have \(1, 1\)",
    ),
    (
        "forward",
        (forward_arrays()[0], forward_arrays("bf16")[1]),
        {},
        "'fp16' x 'bf16' cannot be multiplied; known ",
    ),
    (
        "forward",
        (forward_arrays("fp8")[0], convert(np.zeros((1, 1, 3, 3, 1)), "bf8", "fnuz")),
        {},
        "x is of float8_e4m3fn and w of float8_e5m2fnuz; no GPU reads both encodings",
    ),
    ("forward", forward_arrays(), {"fused_op": "Exp"}, "there is no fused operation 'Exp'"),
    (
        "forward",
        forward_arrays(),
        {"fused_op": "MultiDAddRelu"},
        "MultiDAddRelu was given 0 D tensors and takes at least one",
    ),
    (
        "forward",
        forward_arrays(),
        {"fused_op": "Relu", "bias": np.zeros((1, 1), np.float16)},
        "Relu was given 1 D tensors and takes none",
    ),
    (
        "forward",
        forward_arrays("int8"),
        {"fused_op": "Gelu"},
        "Gelu is not defined for integers, and y is of int32",
    ),
    (
        "forward",
        forward_arrays(),
        {"fused_op": "Relu", "parts": Parts(2)},
        "Relu with split_k 2 was asked for, but it would be applied to each part",
    ),
    (
        "backward_weight",
        operands("backward_weight", ConvSizes.of(**GOOD)),
        {"fused_op": "Relu"},
        "Relu was asked for in the direction backward_weight; only forward applies something",
    ),
]


@pytest.mark.parametrize(("direction", "arrays", "options", "sentence"), REFUSALS)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    direction: str, arrays: tuple[Any, Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        grouped_conv_reference(direction, *arrays, ConvSizes.of(**GOOD), **options)
