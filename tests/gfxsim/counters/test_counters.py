# SPDX-License-Identifier: MIT
"""The report's counters, against what can be counted by hand."""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.gfxsim.programs.device import GPU, Module, runtime

REPORT = Path(os.environ["TEST_TMPDIR"]) / "report.jsonl"
os.environ["GFXSIM_REPORT"] = str(REPORT)

THREADS = 128
GROUPS = 6
ITEMS = THREADS * GROUPS
LINE = 64
# Of each GPU: lanes of a wave, banks of LDS, and the waves per SIMD of the kernels below.
LANES, BANKS, OCCUPANCY = {
    # 8 waves at most. LDS of 64 KiB for two workgroups of two waves on four SIMDs. 512 registers
    # for four waves.
    "gfx942": (64, 32, {"copy": 8, "exchange": 1, "hold_registers": 4}),
    # LDS of 160 KiB, given out by 1280 bytes: the 32 KiB of a workgroup take a little more, and
    # there is room for four.
    "gfx950": (64, 64, {"copy": 8, "exchange": 2, "hold_registers": 4}),
    # 16 waves at most. LDS of 128 KiB for four workgroups of four waves on four SIMDs. 1536
    # registers, given out by 24.
    "gfx1100": (32, 32, {"copy": 16, "exchange": 4, "hold_registers": 10}),
    "gfx1201": (32, 32, {"copy": 16, "exchange": 4, "hold_registers": 10}),
}[GPU]
WAVES = ITEMS // LANES
# How often all banks are filled for one word of every lane of a wave.
ROUNDS = LANES // BANKS


@pytest.fixture(scope="module")
def module() -> Module:
    return Module(Path(f"tests/gfxsim/counters/counters.{GPU}.co").read_bytes())


def launch(
    module: Module, kernel: str, first: int = 0, second: int = 0, lds: int = 0
) -> dict[str, Any]:
    """The report of a launch with two integers; its arrays have room for 16 words of every work
    item.
    """
    REPORT.unlink(missing_ok=True)
    with (
        runtime().upload(bytes(64 * ITEMS)) as source,
        runtime().upload(bytes(64 * ITEMS)) as target,
    ):
        arguments = [
            ctypes.c_void_p(source.address),
            ctypes.c_void_p(target.address),
            ctypes.c_int(first),
            ctypes.c_int(second),
        ]
        module.launch(kernel, *arguments, grid=GROUPS, block=THREADS, lds=lds)
    (line,) = REPORT.read_text().splitlines()
    report: dict[str, Any] = json.loads(line)
    assert report["ok"] and report["waves"] == WAVES
    assert report["wave_instructions"] == sum(report["instructions"].values())
    return report


def test_a_coalesced_copy_asks_for_all_bytes_of_its_lines(module: Module) -> None:
    report = launch(module, "copy", 1, ITEMS)
    assert report["global"] == {
        "bytes_read": 4 * ITEMS,
        "bytes_written": 4 * ITEMS,
        "bytes_atomic": 0,
        "accesses": 2 * WAVES,
        "lines": 2 * 4 * ITEMS // LINE,
        "line_bytes": LINE,
        "coalescing": 1.0,
    }
    assert report["instructions"]["global"] == 2 * WAVES
    assert report["lds"] == {
        "bytes_read": 0,
        "bytes_written": 0,
        "accesses": 0,
        "cycles": 0,
        "bank_conflict_cycles": 0,
    }


def test_arguments_are_read_by_the_wave_and_not_by_lanes(module: Module) -> None:
    scalar = launch(module, "copy", 1, ITEMS)["scalar"]
    # Two pointers and two integers, for each wave.
    assert scalar["bytes_read"] >= 24 * WAVES and scalar["bytes_written"] == 0
    assert scalar["accesses"] >= WAVES


def test_a_copy_of_16_bytes_per_lane_is_coalesced_too(module: Module) -> None:
    counted = launch(module, "copy_wide")["global"]
    assert (counted["bytes_read"], counted["bytes_written"], counted["coalescing"]) == (
        16 * ITEMS,
        16 * ITEMS,
        1.0,
    )


