# SPDX-License-Identifier: MIT
"""``bench --suite`` times the layers of a network and all of them together, and says of each time
where it is from.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.device_list import devices
from ckdispatch.problem_lists.lists import load
from cli_support import ESSENTIAL, SIMULATED, Ended, ckdispatch

FORWARD = ("--kernels", "grouped_conv_fwd_fp16_2d_essential")
RESNET = ("bench", "--suite", "resnet50", *FORWARD)
PREDICTED = ("--gpu", "gfx942")
A_GPU = any(one.usable and not one.simulated for one in devices())


def flops(one: Mapping[str, Any], batch: int) -> float:
    """Of a result, by the list that it is of."""
    (listed,) = (
        some for some in load("resnet50").problems([batch]) if some.layers == tuple(one["layers"])
    )
    return listed.problem.flops


def test_every_layer_has_a_predicted_time_and_counts_as_often_as_the_network_has_it() -> None:
    found = ckdispatch(*RESNET, *PREDICTED, "--json").document
    assert (found["device"], found["gpu"], found["simulated"]) == (None, "gfx942", False)
    assert found["suite"]["name"] == "resnet50" and "arXiv:1512.03385" in found["suite"]["source"]
    results, (total,) = found["results"], found["totals"]
    assert len(results) == 23 and {one["times"] for one in results} == {"predicted"}
    assert {one["batch"] for one in results} == {total["batch"]} == {32}
    for one in results:
        assert (
            one["kernel"].startswith("grouped_conv_fwd_fp16_nhwgc_2d_")
            and 0.001 < one["median"] < 1
        )
        assert one["tflops"] == pytest.approx(flops(one, 32) / one["median"] / 1e9)
    assert (
        (total["layers"], total["missing"]) == (53, 0) == (sum(one["count"] for one in results), 0)
    )
    assert total["milliseconds"] == pytest.approx(
        sum(one["count"] * one["median"] for one in results)
    )
    all_flops = sum(one["count"] * flops(one, 32) for one in results)
    assert total["tflops"] == pytest.approx(all_flops / total["milliseconds"] / 1e9)


def test_a_time_is_what_explain_predicts() -> None:
    (result,) = ckdispatch(
        "bench", "--suite", "pointwise-1x1", *FORWARD, *PREDICTED, "--json"
    ).document["results"]
    best = ckdispatch("explain", "n1 c256 k256 56x56 1x1", *FORWARD, *PREDICTED, "--json").document[
        "fit"
    ][0]
    assert (result["kernel"], 1000 * result["median"]) == (
        best["kernel"],
        pytest.approx(best["microseconds"]),
    )


def test_people_read_that_nothing_was_measured() -> None:
    ended = ckdispatch(*RESNET, *PREDICTED)
    assert (ended.code, ended.err) == (0, "")
    title, how, layers, totals = ended.out.split("\n\n")
    assert title == "resnet50: ResNet-50's convolutions, images of 224x224."
    assert how.startswith(
        "The GPU is gfx942, and nothing was run. Times are predicted by a cost model; nothing was "
        "measured. Its constants "
    )
    head, *rows = layers.splitlines()
    assert head.split()[:3] == ["layers", "times", "problem"] and len(rows) == 23
    assert all("  predicted  " in row for row in rows)
    assert "conv2.0.shortcut, conv2.expand" in layers
    assert totals.splitlines()[1].split()[:2] == ["32", "53"]


@pytest.mark.skipif(A_GPU, reason="this machine has a GPU, which would be measured")
def test_without_a_gpu_times_are_predicted() -> None:
    assert (
        ckdispatch(*RESNET, "--json").document == ckdispatch(*RESNET, *PREDICTED, "--json").document
    )


@pytest.mark.parametrize("way", ["option", "variable"])
def test_on_the_simulator_times_are_simulated(way: str) -> None:
    words, env = (SIMULATED, {}) if way == "option" else ((), {"CKDISPATCH_DEVICE": "sim:gfx942"})
    found = ckdispatch(
        "bench", "--suite", "pointwise-1x1", *FORWARD, *words, "--json", env=env
    ).document
    assert (found["device"], found["simulated"]) == ("sim:gfx942", True)
    (result,), (total,) = found["results"], found["totals"]
    assert (result["times"], result["count"], result["layers"]) == (
        "simulated",
        1,
        ["pointwise-1x1"],
    )
    assert (
        result["tflops"]
        == pytest.approx(2 * 56 * 56 * 256 * 256 / result["median"] / 1e9)
        == total["tflops"]
    )
    assert total["milliseconds"] == result["median"]


def test_the_simulators_own_times_are_summed_without_a_rate() -> None:
    words = ("bench", "--suite", "pointwise-1x1", *FORWARD, *SIMULATED)
    ended = ckdispatch(*words, env={"GFXSIM_TIMING": "0"})
    assert ended.code == 0 and "They say nothing about a GPU." in ended.out
    assert ended.out.splitlines()[-1].split()[:2] == ["1", "1"] and ended.out.splitlines()[
        -1
    ].endswith("-")


def test_every_size_of_the_batch_has_a_total_of_its_own() -> None:
    found = ckdispatch(
        "bench", "--suite", "llama3-8b", "--batch", "16,512", *ESSENTIAL, *PREDICTED, "--json"
    ).document
    layers = sum(layer.times for layer in load("llama3-8b").layers)
    assert [(one["batch"], one["layers"]) for one in found["totals"]] == [
        (16, layers),
        (512, layers),
    ]
    assert [one["problem"]["m"] for one in found["results"]] == [16] * 4 + [512] * 4
    first, second = found["totals"]
    assert 0 < first["milliseconds"] < second["milliseconds"] and first["tflops"] < second["tflops"]


def test_other_words_are_of_every_problem() -> None:
    sets = ("--kernels", "grouped_conv_bwd_data_fp16_2d_essential")
    found = ckdispatch(
        "bench",
        "--suite",
        "vgg16",
        "--batch",
        "2",
        "--words",
        "backward_data",
        *sets,
        *PREDICTED,
        "--json",
    ).document
    assert {(one["problem"]["n"], one["problem"]["direction"]) for one in found["results"]} == {
        (2, "backward_data")
    }
    assert all("_bwd_data_" in one["kernel"] for one in found["results"])


def test_a_layer_without_a_kernel_is_missing_from_the_total() -> None:
    kernel = "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"
    words = (*RESNET, *PREDICTED, "--kernel", kernel, "--no-pad")
    found = ckdispatch(*words, "--json")
    assert found.code == 3
    assert (found.document["totals"][0]["layers"], found.document["totals"][0]["missing"]) == (
        52,
        1,
    )
    ended = ckdispatch(*words)
    assert ended.err == "ckdispatch: without a kernel: 1 of 23 problems.\n"
    assert (
        "52 of 53" in ended.out
        and "n32 g1 c3 k64 224x224 7x7 stride=2 pad=3 fp16 forward: " in ended.out
    )


def test_a_time_of_a_suite_counts_only_if_the_result_is_right() -> None:
    words = ("bench", "--suite", "pointwise-1x1", *FORWARD, *SIMULATED, "--validate")
    right = ckdispatch(*words, "--json")
    assert right.code == 0 and right.document["totals"][0]["missing"] == 0
    # A simulator that executes nothing.
    nothing = {"GFXSIM_EXECUTE": "0", "GFXSIM_TIMING": "0"}
    wrong = ckdispatch(*words, env=nothing)
    assert (wrong.code, wrong.err) == (1, "ckdispatch: wrong results: 1 of 1 problem.\n")
    assert "56x56 1x1 fp16 forward: wrong: " in wrong.out and "us" not in wrong.out.split()
    (total,) = ckdispatch(*words, "--json", env=nothing).document["totals"]
    assert (total["layers"], total["missing"]) == (0, 1)


def test_kernels_of_another_gpu_have_no_times() -> None:
    ended = ckdispatch("bench", "--suite", "pointwise-1x1", *FORWARD, "--gpu", "gfx950")
    assert (
        ended.code == 3
        and "us" not in ended.out.split()
        and ended.err.endswith("1 of 1 problem.\n")
    )


def test_the_usual_kernels_are_those_of_the_shipped_set() -> None:
    """They are not built for this test, which is what the sentence is about."""
    for words, name in (
        (("resnet50",), "grouped_conv_fwd_fp16_2d_all"),
        (
            ("r3d18", "--dtype", "bf16", "--words", "backward_weight"),
            "grouped_conv_bwd_weight_bf16_3d_all",
        ),
        (("llama3-8b", "--dtype", "fp8"), "gemm_fp8_rcr_all"),
        (("llama3-8b", "--words", "batch=2"), "gemm_batched_fp16_all"),
    ):
        ended = ckdispatch("bench", "--suite", *words)
        assert ended.code == 3 and f"the kernel set {name} was asked for" in ended.err


def test_every_kernel_can_be_timed_on_a_suite(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    words = (
        "--all-kernels",
        "--output",
        str(table),
        "--no-flush-cache",
        "--warmup",
        "0",
        "--repeat",
        "1",
    )
    ended = ckdispatch("bench", "--suite", "pointwise-1x1", *FORWARD, *SIMULATED, *words)
    assert ended.code == 0, ended.err
    rows = list(csv.DictReader(table.open()))
    assert len(rows) > 1 and {row["problem"] for row in rows} == {
        "n1 g1 c256 k256 56x56 1x1 fp16 forward"
    }


def test_help_shows_the_lists() -> None:
    assert ckdispatch("bench", "--suite", "help").out == ckdispatch("problems", "--list").out
    assert (
        ckdispatch("bench", "--suite", "help", "--json").document
        == ckdispatch("problems", "--list", "--json").document
    )
    shown = " ".join(ckdispatch("bench", "--help").out.replace("-\n", "-").split())
    assert all(
        name in shown.replace(" ", "") for name in ("batch32-56x56", "pointwise-1x1", "resnet50")
    )


WRONG: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no such list": (
        ("--suite", "resnet5"),
        3,
        "the problem list 'resnet5' was asked for; there is batch32-56x56, ",
    ),
    "a problem too": (
        ("64x64x64", "--suite", "resnet50"),
        2,
        "--suite resnet50 was asked for with '64x64x64'",
    ),
    "a file too": (
        ("--file", "x.txt", "--suite", "resnet50"),
        2,
        "--suite resnet50 was asked for with --file x.txt",
    ),
    "words of no list": (("64x64x64", "--dtype", "bf16"), 2, "was asked for without --suite"),
    "a GPU of no list": (("64x64x64", "--gpu", "gfx942"), 2, "was asked for without --suite"),
    "two ways": (
        ("--suite", "resnet50", *PREDICTED, *SIMULATED),
        2,
        "--gpu was asked for with --device sim:gfx942",
    ),
    "an unknown GPU": (("--suite", "resnet50", "--gpu", "gfx999"), 2, "the known ones are gfx908"),
    "a table of predictions": (
        ("--suite", "vgg16", *PREDICTED, "--all-kernels", "--output", "x.csv"),
        2,
        "--all-kernels was asked for with --gpu",
    ),
    "results of predictions": (
        ("--suite", "vgg16", *PREDICTED, "--validate"),
        2,
        "--validate was asked for where times are predicted, for gfx942",
    ),
    "a batch of none": (("--suite", "random-gemm", "--batch", "4"), 2, "M is drawn like the rest"),
    "a dtype of none": (
        ("--suite", "resnet50", "--dtype", "fp99", *PREDICTED),
        2,
        "has the word 'fp99'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_one_sentence(name: str) -> None:
    words, code, sentence = WRONG[name]
    ended: Ended = ckdispatch("bench", *words, *FORWARD)
    assert (ended.code, ended.out) == (code, ""), ended.err
    assert (
        ended.err.startswith("ckdispatch: ")
        and ended.err.count("\n") == 1
        and sentence in ended.err
    )
