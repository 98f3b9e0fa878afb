# SPDX-License-Identifier: MIT
"""Convolutions on the command line, beside matrix products."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ckdispatch.measurements import read
from cli_support import ESSENTIAL, SIMULATED, ckdispatch, manifest

FORWARD = ("--kernels", "grouped_conv_fwd_fp16_2d_essential")
CONVOLUTIONS = (
    *FORWARD,
    "--kernels",
    "grouped_conv_bwd_data_fp16_2d_essential",
    "--kernels",
    "grouped_conv_bwd_weight_fp16_2d_essential",
)
MANY = "nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"


@pytest.mark.parametrize(
    ("problem", "begins"),
    [
        ("n2 g2 c8 k16 7x6 3x3 stride=2x1 pad=1+0x1", "grouped_conv_fwd_"),
        ("n2 g2 c3 k5 7x6 3x2 dilation=2 forward", "grouped_conv_fwd_"),
        ("n2 g2 c3 k5 7x6 3x2 stride=2x1 pad=1+0x1 ngchw", "grouped_conv_fwd_fp16_ngchw_2d_"),
        ("n1 c16 k8 7x6 3x3 stride=2 backward_data", "grouped_conv_bwd_data_"),
        ("n2 c8 k8 9x9 3x3 backward_weight", "grouped_conv_bwd_weight_"),
        ("n2 c8 k8 9x10 2x3 backward_weight split_k=2", "grouped_conv_bwd_weight_"),
    ],
)
def test_a_convolution_is_computed_and_compared(problem: str, begins: str) -> None:
    told = ckdispatch("run", problem, *CONVOLUTIONS, *SIMULATED, "--seed", "5").columns
    assert told["kernel"].startswith(begins)
    assert told["changed"] == "nothing"
    assert told["result"].startswith("right: ")


def test_words_mean_what_they_do_in_python() -> None:
    problem = "n1 c8 k8 6x6x6 3 bias Relu channels_first"
    found = ckdispatch("explain", problem, *FORWARD, "--json")
    assert found.document["problem"].endswith(
        "3x3x3 stride 1x1x1 pad 0x0x0 fp16 ngcdhw MultiDAddRelu of a bias"
    )
    ended = ckdispatch("explain", "n1 c8 k8 6x6 3x3 relu", *FORWARD)
    assert ended.code == 2
    assert "has the word 'relu'; by themselves stand directions: forward, " in ended.err


def test_channels_are_padded_for_a_kernel_that_is_named() -> None:
    name = f"grouped_conv_fwd_fp16_{MANY}"
    words = ("n1 g2 c3 k5 6x6 3x3", *FORWARD, *SIMULATED, "--kernel", name)
    told = ckdispatch("run", *words).columns
    assert re.search(r" c3 k5 .* was padded to grouped_conv forward n1 g2 c8 k8 ", told["changed"])
    assert told["result"].startswith("right: ")
    refused = ckdispatch("run", *words, "--no-pad")
    assert refused.code == 3


def test_channels_that_come_first_are_padded_where_they_are() -> None:
    name = "grouped_conv_fwd_bf16_ngchw_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16_v8x1x8"
    library = manifest(FORWARD[1]).parent / f"lib{name}.so"
    told = ckdispatch(
        "run", "n2 g2 c3 k5 6x6 3x3 bf16 ngchw", "--kernels", library, *SIMULATED
    ).columns
    assert told["kernel"] == name
    assert re.search(r" c3 k5 .* was padded to grouped_conv forward n2 g2 c8 k5 ", told["changed"])
    assert told["result"].startswith("right: ")


def test_kernels_of_two_families_are_listed_each_in_a_table() -> None:
    ended = ckdispatch("list", *ESSENTIAL, *CONVOLUTIONS)
    titles = [line for line in ended.out.splitlines() if line.startswith("kernel ")]
    assert len(titles) == 2
    assert "pads" in titles[0] and "vectors" in titles[1]
    found = ckdispatch("list", *ESSENTIAL, *CONVOLUTIONS, "--json").document
    assert found["statistics"]["kernels"] == len(found["kernels"])
    assert {kernel["spec"]["family"] for kernel in found["kernels"]} == {"gemm", "grouped_conv"}


def test_a_filter_means_what_each_family_calls_so() -> None:
    found = ckdispatch("list", *ESSENTIAL, *CONVOLUTIONS, "--dtype", "fp16", "--json").document
    assert {kernel["spec"]["family"] for kernel in found["kernels"]} == {"gemm", "grouped_conv"}
    found = ckdispatch("list", *ESSENTIAL, *CONVOLUTIONS, "--layout", "nhwgc", "--json").document
    assert {kernel["spec"]["family"] for kernel in found["kernels"]} == {"grouped_conv"}
    ended = ckdispatch("list", *ESSENTIAL, *FORWARD, "--variant", "sideways")
    assert ended.code == 3
    assert "they have variant forward or standard" in ended.err


def test_kernels_are_explained_for_the_family_of_the_problem() -> None:
    found = ckdispatch("explain", "n1 c8 k8 6x6 3x3", *ESSENTIAL, *CONVOLUTIONS, "--json").document
    assert all(one["kernel"].startswith("grouped_conv_fwd_") for one in found["fit"])
    others = ("grouped_conv_bwd_", "grouped_conv_fwd_fp16_ngchw_")
    assert all(one["kernel"].startswith(others) for one in found["refused"])


def test_problems_of_two_families_are_timed_together() -> None:
    words = ("64x64x64", "n1", "c8", "k8", "6x6", "3x3", "fp16")
    where = (*ESSENTIAL, *FORWARD, *SIMULATED, "--warmup", "0", "--repeat", "1")
    found = ckdispatch("bench", *words, *where, "--json").document
    assert [one["problem"]["family"] for one in found["results"]] == ["gemm", "grouped_conv"]


def test_a_convolution_has_no_preshuffled_weights() -> None:
    ended = ckdispatch("run", "n1 c8 k8 6x6 3x3", *FORWARD, *SIMULATED, "--preshuffle")
    assert ended.code == 2
    assert "it is for problems of gemm" in ended.err


def test_a_saved_list_may_hold_several_families(tmp_path: Path) -> None:
    from ckdispatch import Registry

    sets = (ESSENTIAL[1], FORWARD[1])
    saved = tmp_path / "both.json"
    saved.write_text(json.dumps(Registry.load(*map(manifest, sets)).to_json()))
    found = ckdispatch("list", "--kernels", saved, "--json").document
    assert {kernel["spec"]["family"] for kernel in found["kernels"]} == {"gemm", "grouped_conv"}


def test_every_kernel_of_every_direction_is_timed(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    text = (
        "n1 c16 k8 6x6 3x3 pad=1\nn1 c16 k8 6x6 3x3 backward_data\nn2 c8 k8 6x6 3x3 "
        "backward_weight split_k=0\n64x64x64\n"
    )
    once = (
        "--warmup",
        "0",
        "--repeat",
        "1",
        "--no-flush-cache",
        "--all-kernels",
        "--output",
        table,
    )
    ended = ckdispatch(
        "bench", "--file", "-", *CONVOLUTIONS, *ESSENTIAL, *SIMULATED, *once, text=text
    )
    assert ended.code == 0, ended.err
    found = read(table)
    assert {row.family for row in found.rows} == {"gemm", "grouped_conv"}
    assert all(row.checked and row.microseconds > 0 for row in found.rows)
    for problem, rows in found.cases().items():
        ranked = ckdispatch("explain", problem, *CONVOLUTIONS, *ESSENTIAL, "--json").document["fit"]
        assert {row.kernel for row in rows} == {one["kernel"] for one in ranked}
    assert len(found.cases()) == 4
