# SPDX-License-Identifier: MIT
"""Grids, divergent control flow, calls and scratch do what the same program does on the host."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from tests.gfxsim.programs.device import GPU, Program

RANDOM = np.random.default_rng(20240501)


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(Path("tests/gfxsim/programs/libcontrol.so"))


@pytest.mark.parametrize(("n", "threads"), [(1, 1), (64, 64), (1000, 256), (777, 96), (1025, 1024)])
def test_a_vector_is_added_in_blocks_of_every_size(program: Program, n: int, threads: int) -> None:
    a, b = RANDOM.standard_normal((2, n)).astype(np.float32)
    c = np.zeros(n, np.float32)
    program.run("run_add", a, b, c, n, threads)
    np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize(
    ("extent", "grid", "block"),
    [
        ((37, 11, 5), (2, 3, 2), (7, 5, 3)),
        ((100, 1, 1), (3, 1, 1), (33, 1, 1)),
        ((5, 9, 30), (1, 1, 4), (1, 1, 13)),
        ((3, 3, 3), (4, 4, 4), (1, 2, 3)),
    ],
)
def test_a_grid_of_three_axes_visits_every_element_once(
    program: Program,
    extent: tuple[int, int, int],
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
) -> None:
    shape = extent[::-1]
    owner, writes = np.full(shape, -1, np.int32), np.zeros(shape, np.int32)
    program.run("run_grid_stride", owner, writes, *extent, *grid, *block)
    z, y, x = np.indices(shape)
    group = [at // size % count for at, size, count in zip((x, y, z), block, grid, strict=True)]
    item = [at % size for at, size in zip((x, y, z), block, strict=True)]
    expected = (
        ((group[2] * 100 + group[1]) * 100 + group[0]) * 1000
        + (item[2] * block[1] + item[1]) * block[0]
        + item[0]
    )
    assert (writes == 1).all()
    np.testing.assert_array_equal(owner, expected)


def test_lanes_leave_a_loop_at_different_times(program: Program) -> None:
    def steps(value: int) -> int:
        count = 0
        while value != 1 and count < 500:
            value, count = (3 * value + 1 if value & 1 else value >> 1), count + 1
        return count

    start = np.concatenate([np.arange(1, 400), RANDOM.integers(1, 2**32, 100)]).astype(np.uint32)
    found = np.zeros(len(start), np.int32)
    program.run("run_collatz", start, found, len(start))
    assert found.tolist() == [steps(int(value)) for value in start]


def maze(value: int) -> int:
    total = 0
    for outer in range(10):
        if (value + outer) % 7 == 0:
            continue
        for inner in range(value % 13):
            if inner * outer > 50:
                break
            case = (value ^ inner) & 7
            if case == 0:
                total += 11
            elif case == 1:
                total += 10
            elif case == 2:
                total *= 3
            elif case == 3:
                total = (total - outer) ^ inner
            elif case == 4:
                total ^= inner
            else:
                total += 2
            if total > 5000:
                return -total
    return total


def test_nested_loops_with_early_exits_go_the_way_of_each_lane(program: Program) -> None:
    values = np.arange(500, dtype=np.int32)
    found = np.zeros(500, np.int32)
    program.run("run_maze", values, found, 500)
    expected = [maze(int(value)) for value in values]
    assert found.tolist() == expected
    assert min(expected) < 0 < max(expected)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return ackermann(m - 1, ackermann(m, n - 1) if n else 1)


def test_recursion_keeps_each_lane_s_stack(program: Program) -> None:
    pairs = list(itertools.product(range(3), range(8))) * 4
    m, n = np.array(pairs, np.uint32).T.copy()
    found = np.zeros(len(pairs), np.uint32)
    program.run("run_recurse", m, n, found, len(pairs))
    assert found.tolist() == [ackermann(*pair) for pair in pairs]


def test_recursion_with_arrays_in_every_frame_counts_derangements(program: Program) -> None:
    known = [1, 0, 1, 2, 9, 44]
    sizes = np.array([i % len(known) for i in range(70)], np.int32)
    found = np.zeros(70, np.int32)
    program.run("run_derange", sizes, found, 70)
    assert found.tolist() == [known[size] for size in sizes]


def test_lanes_call_different_functions_through_pointers(program: Program) -> None:
    n = 300
    which = RANDOM.integers(0, 4, n).astype(np.int32)
    a, b = RANDOM.integers(-(2**30), 2**30, (2, n))
    b[::17] = 0
    found = np.zeros(n, np.int64)
    program.run("run_call_pointers", which, a, b, found, n)
    quotient = [
        int(abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) if y else 0
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(
        found, np.choose(which, [a + b, a - b, a * b, np.array(quotient)])
    )


def test_virtual_functions_are_found_through_their_table(program: Program) -> None:
    sizes = np.arange(100, dtype=np.float32) + np.float32(0.25)
    found = np.zeros(100, np.float32)
    program.run("run_virtual_calls", sizes, found, 100)
    np.testing.assert_array_equal(
        found, np.where(np.arange(100) % 2, sizes * sizes * np.float32(0.5), sizes * sizes)
    )


def test_arrays_in_scratch_are_sorted_in_every_width(program: Program) -> None:
    n, length = 130, 20
    keys = RANDOM.integers(-100, 100, (n, length)).astype(np.int32)
    pick = RANDOM.integers(0, length, n).astype(np.int32)
    outputs = [np.zeros(n, kind) for kind in (np.int8, np.int16, np.int32, np.float64)]
    program.run("run_sort", keys, length, pick, *outputs, n)
    expected = np.sort(keys, axis=1)[np.arange(n), pick]
    for output in outputs:
        np.testing.assert_array_equal(output, expected)


def test_a_generic_pointer_leads_to_lds_scratch_or_memory(program: Program) -> None:
    n = 500
    which = RANDOM.integers(0, 3, n).astype(np.int32)
    data = RANDOM.integers(-1000, 1000, n).astype(np.int32)
    found = np.zeros(n, np.int32)
    program.run("run_generic_pointers", which, data, found, n)
    i = np.arange(n)
    np.testing.assert_array_equal(found, 2 * np.choose(which, [-i, 1000 * (i & 3) + i, data]) + 1)


@pytest.mark.skipif(not GPU.startswith("gfx9"), reason="only gfx9 has these instructions")
@pytest.mark.parametrize("skips", [0, 1])
def test_waves_skip_vector_instructions_and_count_by_scalar_atomics(
    program: Program, skips: int
) -> None:
    value, number, count = np.zeros(768, np.int32), np.zeros(768, np.uint32), np.zeros(1, np.uint32)
    program.run("run_skip_and_count", value, number, count, skips)
    assert (value == (1 if skips else 8)).all()
    assert count[0] == 12 and sorted(number[::64]) == list(range(12))
    assert (number.reshape(12, 64) == number[::64, None]).all()
