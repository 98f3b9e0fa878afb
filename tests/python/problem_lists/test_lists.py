# SPDX-License-Identifier: MIT
"""Every list says what it is and where it is from, and its problems are what commands take."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from ckdispatch import GemmProblem, GroupedConvProblem
from ckdispatch.cli.problems import parse_problem, parse_problems
from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.families import FAMILIES
from ckdispatch.problem_lists.lists import Listed, distinct, load, names, sample

every_list = pytest.mark.parametrize("name", names())
PAGE = Path(__file__).parents[3] / "docs" / "problem-lists.md"
DRAWN = ("random-conv2d", "random-conv3d", "random-gemm")


def texts(listed: list[Listed]) -> list[str]:
    return [one.problem.text for one in listed]


def test_the_networks_are_there() -> None:
    there = {
        "resnet50",
        "vgg16",
        "sd15-unet",
        "c3d",
        "r3d18",
        "i3d",
        "llama3-8b",
        "llama3-70b",
        "mixtral-8x7b",
        "qwen2.5-7b",
    }
    assert there | set(DRAWN) <= set(names())


def test_the_page_has_every_list_with_its_count() -> None:
    rows = re.findall(
        r"^\| (`.*?`) \| ([\d, each]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    told: dict[str, str] = {}
    for some, counts in rows:
        called = re.findall(r"`(.*?)`", some)
        numbers = re.findall(r"\d+", counts)
        told |= dict(
            zip(called, numbers * len(called) if "each" in counts else numbers, strict=False)
        )
    assert told == {name: str(len(load(name).problems())) for name in names()}


@every_list
def test_a_list_says_what_it_is_and_where_it_is_from(name: str) -> None:
    found = load(name)
    assert found.title and found.batch and found.family in FAMILIES
    named = ("arXiv:", "Composable Kernel's dispatcher/examples/")
    assert any(one in found.source for one in named) or found.source.startswith(
        "drawn from the distribution in this file"
    )


@every_list
def test_its_problems_are_read_back_from_their_words(name: str) -> None:
    found = load(name).problems(words=("bf16",))
    assert found and {one.problem.family for one in found} == {load(name).family}
    for one in found:
        assert parse_problem([one.problem.text]) == one.problem
        assert one.problem.to_json()["dtype"] == "bf16"


@every_list
def test_no_layer_is_lost_and_no_problem_is_there_twice(name: str, tmp_path: Path) -> None:
    network = load(name)
    found = network.problems()
    batches = max(len(network.batches), 1)
    assert sum(one.times for one in found) == batches * sum(layer.times for layer in network.layers)
    file = tmp_path / "problems.txt"
    file.write_text("\n".join(texts(found)))
    read = parse_problems([], str(file))
    assert len(set(read)) == len(read) == len(found)


def test_layers_that_are_the_same_problem_are_one() -> None:
    found = {one.problem.text: one for one in load("resnet50").problems([1])}
    both = found["n1 g1 c64 k256 56x56 1x1 fp16 forward"]
    assert (both.layers, both.times) == (("conv2.0.shortcut", "conv2.expand"), 4)


def test_a_batch_is_images_or_rows_or_a_multiple_of_them() -> None:
    assert load("vgg16").problems([7])[0].problem == GroupedConvProblem(
        7, 1, 3, 64, (224, 224), 3, left_pad=1, right_pad=1
    )
    assert [one.problem for one in load("llama3-8b").problems([3, 5])][::4] == [
        GemmProblem(3, 6144, 4096),
        GemmProblem(5, 6144, 4096),
    ]
    assert load("sd15-unet-gemm").problems([3])[0].problem == GemmProblem(3 * 64 * 64, 320, 320)


def test_the_problems_of_composable_kernels_benchmark_are_there() -> None:
    assert texts(load("batch32-56x56").problems()) == [
        "n32 g1 c64 k128 56x56 3x3 pad=1 fp16 forward"
    ]
    assert texts(load("pointwise-1x1").problems()) == ["n1 g1 c256 k256 56x56 1x1 fp16 forward"]


def test_tokens_are_from_1_to_16384() -> None:
    assert load("llama3-70b").batches == tuple(2**power for power in range(15))


def test_more_words_are_taken() -> None:
    (first, *_) = load("c3d").problems([1], ("bf16", "backward_weight", "split_k=0"))
    assert (
        first.problem.text == "n1 g1 c3 k64 16x112x112 3x3x3 pad=1 bf16 backward_weight split_k=0"
    )
    with pytest.raises(InvalidArgument, match="has the word 'fp99'"):
        load("c3d").problems([1], ("fp99",))


def test_what_is_not_there_is_a_sentence() -> None:
    with pytest.raises(
        NotFound,
        match=r"the problem list 'resnet5' was asked for; there is batch32-56x56, c3d, .*resnet50",
    ):
        load("resnet5")
    with pytest.raises(NotFound):
        load("../data/resnet50")


def test_what_is_drawn_takes_no_batch() -> None:
    with pytest.raises(
        InvalidArgument,
        match="random-gemm was asked for with a batch of 8; M is drawn like the rest",
    ):
        load("random-gemm").problems([8])


HASHES = {
    "random-conv2d": "4eb444e78771b568",
    "random-conv3d": "2f6a308ef61eb413",
    "random-gemm": "6d796f51c1eb4929",
}


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_is_the_same_everywhere(name: str) -> None:
    """Measurements name these problems: whoever changes a distribution makes a new list."""
    found = "\n".join(texts(load(name).problems()))
    assert hashlib.sha256(found.encode()).hexdigest()[:16] == HASHES[name]


def test_sizes_are_log_uniform() -> None:
    """As many in each of the seven factors of four from 1 to 16384, but for products that are too
    large.
    """
    sizes = [
        one.problem.m
        for one in load("random-gemm").problems()
        if isinstance(one.problem, GemmProblem)
    ]
    counts = [sum(4**power <= size < 4 ** (power + 1) for size in sizes) for power in range(7)]
    assert all(len(sizes) / 14 < count < len(sizes) / 3.5 for count in counts), counts
    assert max(sizes) <= 16384


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_that_is_drawn_is_beyond_its_limits(name: str) -> None:
    for one in load(name).problems():
        assert one.problem.flops <= 2e12 and max(one.problem.spans()) <= 1 << 28


def test_a_sample_is_that_of_its_seed() -> None:
    whole = load("llama3-8b").problems()
    chosen = sample(whole, 7, seed=3)
    assert texts(sample(whole, 7, seed=3)) == texts(chosen) != texts(sample(whole, 7, seed=4))
    assert texts(chosen) == [
        "2x4096x4096 fp16 rcr",
        "2x28672x4096 fp16 rcr",
        "8x4096x14336 fp16 rcr",
        "32x4096x4096 fp16 rcr",
        "64x4096x4096 fp16 rcr",
        "512x4096x4096 fp16 rcr",
        "512x28672x4096 fp16 rcr",
    ]


def test_a_sample_is_in_the_lists_order_without_repetition() -> None:
    whole = load("i3d").problems()
    for seed in range(20):
        places = [whole.index(one) for one in sample(whole, 9, seed)]
        assert places == sorted(set(places)) and len(places) == 9
    assert sample(whole, len(whole), seed=0) == whole
    assert {text for seed in range(60) for text in texts(sample(whole, 9, seed))} == set(
        texts(whole)
    )


def test_a_sample_is_not_larger_than_its_list() -> None:
    with pytest.raises(
        InvalidArgument, match="a sample of 8 problems was asked for, and there are 7"
    ):
        sample(load("c3d").problems(), 8, seed=0)


def test_problems_of_two_lists_are_there_once() -> None:
    both = distinct([*load("mixtral-8x7b").problems([64]), *load("llama3-8b").problems([64])])
    sizes = ("64x6144x4096", "64x4096x4096", "64x8x4096", "64x28672x4096", "64x4096x14336")
    assert texts(both) == [f"{one} fp16 rcr" for one in sizes]
    assert both[0].layers == ("qkv",) and both[3].layers == ("expert.gate_up", "gate_up")
