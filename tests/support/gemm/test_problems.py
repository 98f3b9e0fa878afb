# SPDX-License-Identifier: MIT
"""The problems of a kernel reach all of it, and are such that it should take them."""

from __future__ import annotations

from typing import cast

import pytest
from ckarch import load_specs
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from cksupport.gemm.problems import Problem, Steps, launches
from cksupport.operands import Spacing

GFX942 = Target.of(load_specs(), "gfx942")
SIZES = "64x64x32_2x2x1_16x16x16"


def named(middle: str, end: str = "") -> tuple[Problem, ...]:
    return tuple(problem for (problem,) in launches(spec(middle, end), GFX942))


def spec(middle: str, end: str = "") -> GemmSpec:
    return cast(GemmSpec, FAMILIES["gemm"].parse_name(f"gemm_{middle}_{SIZES}{end}"))


def test_without_padding_every_size_is_a_multiple_of_the_tile() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False")
    assert all((p.m % 64, p.n % 64, p.k % 32) == (0, 0, 0) for p in found)


def test_with_padding_every_size_has_a_remainder() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False")
    assert all(p.m % 64 and p.n % 64 and p.k % 32 for p in found)


def test_a_persistent_kernel_has_more_tiles_than_a_multiprocessor_holds_workgroups() -> None:
    middle = "fp16_rcr_compv3_cshuffle_intrawave_True_True_True"
    tiles = [-(-p.m // 64) * -(-p.n // 64) for p in named(f"{middle}_True")]
    units = GFX942.gpu.simds_per_cu * GFX942.gpu.registers.max_waves_per_simd
    assert min(tiles) > units / 4 and tiles[0] > units
    assert max(-(-p.m // 64) * -(-p.n // 64) for p in named(f"{middle}_False")) <= 4


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
    found = [problem for (problem,) in launches(kernel, GFX942)]
    assert all((p.k if layout[0] == "r" else p.m) % 8 == 0 for p in found)
    assert all((p.n if layout[1] == "r" else p.k) % 8 == 0 for p in found)
    assert all((p.n % 8, p.a.gap % 8, p.b.gap % 8, p.c.gap % 8) == (0, 0, 0, 0) for p in found)


def test_some_problems_have_gaps_and_some_have_none() -> None:
    found = named("fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False")
    gaps = [(p.a.gap, p.b.gap, p.c.gap) for p in found]
    assert (0, 0, 0) in gaps and any(min(three) > 0 for three in gaps)


def test_a_problem_reads_as_its_sizes_and_gaps() -> None:
    assert Problem(3, 4, 5).text == "3x4x5"
    assert Problem(3, 4, 5, Spacing(8), c=Spacing(16)).text == "3x4x5 gaps 8/0/16"
    batch = Problem(3, 4, 5, b=Spacing(shift=1), batch=2, shares_b=True, parts=3)
    assert batch.text == "3x4x5 shifts 0/1/0 batch 2 of one B parts 3"
    assert Problem(3, 4, 5, repeated_ds=(False, True)).text == "3x4x5 one line of D 1"


PADDED = "fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False"


def test_a_split_kernel_is_given_parts_that_make_as_many_turns() -> None:
    found = named(PADDED, "_splitk")
    assert [p.parts for p in found] == [2, 3, 2, 3, 2]
    assert [-(-p.k // (32 * p.parts)) for p in found] == [1, 2, 3, 4, 5]


def test_a_batched_kernel_is_given_batches_with_gaps_and_with_one_b_for_all() -> None:
    found = named(PADDED, "_batched")
    assert {p.batch for p in found} == {2, 3}
    assert any(p.a.batch_gap for p in found) and any(p.shares_b for p in found)


def test_a_grouped_kernel_is_given_several_products_of_different_depths() -> None:
    found = launches(spec(PADDED, "_grouped"), GFX942)
    assert all(len({problem.k for problem in launch}) == 3 for launch in found)
    turns = {-(-problem.k // 32) for launch in found for problem in launch}
    assert turns >= {1, 2, 3, 4, 5}


def test_each_d_tensor_is_once_a_repeated_line_and_once_whole() -> None:
    found = named(
        "fp16_rcrr_compv3_cshuffle_intrawave_True_True_True_False", "_multid_MultiDAdd_d3"
    )
    for i in range(3):
        assert {p.repeated_ds[i] for p in found} == {True, False}


def test_preshuffled_weights_are_whole_warp_tiles() -> None:
    found = named("fp16_rcr_preshufflev2_cshuffle_default_True_True_True_False", "_preshuffle")
    assert all((p.n % 16, p.k % 32) == (0, 0) for p in found)
    assert any(p.n % 64 for p in found) and any(p.m % 64 for p in found)
