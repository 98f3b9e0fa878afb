# SPDX-License-Identifier: MIT
"""Images of more than 2 GiB are computed in bands, because CK addresses no more at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from ckabi import KernelLibrary
from ckabi.grouped_conv import conv_axis, conv_problem
from kernel_runs import Device

AXIS = conv_axis(1_200_000_000, 3, stride=100_000_000, dilation=7, pads=(5, 3))
CHANNELS_OUT = 2
RANDOM = np.random.default_rng(5)
WEIGHTS = RANDOM.integers(-4, 5, (CHANNELS_OUT, AXIS.filter)).astype(np.float16)


def met(output: int, place: int) -> int:
    """The input that is under a place of the filter."""
    return int(output * AXIS.stride + place * AXIS.dilation - AXIS.left_pad)


def library(direction: str) -> KernelLibrary:
    (path,) = Path("kernels").glob(f"libgrouped_conv_{direction}_fp16_nwgc_1d_*_v1x1x1.so")
    return KernelLibrary.load(path)


def test_forward(device: Device) -> None:
    x = np.zeros(AXIS.input, np.float16)
    expected = np.zeros((AXIS.output, CHANNELS_OUT))
    for output in range(AXIS.output):
        for place in range(AXIS.filter):
            if 0 <= (at := met(output, place)) < AXIS.input:
                x[at] = RANDOM.integers(-8, 9)
                expected[output] += float(x[at]) * WEIGHTS[:, place]
    y = device.copy(np.full((AXIS.output, CHANNELS_OUT), np.nan, np.float16))
    problem = conv_problem(
        1, 1, 1, CHANNELS_OUT, [AXIS], x=device.upload(x), w=device.upload(WEIGHTS), y=y.address
    )
    device.launch(library("fwd"), problem)
    got = np.frombuffer(y.download(), np.float16).reshape(expected.shape)
    np.testing.assert_array_equal(got, expected)


def test_backward_data(device: Device) -> None:
    y = RANDOM.integers(-8, 9, (AXIS.output, CHANNELS_OUT)).astype(np.float16)
    x = device.copy(np.full(AXIS.input, np.nan, np.float16))
    problem = conv_problem(
        1, 1, 1, CHANNELS_OUT, [AXIS], x=x.address, w=device.upload(WEIGHTS), y=device.upload(y)
    )
    device.launch(library("bwd_data"), problem)
    got = np.frombuffer(x.download(), np.float16)
    expected = {
        at: float(y[output].astype(float) @ WEIGHTS[:, place])
        for output in range(AXIS.output)
        for place in range(AXIS.filter)
        if 0 <= (at := met(output, place)) < AXIS.input
    }
    assert {at: float(got[at]) for at in expected} == expected
    assert np.count_nonzero(got) == sum(value != 0 for value in expected.values())
