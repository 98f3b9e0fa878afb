# SPDX-License-Identifier: MIT
"""The reference of grouped convolution says what torch computes on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from ckdispatch.grouped_conv.reference import grouped_conv_reference
from ckdispatch.grouped_conv.sizes import TENSORS, ConvSizes
from ckdispatch.reference.dtypes import convert
from ckdispatch.reference.formats import round_to
from random_conv import random_sizes

PROBLEMS = 300
LARGEST = {1: 40, 2: 14, 3: 6}
DTYPES = ("fp32", "fp16", "bf16")

# It transforms images before it multiplies, so that its errors are not those of a sum.
torch.backends.nnpack.set_flags(False)
# Problems are too small to share.
torch.set_num_threads(1)


def drawn(index: int) -> tuple[np.random.Generator, ConvSizes, str]:
    random = np.random.default_rng(index)
    dims = 1 + index % 3
    return random, random_sizes(random, dims, LARGEST[dims]), DTYPES[index // 3 % len(DTYPES)]


def image_to_torch(array: Any, dtype: torch.dtype) -> torch.Tensor:
    """All groups are one axis in torch, and channels come before the spatial axes."""
    return _channels_second(array.reshape(*array.shape[:-2], -1), dtype)


def weights_to_torch(array: Any, dtype: torch.dtype) -> torch.Tensor:
    """As for images."""
    return _channels_second(array.reshape(-1, *array.shape[2:]), dtype)


def _channels_second(array: Any, dtype: torch.dtype) -> torch.Tensor:
    moved = np.moveaxis(array.astype(np.float64), -1, 1)
    return torch.from_numpy(np.ascontiguousarray(moved)).to(dtype)


def in_torch(direction: str, a: Any, b: Any, sizes: ConvSizes, dtype: torch.dtype) -> Any:
    """What torch gives for the direction, as an array in the layout of this project."""
    dims = len(sizes.axes)
    options: dict[str, Any] = {
        "stride": [axis.stride for axis in sizes.axes],
        "dilation": [axis.dilation for axis in sizes.axes],
        "groups": sizes.g,
    }
    # torch has one pad for both sides, so x gets its pads before it convolves.
    pads = [pad for axis in reversed(sizes.axes) for pad in (axis.left_pad, axis.right_pad)]
    padded = [sizes.n, sizes.g * sizes.c, *(axis.padded for axis in sizes.axes)]
    if direction == "backward_data":
        gradient = getattr(torch.nn.grad, f"conv{dims}d_input")
        y, w = image_to_torch(a, dtype), weights_to_torch(b, dtype)
        result = gradient(padded, w, y, **options)
        for number, axis in enumerate(sizes.axes):
            result = result.narrow(2 + number, axis.left_pad, axis.input)
    elif direction == "backward_weight":
        gradient = getattr(torch.nn.grad, f"conv{dims}d_weight")
        x = torch.nn.functional.pad(image_to_torch(b, dtype), pads)
        shape = [sizes.g * sizes.k, sizes.c, *sizes.filter]
        result = gradient(x, shape, image_to_torch(a, dtype), **options)
    else:
        x = torch.nn.functional.pad(image_to_torch(a, dtype), pads)
        convolve = getattr(torch.nn.functional, f"conv{dims}d")
        result = convolve(x, weights_to_torch(b, dtype), **options)
    return np.moveaxis(result.numpy(), 1, -1).reshape(sizes.shape(TENSORS[direction][2]))


@pytest.mark.parametrize("direction", TENSORS)
def test_integers_are_convolved_to_the_same(direction: str) -> None:
    for index in range(PROBLEMS):
        random, sizes, name = drawn(index)
        a, b = (
            convert(random.integers(-3, 4, sizes.shape(one)), name)
            for one in TENSORS[direction][:2]
        )
        reference = grouped_conv_reference(direction, a, b, sizes)
        assert np.array_equal(reference.exact, in_torch(direction, a, b, sizes, torch.float64)), (
            f"problem {index}: {sizes}"
        )


@pytest.mark.parametrize("direction", TENSORS)
def test_sums_in_float32_are_within_the_tolerance(direction: str) -> None:
    worst = 0.0
    for index in range(PROBLEMS):
        random, sizes, name = drawn(index)
        a, b = (
            convert(random.normal(size=sizes.shape(one)), name) for one in TENSORS[direction][:2]
        )
        reference = grouped_conv_reference(direction, a, b, sizes)
        sums = in_torch(direction, a, b, sizes, torch.float32)
        comparison = reference.compare(round_to(sums, reference.rounded.dtype))
        assert comparison, f"problem {index}, {name}, {sizes}: {comparison}"
        bound = np.maximum(reference.tolerance.bound(reference.exact), np.finfo(np.float64).tiny)
        worst = max(worst, float(np.max(np.abs(sums - reference.exact) / bound)))
    # A tolerance that is never used to a tenth would hide mistakes.
    assert 0.1 < worst <= 1, f"the largest error is {worst:.3f} of what is allowed"


@pytest.mark.parametrize(
    ("fused_op", "function"),
    [
        ("MultiDAdd", lambda y: y),
        ("MultiDAddRelu", torch.relu),
        ("MultiDAddSilu", torch.nn.functional.silu),
    ],
)
def test_a_bias_and_an_activation_are_those_of_torch(fused_op: str, function: Any) -> None:
    for index in range(PROBLEMS):
        random, sizes, _ = drawn(index)
        x, w = (convert(random.normal(size=sizes.shape(one)), "fp32") for one in "xw")
        bias = convert(random.normal(size=(sizes.g, sizes.k)), "fp32")
        reference = grouped_conv_reference("forward", x, w, sizes, bias=bias, fused_op=fused_op)
        sums = torch.from_numpy(in_torch("forward", x, w, sizes, torch.float32))
        actual = function(sums + torch.from_numpy(bias)).numpy()
        assert reference.compare(actual), f"problem {index}, {sizes}: {reference.compare(actual)}"
