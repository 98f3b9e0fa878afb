# SPDX-License-Identifier: MIT
"""``problems`` prints lists as the other commands take them."""

from __future__ import annotations

import pytest
from ckdispatch.problem_lists.lists import load, names
from cli_support import ESSENTIAL, SIMULATED, ckdispatch


def test_every_list_is_shown_with_its_count_and_source() -> None:
    ended = ckdispatch("problems", "--list")
    assert (ended.code, ended.err) == (0, "")
    head, *rows = ended.out.splitlines()
    assert head.split() == ["list", "problems", "what", "batch", "source"]
    assert [row.split()[:2] for row in rows] == [
        [name, str(len(load(name).problems()))] for name in names()
    ]
    assert all(load(row.split()[0]).source in row for row in rows)
    assert ckdispatch("problems").out == ended.out


def test_json_has_the_same() -> None:
    found = {
        one["name"]: one for one in ckdispatch("problems", "--list", "--json").document["lists"]
    }
    assert list(found) == names()
    assert found["resnet50"]["default_batches"] == [32] and found["resnet50"]["problems"] == 23
    assert "arXiv:1512.03385" in found["resnet50"]["source"]


def test_a_list_has_one_problem_on_each_line() -> None:
    ended = ckdispatch("problems", "resnet50", "--dtype", "bf16", "--batch", "8")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert len(lines) == 23
    assert lines[0] == "n8 g1 c3 k64 224x224 7x7 stride=2 pad=3 bf16 forward"
    assert lines == [one.problem.text for one in load("resnet50").problems([8], ("bf16",))]


def test_json_has_the_layers_too() -> None:
    found = ckdispatch("problems", "vgg16", "--batch", "1,2", "--json").document
    assert [one["name"] for one in found["lists"]] == ["vgg16"]
    assert len(found["problems"]) == 18
    last = {
        "problem": "n2 g1 c512 k512 14x14 3x3 pad=1 fp16 forward",
        "family": "grouped_conv",
        "layers": ["conv5"],
        "times": 3,
    }
    assert found["problems"][-1] == last


def test_several_lists_are_one() -> None:
    ended = ckdispatch("problems", "mixtral-8x7b", "llama3-8b", "--batch", "64")
    assert len(ended.out.splitlines()) == 5


def test_more_words_are_of_every_problem() -> None:
    ended = ckdispatch("problems", "c3d", "--words", "backward_weight split_k=0")
    assert all(line.endswith(" fp16 backward_weight split_k=0") for line in ended.out.splitlines())


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    words = ("problems", "llama3-70b", "--sample", "6")
    first, again, other = (
        ckdispatch(*words, *seed).out for seed in ((), ("--seed", "0"), ("--seed", "1"))
    )
    assert len(first.splitlines()) == 6
    assert first == again != other
    assert ckdispatch(*words, "--seed", "1", "--json").document["seed"] == 1


def test_another_command_reads_what_it_prints() -> None:
    printed = ckdispatch("problems", "llama3-8b", "--batch", "1", "--words", "batch=2").out
    small = "\n".join(
        line.replace("4096", "64").replace("28672", "64").replace("14336", "64")
        for line in printed.splitlines()
    )
    ended = ckdispatch(
        "bench",
        "--file",
        "-",
        *ESSENTIAL,
        *SIMULATED,
        "--warmup",
        "0",
        "--repeat",
        "1",
        "--json",
        text=small,
    )
    assert ended.code == 0, ended.err
    assert len(ended.document["results"]) == 4


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ("resnet5",),
            3,
            "the problem list 'resnet5' was asked for; there is batch32-56x56, c3d, ",
        ),
        (("",), 3, "the problem list '' was asked for"),
        (("resnet50", "--list"), 2, "--list was asked for with 'resnet50'"),
        (("--batch", "4"), 2, "without the name of a list"),
        (("resnet50", "--seed", "4"), 2, "--seed was asked for without --sample"),
        (("resnet50", "--batch", "0"), 2, "'0' is no whole number of at least 1"),
        (("resnet50", "--batch", "1,,2"), 2, "'' is no whole number"),
        (("resnet50", "--dtype", "fp99"), 2, "has the word 'fp99'"),
        (("resnet50", "--dtype", ""), 2, "--dtype"),
        (("llama3-8b", "--words", "backward_data"), 2, "has the word 'backward_data'"),
        (("random-gemm", "--batch", "1"), 2, "M is drawn like the rest"),
        (("c3d", "--sample", "8"), 2, "a sample of 8 problems was asked for, and there are 7"),
        (("c3d", "--sample", "0"), 2, "'0' is no whole number of at least 1"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    words: tuple[str, ...], code: int, sentence: str
) -> None:
    ended = ckdispatch("problems", *words)
    assert (ended.code, ended.out) == (code, "")
    assert (
        ended.err.startswith("ckdispatch: ")
        and ended.err.count("\n") == 1
        and sentence in ended.err
    )