def test_lanes_that_are_switched_off_ask_for_nothing(module: Module) -> None:
    counted = launch(module, "copy", 1, 100)["global"]
    assert (counted["bytes_read"], counted["bytes_written"]) == (400, 400)
    # 400 bytes are six lines and a quarter.
    assert counted["lines"] == 14 and counted["coalescing"] == pytest.approx(800 / (14 * LINE))


@pytest.mark.parametrize(("stride", "read_lines"), [(2, 2 * 4 * ITEMS // LINE), (16, ITEMS)])
def test_a_stride_touches_lines_for_bytes_that_no_lane_asks_for(
    module: Module, stride: int, read_lines: int
) -> None:
    counted = launch(module, "copy", stride, ITEMS)["global"]
    assert (counted["bytes_read"], counted["bytes_written"]) == (4 * ITEMS, 4 * ITEMS)
    assert counted["lines"] == read_lines + 4 * ITEMS // LINE
    assert counted["coalescing"] == pytest.approx(8 * ITEMS / (LINE * counted["lines"]))


def test_atomics_are_neither_reads_nor_writes(module: Module) -> None:
    counted = launch(module, "add")["global"]
    assert (counted["bytes_read"], counted["bytes_written"], counted["bytes_atomic"]) == (
        4 * ITEMS,
        0,
        4 * ITEMS,
    )


@pytest.mark.parametrize("stride", [1, 3, 31, 33])
def test_lanes_in_banks_of_their_own_have_no_conflict(module: Module, stride: int) -> None:
    counted = launch(module, "exchange", stride, stride)["lds"]
    assert counted == {
        "bytes_read": 4 * ITEMS,
        "bytes_written": 4 * ITEMS,
        "accesses": 2 * WAVES,
        "cycles": 2 * WAVES * ROUNDS,
        "bank_conflict_cycles": 0,
    }


def test_two_words_per_lane_take_two_cycles_without_a_conflict(module: Module) -> None:
    counted = launch(module, "exchange_wide")["lds"]
    assert (counted["bytes_read"], counted["bytes_written"]) == (8 * ITEMS, 8 * ITEMS)
    assert (counted["cycles"], counted["bank_conflict_cycles"]) == (2 * WAVES * 2 * ROUNDS, 0)


@pytest.mark.parametrize("stride", [2, 8, BANKS])
def test_a_stride_that_shares_banks_costs_a_cycle_for_each_lane_that_waits(
    module: Module, stride: int
) -> None:
    counted = launch(module, "exchange", stride, stride)["lds"]
    assert counted["cycles"] == 2 * WAVES * ROUNDS * stride
    assert counted["bank_conflict_cycles"] == 2 * WAVES * ROUNDS * (stride - 1) > 0


def test_lanes_that_read_one_word_share_it(module: Module) -> None:
    counted = launch(module, "exchange", 1, 0)["lds"]
    assert (counted["cycles"], counted["bank_conflict_cycles"]) == (2 * WAVES * ROUNDS, 0)


@pytest.mark.parametrize("times", [0, 1, 7])
def test_a_barrier_counts_once_for_each_workgroup_that_meets(module: Module, times: int) -> None:
    report = launch(module, "meet", times)
    assert report["barriers"] == GROUPS * times
    assert report["instructions"]["barrier"] == WAVES * times


@pytest.mark.parametrize("kernel", OCCUPANCY)
def test_occupancy_is_bound_by_waves_or_lds_or_registers(module: Module, kernel: str) -> None:
    resources = launch(module, kernel, 1, 1)["resources"]
    assert resources["waves_per_simd"] == OCCUPANCY[kernel], resources


def test_occupancy_counts_lds_that_the_launch_asks_for(module: Module) -> None:
    resources = launch(module, "copy", 1, ITEMS, lds=32768)["resources"]
    assert (resources["lds_bytes"], resources["waves_per_simd"]) == (32768, OCCUPANCY["exchange"])
