# SPDX-License-Identifier: MIT
"""``bench`` times problems, and never passes the simulator's time off as a GPU's."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from cli_support import ESSENTIAL, PADDED, SIMULATED, ckdispatch

WHERE = (*ESSENTIAL, *SIMULATED, "--warmup", "0", "--repeat", "3")
NOTHING = {"GFXSIM_EXECUTE": "0", "GFXSIM_TIMING": "0"}
"""A simulator that executes nothing."""


def test_times_of_the_simulated_gpu_are_called_that() -> None:
    ended = ckdispatch("bench", "64x64x64", *ESSENTIAL, *SIMULATED)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(
        "sim:gfx942 is simulated: these times are the GPU's by a model of it. None was measured.\n"
    )
    assert "TFLOP/s" in ended.out and "GB/s" in ended.out
    found = ckdispatch("bench", "64x64x64", *ESSENTIAL, *SIMULATED, "--json").document
    (result,) = found["results"]
    assert found["simulated"] is True and result["times"] == "simulated"
    assert len(result["milliseconds"]) == 1 and 0.002 < result["median"] < 0.1
    assert result["tflops"] == pytest.approx(2 * 64**3 / result["median"] / 1e9)
    # All workgroups or those that the time needs, today or tomorrow.
    again = ckdispatch("bench", "64x64x64", *WHERE, "--json", env={"GFXSIM_TIMING": "1"}).document
    assert again["results"][0]["milliseconds"] == [result["median"]] * 3


def test_the_simulators_own_times_are_called_that_and_have_no_rates() -> None:
    off = {"GFXSIM_TIMING": "0"}
    ended = ckdispatch("bench", "64x64x64", *WHERE, env=off)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(
        "sim:gfx942 is simulated: these times are the simulator's own, on this machine's CPU. They "
        "say nothing about a GPU.\n"
    )
    assert "FLOP" not in ended.out and "GB/s" not in ended.out
    for words, env in ((("--json",), off), (("--json", "--cpu-timer"), {})):
        found = ckdispatch("bench", "64x64x64", *WHERE, *words, env=env).document
        assert found["simulated"] is True and found["results"][0]["times"] == "simulator"
        assert not {"tflops", "gb_per_s"} & found["results"][0].keys()


def test_the_figures_are_those_of_the_runs() -> None:
    (result,) = ckdispatch("bench", "64x64x64", *WHERE, "--json").document["results"]
    times = result["milliseconds"]
    assert len(times) == 3 and min(times) > 0
    assert result["median"] == statistics.median(times) and result["minimum"] == min(times)
    assert abs(result["mean"] - statistics.fmean(times)) <= 1e-9 * result["mean"]


def test_several_problems_each_have_a_row_and_progress_is_not_on_stdout() -> None:
    ended = ckdispatch("bench", "64x64x64", "fp16", "rcr", "128x64x64", "batch=2", *WHERE)
    assert ended.code == 0
    rows = ended.out.split("\n\n")[1].splitlines()
    assert rows[0].split()[:3] == ["problem", "median", "ms"]
    assert [row.split("  ")[0] for row in rows[1:]] == [
        "64x64x64 fp16 rcr",
        "128x64x64 fp16 rcr batch=2",
    ]
    assert ended.err == "[1/2] 64x64x64 fp16 rcr\n[2/2] 128x64x64 fp16 rcr batch=2\n"


def test_a_file_has_one_problem_on_each_line(tmp_path: Path) -> None:
    (tmp_path / "problems.txt").write_text("# shapes\n64x64x64 fp16 rcr\n\n64x64x128  # deeper\n")
    ended = ckdispatch("bench", "--file", "problems.txt", *WHERE, "--json", cwd=tmp_path)
    assert [result["problem"]["k"] for result in ended.document["results"]] == [64, 128]


def test_standard_input_is_a_file_too() -> None:
    ended = ckdispatch("bench", "128x64x64", "--file", "-", *WHERE, "--json", text="64x64x64\n")
    assert [result["problem"]["m"] for result in ended.document["results"]] == [128, 64]


def test_every_option_of_a_benchmark_is_taken() -> None:
    ended = ckdispatch(
        "bench",
        "64x64x64",
        *ESSENTIAL,
        *SIMULATED,
        "--warmup",
        "1",
        "--repeat",
        "2",
        "--flush-cache",
        "--rotating-buffers",
        "3",
        "--cpu-timer",
        "--kernel",
        PADDED,
        "--seed",
        "5",
        "--json",
    )
    assert ended.code == 0, ended.err
    (result,) = ended.document["results"]
    assert len(result["milliseconds"]) == 2 and result["kernel"] == PADDED
    assert ended.document["seed"] == 5


def test_a_problem_without_a_kernel_does_not_lose_the_others() -> None:
    ended = ckdispatch("bench", "64x64x64", "64x64x64", "rrr", *WHERE)
    assert ended.code == 3
    assert (
        "64x64x64 fp16 rrr: No kernel of the registry gemm_fp16_rcr_essential computes" in ended.out
    )
    assert len(ended.out.split("\n\n")[1].splitlines()) == 2
    assert ended.err.endswith("ckdispatch: without a kernel: 1 of 2 problems.\n")
    found = ckdispatch("bench", "64x64x64", "64x64x64", "rrr", *WHERE, "--json").document["results"]
    assert "median" in found[0] and found[1]["error"].startswith("No kernel")


def test_padding_is_said() -> None:
    ended = ckdispatch("bench", "100x100x60", *WHERE)
    assert ended.code == 0
    last = ended.out.splitlines()[-1]
    assert last.startswith("100x100x60 fp16 rcr: gemm 100x100x60 fp16 rcr was padded to gemm 1")
    assert last.endswith(", because no kernel takes it as it is")


@pytest.mark.parametrize("reference", [(), ("--reference", "device")], ids=["numpy", "device"])
def test_a_time_counts_only_if_the_result_is_right(reference: tuple[str, ...]) -> None:
    problems = ("64x64x64", "128x64x64", "64x64x64", "rrr")
    words = ("bench", *problems, *WHERE, "--validate", *reference)
    right = ckdispatch(*words, "--json")
    assert right.code == 3
    assert ["median" in one for one in right.document["results"]] == [True, True, False]
    # A simulator that executes nothing leaves C as it was: not a number.
    wrong = ckdispatch(*words, env=NOTHING)
    assert wrong.code == 1
    assert wrong.err.endswith("ckdispatch: wrong results: 2 of 3 problems.\n")
    assert "64x64x64 fp16 rcr: wrong: 4096 of 4096 values" in wrong.out
    assert "median ms" not in wrong.out
    results = ckdispatch(*words, "--json", env=NOTHING).document["results"]
    assert ["wrong" in one for one in results] == [True, True, False]
    assert not any("median" in one for one in results)


def test_without_the_option_nothing_is_compared() -> None:
    assert ckdispatch("bench", "64x64x64", *WHERE, env=NOTHING).code == 0


def test_results_are_not_those_of_some_workgroups() -> None:
    env = {"GFXSIM_TIMING": "auto-sample"}
    ended = ckdispatch("bench", "64x64x64", *WHERE, "--validate", env=env)
    assert (ended.code, ended.out) == (2, "")
    assert "--validate was asked for with GFXSIM_TIMING=auto-sample" in ended.err
