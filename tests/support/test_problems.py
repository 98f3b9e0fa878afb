# SPDX-License-Identifier: MIT
"""The problems of a kernel reach all of it, and are such that it should take them."""

from __future__ import annotations

from typing import cast

import pytest
from ckarch import load_specs
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from cksupport.problems import Problem, Steps, problems

GFX942 = Target.of(load_specs(), "gfx942")
SIZES = "64x64x32_2x2x1_16x16x16"


def named(middle: str) -> tuple[Problem, ...]:
    return problems(spec(middle), GFX942)


def spec(middle: str) -> GemmSpec:
    return cast(GemmSpec, FAMILIES["gemm"].parse_name(f"gemm_{middle}_{SIZES}"))


def test_without_padding_every_size_is_a_multiple_of_the_tile() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False")
    assert all((p.m % 64, p.n % 64, p.k % 32) == (0, 0, 0) for p in found)


def test_with_padding_every_size_has_a_remainder() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False")
    assert all(p.m % 64 and p.n % 64 and p.k % 32 for p in found)


def test_only_padded_extents_have_a_remainder() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_False_True_False_False")
    assert all(p.m % 64 == 0 and p.n % 64 and p.k % 32 == 0 for p in found)


def test_sizes_are_on_either_side_of_a_tile() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False")
    for sizes in ([p.m for p in found], [p.n for p in found]):
        assert min(sizes) < 64 < max(sizes)


@pytest.mark.parametrize(
    ("pipeline", "turns"),
    [("compv3", [1, 2, 3, 4, 5]), ("compv6", [2, 3, 4, 5]), ("mem", [1, 2, 3, 4, 5, 6, 7, 8])],
)
def test_the_main_loop_turns_every_number_of_times_that_matters(
    pipeline: str, turns: list[int]
) -> None:
    found = named(f"fp16_rcr_{pipeline}_cshuffle_intrawave_False_False_False_False")
    assert [p.k // 32 for p in found] == turns


def test_a_remainder_of_k_does_not_change_the_turns() -> None:
    found = named("fp16_rcr_compv4_cshuffle_intrawave_True_True_True_False")
    assert [-(-p.k // 32) for p in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("layout", ["rcr", "rrr", "crr", "ccr"])
def test_sizes_and_gaps_are_whole_vectors_of_what_is_contiguous(layout: str) -> None:
    kernel = spec(f"fp16_{layout}_compv3_cshuffle_intrawave_True_True_True_False")
    steps = Steps.of(kernel, GFX942)
    assert (steps.a, steps.b, steps.c) == (8, 8, 8)
    found = problems(kernel, GFX942)
    assert all((p.k if layout[0] == "r" else p.m) % 8 == 0 for p in found)
    assert all((p.n if layout[1] == "r" else p.k) % 8 == 0 for p in found)
    assert all((p.n % 8, p.gap_a % 8, p.gap_b % 8, p.gap_c % 8) == (0, 0, 0, 0) for p in found)


def test_some_problems_have_gaps_and_some_have_none() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False")
    gaps = [(p.gap_a, p.gap_b, p.gap_c) for p in found]
    assert (0, 0, 0) in gaps and any(min(three) > 0 for three in gaps)


def test_a_problem_reads_as_its_sizes_and_gaps() -> None:
    assert str(Problem(3, 4, 5)) == "3x4x5"
    assert str(Problem(3, 4, 5, 8, 0, 16)) == "3x4x5 gaps 8/0/16"
