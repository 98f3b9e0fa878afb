# SPDX-License-Identifier: MIT
"""Reductions, scans, transposes, shuffles and votes give what the host computes for the GPU's wave
size.
"""

from __future__ import annotations

from pathlib import Path

import ckarch
import numpy as np
import pytest

from tests.gfxsim.programs.device import GPU, Program

RANDOM = np.random.default_rng(7)
WAVE = ckarch.load_specs().gpu(GPU).wave_size


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(Path("tests/gfxsim/programs/libcooperation.so"))


def waves(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, WAVE)


def test_code_sees_the_wave_size_of_its_gpu(program: Program) -> None:
    found = np.zeros(1, np.int32)
    program.run("run_wave_size", found)
    assert found[0] == WAVE


def test_a_tree_in_lds_adds_up_each_workgroup(program: Program) -> None:
    n, blocks = 5000, 7
    values = RANDOM.integers(-(2**31), 2**31, n).astype(np.int32)
    sums = np.zeros(blocks, np.int64)
    program.run("run_reduce_in_lds", values, sums, n, blocks)
    owner = np.arange(n) // 256 % blocks
    np.testing.assert_array_equal(
        sums, [values[owner == block].astype(np.int64).sum() for block in range(blocks)]
    )


@pytest.mark.parametrize("threads", [64, 256, 1024])
@pytest.mark.parametrize("kind", ["int", "double"])
def test_shuffles_add_up_whole_workgroups(program: Program, kind: str, threads: int) -> None:
    n = 1500
    blocks = -(-n // threads)
    values = RANDOM.integers(-1000, 1000, n).astype(np.int32 if kind == "int" else np.float64)
    sums, largest = np.zeros(blocks, values.dtype), np.zeros(blocks, values.dtype)
    program.run(f"run_reduce_{kind}", values, sums, largest, n, blocks, threads)
    padded = np.zeros(blocks * threads, values.dtype)
    padded[:n] = values
    np.testing.assert_array_equal(sums, padded.reshape(blocks, threads).sum(axis=1))
    np.testing.assert_array_equal(largest, padded.reshape(blocks, threads).max(axis=1))


def test_shuffles_take_the_value_of_the_lane_that_they_name(program: Program) -> None:
    n = 256
    values = RANDOM.integers(-1000, 1000, n).astype(np.int32)
    source = RANDOM.integers(0, WAVE, n).astype(np.int32)
    found = np.zeros((8, n), np.int32)
    program.run("run_shuffle", values, source, found, n)
    lane = np.arange(n) % WAVE
    first = np.arange(n) - lane
    in_group = lane // 16 * 16

    def take(lanes: np.ndarray) -> np.ndarray:
        taken: np.ndarray = values[first + lanes]
        return taken

    expected = [
        take(lane ^ 1),
        take(lane ^ 16),
        take(np.where(lane + 3 < WAVE, lane + 3, lane)),
        take(np.where(lane >= 5, lane - 5, lane)),
        take(source),
        take(in_group + source % 16),
        take(np.where(lane % 8 + 2 < 8, lane + 2, lane)),
        take(lane ^ (WAVE // 2)),
    ]
    np.testing.assert_array_equal(found, np.array(expected))


def test_dpp_swizzles_and_permutes_move_values_between_lanes(program: Program) -> None:
    n = 128
    values = RANDOM.integers(1, 1000, n).astype(np.int32)
    found = np.zeros((10, n), np.int32)
    program.run("run_cross_lanes", values, found, n)
    lane = np.arange(n) % WAVE
    first, row, in_row, item = np.arange(n) - lane, lane // 16, lane % 16, np.arange(n) % 64

    def take(lanes: np.ndarray) -> np.ndarray:
        taken: np.ndarray = values[first + lanes % WAVE]
        return taken

    half_mirror = take(lane ^ 7)
    written = ((0xA >> row) & (0x5 >> (in_row // 4)) & 1).astype(bool)
    pushed = np.zeros(n, np.int32)
    pushed[first + (item ^ 5) % WAVE] = values
    expected = [
        take(lane ^ 3),
        np.where(in_row < 15, take(lane + 1), -values),
        np.where(in_row >= 3, take(lane - 3), 0),
        take(row * 16 + (in_row - 4) % 16),
        take(lane ^ 15),
        np.where(written, half_mirror, -values),
        np.where(in_row >= 1, take(lane - 1), 0) + values,
        take(lane ^ 16),
        take(63 - item),
        pushed,
    ]
    np.testing.assert_array_equal(found, np.array(expected))


def test_votes_count_the_lanes_that_take_part(program: Program) -> None:
    n = 512
    values = RANDOM.integers(-100, 100, n).astype(np.int32)
    values[100], values[WAVE : 2 * WAVE] = 77, np.abs(values[WAVE : 2 * WAVE]) + 1
    ballots, found = np.zeros(n, np.uint64), np.zeros((7, n), np.int32)
    program.run("run_vote", values, ballots, found, n)

    positive = waves(values > 0)
    masks = [sum(1 << int(lane) for lane in np.flatnonzero(wave)) for wave in positive]
    np.testing.assert_array_equal(
        waves(ballots), np.repeat(np.array(masks, np.uint64)[:, None], WAVE, axis=1)
    )

    def in_all_lanes(per_wave: list[int]) -> np.ndarray:
        return np.repeat(per_wave, WAVE)

    ranks = np.where(positive, np.cumsum(positive, axis=1) - 1, -1).ravel()
    odd = [int((wave & positive[i]).sum()) for i, wave in enumerate(waves(values & 1))]
    expected = [
        in_all_lanes([mask.bit_count() for mask in masks]),
        in_all_lanes([(mask & -mask).bit_length() for mask in masks]),
        in_all_lanes([int((wave == 77).any()) for wave in waves(values)]),
        in_all_lanes([int((wave > -90).all()) for wave in waves(values)]),
        np.arange(n) % WAVE,
        ranks,
        np.where(values > 0, in_all_lanes(odd), 0),
    ]
    np.testing.assert_array_equal(found, np.array(expected))


@pytest.mark.parametrize("n", [1, 255, 4000])
def test_a_scan_over_workgroups_that_wait_for_each_other(program: Program, n: int) -> None:
    values = RANDOM.integers(-1000, 1000, n).astype(np.int32)
    groups = -(-n // 256)
    found, sums, ready = (
        np.zeros(n, np.int32),
        np.zeros(groups, np.int32),
        np.zeros(groups, np.int32),
    )
    program.run("run_scan", values, found, sums, ready, n)
    np.testing.assert_array_equal(found, np.cumsum(values))


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_a_matrix_is_transposed_through_lds(program: Program, size: int) -> None:
    rows, columns = 45, 70
    matrix = RANDOM.integers(0, 256, (rows, columns, size)).astype(np.uint8)
    found = np.zeros((columns, rows, size), np.uint8)
    program.run("run_transpose", matrix, found, rows, columns, size)
    np.testing.assert_array_equal(found, matrix.transpose(1, 0, 2))


@pytest.mark.parametrize("threads", [1, 50, 64, 300])
def test_lds_that_the_launch_asks_for_reverses_each_block(program: Program, threads: int) -> None:
    values = RANDOM.integers(-30000, 30000, (3, threads)).astype(np.int16)
    found = np.zeros_like(values)
    program.run("run_reverse", values, found, 3, threads)
    np.testing.assert_array_equal(found, values[:, ::-1])
