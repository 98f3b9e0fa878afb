# SPDX-License-Identifier: MIT
"""The sizes are right: multiply-adds and parameters of whole networks are those that are published.

Parameters are exact, so no layer is missing and no channel is wrong. What a list does not have,
such as the classifier behind convolutions, is added here.
"""

from __future__ import annotations

import math

import pytest
from ckdispatch import GemmProblem, GroupedConvProblem
from ckdispatch.problem_lists.lists import Listed, load


def problems(name: str, batch: int = 1) -> list[Listed]:
    return load(name).problems([batch])


def macs(name: str) -> float:
    """Multiply-adds for one image, clip or token."""
    return sum(one.times * one.problem.flops / 2 for one in problems(name))


def weights(name: str) -> int:
    return sum(one.times * _weights(one) for one in problems(name))


def _weights(one: Listed) -> int:
    if isinstance(one.problem, GemmProblem):
        return one.problem.n * one.problem.k
    assert isinstance(one.problem, GroupedConvProblem)
    return math.prod(one.problem.sizes.shape("w"))


def outputs(name: str) -> int:
    """Channels that all convolutions give: as many biases, or pairs of numbers of a batch
    normalisation.
    """
    found = [(one.times, one.problem) for one in problems(name)]
    return sum(
        times * problem.k for times, problem in found if isinstance(problem, GroupedConvProblem)
    )


def layers(name: str) -> int:
    return sum(layer.times for layer in load(name).layers)


def test_resnet50() -> None:
    classifier = 2048 * 1000
    assert layers("resnet50") == 53
    assert macs("resnet50") + classifier == pytest.approx(4.09e9, rel=0.001)
    assert weights("resnet50") + 2 * outputs("resnet50") + classifier + 1000 == 25_557_032


def test_vgg16() -> None:
    classifier = 25088 * 4096 + 4096 * 4096 + 4096 * 1000
    assert layers("vgg16") == 13
    assert macs("vgg16") + classifier == pytest.approx(15.47e9, rel=0.001)
    assert weights("vgg16") + outputs("vgg16") + classifier + 4096 + 4096 + 1000 == 138_357_544


def test_r3d18() -> None:
    classifier = 512 * 400
    assert layers("r3d18") == 20
    assert macs("r3d18") + classifier == pytest.approx(40.697e9, rel=0.0001)
    assert weights("r3d18") + 2 * outputs("r3d18") + classifier + 400 == 33_371_472


def test_c3d() -> None:
    classifier = 8192 * 4096 + 4096 * 4096 + 4096 * 487
    assert layers("c3d") == 8
    assert macs("c3d") + classifier == pytest.approx(38.5e9, rel=0.002)


def test_i3d() -> None:
    """The paper has 25 million parameters for two of them, and Xie et al., arXiv:1712.04851, 108 G
    multiply-adds.
    """
    assert layers("i3d") == 57
    assert macs("i3d") == pytest.approx(108e9, rel=0.04)
    assert 2 * (weights("i3d") + 1024 * 400) == pytest.approx(25e6, rel=0.02)


def test_halves_of_i3d_follow_each_other() -> None:
    """Its pads are uneven, and still every stride halves."""
    first = problems("i3d")[0].problem
    assert isinstance(first, GroupedConvProblem)
    assert first.sizes.output == (32, 112, 112)


def test_the_unet_of_stable_diffusion() -> None:
    """All 859,520,964 parameters: convolutions and linear layers of the lists, and the small rest
    that is not worth a kernel.
    """
    # Of each transformer: its channels, and how many there are.
    transformers = {320: 5, 640: 5, 1280: 6}
    # Channels in and out of the residual blocks, down, in the middle and up.
    blocks = (
        [(320, 320)] * 2 + [(320, 640), (640, 640), (640, 1280), (1280, 1280)] + [(1280, 1280)] * 4
    )
    blocks += [(2560, 1280)] * 5 + [
        (1920, 1280),
        (1920, 640),
        (1280, 640),
        (960, 640),
        (960, 320),
        (640, 320),
        (640, 320),
    ]
    biases = sum(count * (2 + 8 + 1) * channels for channels, count in transformers.items())
    norms = sum(count * (2 + 6) * channels for channels, count in transformers.items())
    norms += sum(2 * given + 2 * made for given, made in blocks) + 2 * 320
    times = sum(1280 * made + made for _, made in blocks) + 320 * 1280 + 1280 + 1280 * 1280 + 1280
    convolutions = weights("sd15-unet") + outputs("sd15-unet")
    assert convolutions + weights("sd15-unet-gemm") + biases + norms + times == 859_520_964
    assert macs("sd15-unet") + macs("sd15-unet-gemm") == pytest.approx(338.6e9, rel=0.001)


@pytest.mark.parametrize(
    ("name", "decoders", "hidden", "vocabulary", "others", "parameters"),
    [
        ("llama3-8b", 32, 4096, 128256, 0, 8_030_261_248),
        ("llama3-70b", 80, 8192, 128256, 0, 70_553_706_496),
        ("mixtral-8x7b", 32, 4096, 32000, 0, 46_702_792_704),
        # It has biases for queries, keys and values,
        ("qwen2.5-7b", 28, 3584, 152064, 28 * (3584 + 2 * 512), 7_615_616_512),
        # and its successor norms of queries and keys in their place.
        ("qwen3-30b-a3b", 48, 2048, 151936, 48 * 2 * 128, 30_532_122_624),
    ],
)
def test_language_models(
    name: str, decoders: int, hidden: int, vocabulary: int, others: int, parameters: int
) -> None:
    """What is no projection is the embedding, its counterpart at the end, and two norms in each
    decoder and one behind them.
    """
    norms = (2 * decoders + 1) * hidden
    assert weights(name) + 2 * vocabulary * hidden + norms + others == parameters


def test_eight_gpus_share_what_one_would_have() -> None:
    assert 8 * weights("llama3-70b-tp8") == weights("llama3-70b")
