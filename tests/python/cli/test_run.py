# SPDX-License-Identifier: MIT
"""``run`` computes on a device, says what it did, and compares with the reference."""

from __future__ import annotations

import pytest
from cli_support import ESSENTIAL, PADDED, SIMULATED, UNPADDED, VARIANTS, ckdispatch

WHERE = (*ESSENTIAL, *SIMULATED)


def test_the_text_says_what_ran_where_and_that_it_is_right() -> None:
    ended = ckdispatch("run", "64x72x64", "fp16", "rcr", *WHERE, "--seed", "3", "--kernel", PADDED)
    assert (ended.code, ended.err) == (0, "")
    told = ended.columns
    assert told.pop("result").startswith("right: all 4608 values are within their tolerance;")
    assert told == {
        "problem": "64x72x64 fp16 rcr",
        "kernel": PADDED,
        "device": "sim:gfx942, simulated",
        "parts of the sum": "1",
        "launches": "1",
        "workspace": "0 bytes",
        "seed": "3",
        "changed": "nothing",
    }


def test_the_document_says_the_same() -> None:
    found = ckdispatch(
        "run", "64x72x64", *WHERE, "--kernel", PADDED, "--seed", "3", "--json"
    ).document
    assert (found["kernel"], found["device"], found["gpu"]) == (PADDED, "sim:gfx942", "gfx942")
    assert found["simulated"] is True and found["seed"] == 3 and found["changes"] == []
    assert found["problem"]["m"] == 64 and found["problem"]["layout"] == "rcr"
    assert found["comparison"]["ok"] is True and found["comparison"]["size"] == 64 * 72


def test_a_seed_repeats_the_inputs_and_each_run_without_one_has_its_own() -> None:
    def worst(*words: str) -> tuple[int, object]:
        found = ckdispatch("run", "64x64x64", *WHERE, *words, "--json").document
        return found["seed"], found["comparison"]["worst"]

    seed, first = worst()
    assert worst("--seed", str(seed)) == (seed, first)
    other_seed, other = worst()
    assert other_seed != seed and other != first


def test_padding_is_said_and_can_be_forbidden() -> None:
    ended = ckdispatch("run", "100x100x60", *WHERE, "--kernel", UNPADDED)
    assert ended.code == 0
    assert ended.columns["changed"] == (
        "gemm 100x100x60 fp16 rcr was padded to gemm 128x128x64 fp16 rcr, "
        "because no kernel takes it as it is"
    )
    assert ended.columns["result"].startswith("right: all 10000 values")
    refused = ckdispatch("run", "100x100x60", *WHERE, "--kernel", UNPADDED, "--no-pad")
    assert (refused.code, refused.out) == (3, "")
    assert f"{UNPADDED} was asked for K = 60 and needs a multiple of 32" in refused.err


@pytest.mark.parametrize(
    "problem",
    [
        "64x128x64 rrr",
        "64x64x96 crr batch=3",
        "128x64x64 ccr stride_a=136 stride_b=80 stride_c=72 batch=2",
        "128x64x64 rrc",
        "70x130x64 ccc",
        "64x64x128 rcr split_k=2",
        "64x64x640 rcr split_k=0",
        "64x64x128 rrr split_k=2 dtype_c=fp32 deterministic=true",
        "gemm: 64x64x64, fp16, rrr, alignment=16",
    ],
)
def test_every_word_of_a_problem_is_run_as_it_says(problem: str) -> None:
    ended = ckdispatch("run", problem, *VARIANTS, *SIMULATED)
    assert ended.code == 0, ended.err
    assert ended.columns["result"].startswith("right: ")


def test_split_k_is_an_option_too() -> None:
    where = ("64x64x128", *VARIANTS, *SIMULATED)
    assert ckdispatch("run", *where, "--split-k", "2", "--json").document["parts"] == 2
    chosen = ckdispatch("run", *where, "--split-k", "auto", "--json").document
    assert chosen["parts"] >= 2 and chosen["comparison"]["ok"] is True


def test_the_comparison_can_be_left_out() -> None:
    where = ("64x64x64", *WHERE, "--no-validate")
    assert ckdispatch("run", *where).columns["result"] == "not compared"
    assert ckdispatch("run", *where, "--json").document["comparison"] is None


def test_a_wrong_result_is_an_exit_code_and_is_described() -> None:
    # A simulator that executes nothing leaves C as it was: not a number.
    ended = ckdispatch("run", "64x64x64", *WHERE, env={"GFXSIM_EXECUTE": "0"})
    assert ended.code == 1
    assert ended.columns["result"].startswith("wrong: 4096 of 4096 values (100 %) are beyond")
    assert ended.err.startswith("ckdispatch: the result is wrong: 4096 of 4096 values")
    found = ckdispatch("run", "64x64x64", *WHERE, "--json", env={"GFXSIM_EXECUTE": "0"})
    assert found.code == 1 and found.document["comparison"]["mismatch_count"] == 4096


def test_the_environment_may_name_the_device() -> None:
    ended = ckdispatch("run", "64x64x64", *ESSENTIAL, env={"CKDISPATCH_DEVICE": "sim:gfx942"})
    assert ended.columns["device"] == "sim:gfx942, simulated"
