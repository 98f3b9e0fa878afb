# SPDX-License-Identifier: MIT
"""Problems of every variant on the command line."""

from __future__ import annotations

import pytest
from cli_support import EACH_VARIANT, ESSENTIAL, SIMULATED, VARIANTS, ckdispatch

WHERE = (*EACH_VARIANT, *SIMULATED, "--seed", "5")


@pytest.mark.parametrize(
    ("problem", "suffix", "launches"),
    [
        ("72x136x96 batch=3", "_batched", "1"),
        ("72x136x96 MultiDAddRelu d_strides=0", "_MultiDAddRelu_d1", "1"),
        ("72x136x96 MultiDAdd d_strides=0/144", "_MultiDAdd_d2", "1"),
        ("72x136x96 MultiDAdd d_layout=c d_strides=0", "_MultiDAdd_d1", "1"),
        ("72x136x96 MultiDAddRelu batch=2", "_MultiDAddRelu_d1", "2"),
        ("72x136x96 Gelu", "_Gelu_d0", "1"),
        ("72x136x512 split_k=4 deterministic=true", "_splitkws", "1"),
        ("64x64x32+8x16x96+72x136x264", "_grouped", "1"),
        ("72x128x256 weights=16x8", "_preshuffle", "1"),
    ],
)
def test_a_problem_is_computed_by_the_kernel_of_its_variant(
    problem: str, suffix: str, launches: str
) -> None:
    ran = ckdispatch("run", problem, *WHERE)
    assert ran.code == 0, ran.err
    told = ran.columns
    assert told["kernel"].endswith(suffix)
    assert told["launches"] == launches
    assert told["result"].startswith("right: ")


def test_weights_are_preshuffled_for_a_kernel_that_fits() -> None:
    told = ckdispatch("run", "72x128x256", "--preshuffle", *WHERE).columns
    assert told["problem"] == "72x128x256 fp16 rcr weights=16x8"
    assert told["kernel"].endswith("_preshuffle")
    assert told["result"].startswith("right: ")
    found = ckdispatch("explain", "72x128x256", "--preshuffle", *EACH_VARIANT, "--json").document
    assert [one["kernel"].endswith("_preshuffle") for one in found["fit"]] == [True]


def test_without_a_kernel_for_preshuffled_weights_that_is_said() -> None:
    ended = ckdispatch("run", "72x128x256", "--preshuffle", *ESSENTIAL, *SIMULATED)
    assert ended.code == 3
    assert "reads preshuffled weights of fp16" in ended.err


def test_a_padded_problem_keeps_its_bias() -> None:
    told = ckdispatch("run", "37x43x51 MultiDAddRelu d_strides=0", *WHERE).columns
    assert "was padded to" in told["changed"]
    assert told["result"].startswith("right: ")


def test_groups_without_a_kernel_for_them_run_one_after_another() -> None:
    told = ckdispatch("run", "64x64x32+8x16x96", *ESSENTIAL, *SIMULATED).columns
    assert told["launches"] == "2"
    assert told["changed"].startswith("the 2 groups were computed one after another")
    assert told["result"].startswith("right: ")


def test_problems_of_every_variant_are_timed() -> None:
    found = ckdispatch(
        "bench",
        "64x64x32+8x16x96",
        "72x136x96 MultiDAddRelu d_strides=0",
        *EACH_VARIANT,
        *SIMULATED,
        "--warmup",
        "0",
        "--repeat",
        "1",
        "--json",
    ).document
    assert [len(one["milliseconds"]) for one in found["results"]] == [1, 1]


def test_kernels_are_listed_with_their_variant() -> None:
    found = ckdispatch("list", *EACH_VARIANT, "--variant", "multi_d")
    rows = [line.split() for line in found.out.splitlines() if line.startswith("gemm_")]
    assert sorted(row[2] for row in rows) == [
        "multi_d/Gelu/d0",
        "multi_d/MultiDAdd/d1",
        "multi_d/MultiDAdd/d2",
        "multi_d/MultiDAddRelu/d1",
    ]
    told = ckdispatch("list", *VARIANTS).out
    assert "standard/atomic" in told
