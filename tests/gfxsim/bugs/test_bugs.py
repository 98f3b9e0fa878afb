# SPDX-License-Identifier: MIT
"""The checking mode finds each planted bug, names its instruction and its lane, and finds nothing
in the kernel without it.
"""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gfxsim import HipError

from tests.gfxsim.programs.device import GPU, Module, runtime

REPORT = Path(os.environ["TEST_TMPDIR"]) / f"bugs.{GPU}.jsonl"
os.environ["GFXSIM_REPORT"] = str(REPORT)
os.environ["GFXSIM_CHECK"] = "1"
THREADS = 256
WAVES = THREADS // (64 if GPU.startswith("gfx9") else 32)


@dataclass(frozen=True)
class Bug:
    kernel: str
    kind: str
    instruction: str  # how its mnemonic begins
    words: str  # in the message
    lane: bool = True  # whether the finding has one
    groups: int = 1


LOADS, STORES = ("ds_read", "ds_write") if GPU.startswith("gfx9") else ("ds_load", "ds_store")
BUGS = [
    Bug("read_before_barrier", "lds_race", LOADS, "no barrier"),
    Bug("write_before_barrier", "lds_race", STORES, "no barrier"),
    Bug(
        "wait_for_load",
        "missing_wait",
        "v_add",
        "loadcnt" if GPU.startswith("gfx12") else "vmcnt",
        lane=False,
    ),
    Bug(
        "overwrite_load",
        "missing_wait",
        "v_mov",
        "loadcnt" if GPU.startswith("gfx12") else "vmcnt",
        lane=False,
    ),
    Bug(
        "outrun_the_counter",
        "missing_wait",
        "v_add",
        "loadcnt" if GPU.startswith("gfx12") else "vmcnt",
        lane=False,
    ),
    Bug(
        "wait_for_scalar_load",
        "missing_wait",
        "s_add",
        "kmcnt" if GPU.startswith("gfx12") else "lgkmcnt",
        lane=False,
    ),
    Bug(
        "wait_for_lds",
        "missing_wait",
        "v_add",
        "dscnt" if GPU.startswith("gfx12") else "lgkmcnt",
        lane=False,
    ),
    Bug("wait_before_barrier", "missing_wait", LOADS, "without a wait before the barrier"),
    Bug(
        "use_empty_register", "uninitialised_register", "global_store", "no value that was written"
    ),
    Bug(
        "pick_empty_register", "uninitialised_register", "global_store", "no value that was written"
    ),
    Bug(
        "multiply_half_empty_registers",
        "uninitialised_register",
        "global_store",
        "no value that was written",
    ),
    Bug(
        "spill_empty_register",
        "uninitialised_register",
        "global_store",
        "no value that was written",
    ),
    Bug(
        "store_empty_accumulator",
        "uninitialised_register",
        "global_store",
        "no value that was written",
    ),
    Bug(
        "multiply_with_lanes_off",
        "inactive_lanes",
        "v_mfma" if GPU.startswith("gfx9") else "v_wmma",
        "needs every lane",
    ),
    Bug("use_empty_lds", "uninitialised_lds", LOADS, "LDS"),
    Bug("load_misaligned", "misaligned", "global_load", "not aligned"),
    Bug("load_misaligned_from_lds", "misaligned", LOADS, "not aligned"),
    Bug("store_misaligned_in_lds", "misaligned", STORES, "not aligned"),
    Bug(
        "store_to_one_place",
        "conflicting_stores",
        "global_store",
        "stored in the same launch",
        groups=2,
    ),
    Bug("wait_at_two_barriers", "divergent_barrier", "s_barrier", "another barrier", lane=False),
    Bug("leave_before_barrier", "divergent_barrier", "s_barrier", "ended", lane=False),
    Bug("leave_lds", "lds_out_of_bounds", LOADS, "of 1024"),
]


@pytest.fixture(scope="module")
def module() -> Module:
    return Module(Path(f"tests/gfxsim/bugs/bugs.{GPU}.co").read_bytes())


def launch(
    module: Module, kernel: str, bug: bool, groups: int = 1, n: int = 0, empty_input: bool = False
) -> dict[str, Any]:
    """Runs a kernel with room for n results, one per thread if n is 0; returns the launch's line of
    the report.
    """
    n = n or THREADS * groups
    numbers = np.arange(8, 8 + 2 * THREADS, dtype=np.int32)
    REPORT.unlink(missing_ok=True)
    source = (
        runtime().allocate(numbers.nbytes) if empty_input else runtime().upload(numbers.tobytes())
    )
    with source, runtime().allocate(4 * n) as target:
        arguments = [
            ctypes.c_void_p(source.address),
            ctypes.c_void_p(target.address),
            ctypes.c_int(n),
            ctypes.c_bool(bug),
        ]
        try:
            module.launch(kernel, *arguments, grid=groups, block=THREADS)
        finally:
            reports = REPORT.read_text().splitlines()
    assert len(reports) == 1
    report: dict[str, Any] = json.loads(reports[0])
    return report


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.kernel)
def test_a_bug_is_found(module: Module, bug: Bug, capfd: pytest.CaptureFixture[str]) -> None:
    report = launch(module, bug.kernel, True, bug.groups)
    assert report["ok"]
    assert report["kernel"] == bug.kernel
    # A race has two sides, and what was computed from a wrong value is wrong too.
    findings = report["findings"]
    found = [
        finding
        for finding in findings
        if finding["kind"] == bug.kind and finding["instruction"].startswith(bug.instruction)
    ]
    assert found, [finding["message"] for finding in findings]
    finding = found[0]
    assert bug.words in finding["message"]
    assert bug.kernel in finding["message"] and finding["instruction"] in finding["message"]
    assert (finding["lane"] is not None) == bug.lane
    assert 0 <= finding["wave"] < WAVES and finding["count"] >= 1
    assert finding["message"] in capfd.readouterr().err


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.kernel)
def test_the_kernel_without_the_bug_has_no_finding(module: Module, bug: Bug) -> None:
    report = launch(module, bug.kernel, False, bug.groups)
    assert report["ok"]
    assert [finding["message"] for finding in report["findings"]] == []


@pytest.mark.parametrize(
    ("kernel", "verb", "lane"),
    [
        ("store_behind_the_end", "writes 4 bytes", 300 % 256),
        ("load_before_the_beginning", "reads 4 bytes", 0),
    ],
)
def test_an_access_outside_of_every_allocation_names_its_lane(
    module: Module, kernel: str, verb: str, lane: int
) -> None:
    # 300 numbers in two workgroups of 256.
    with pytest.raises(HipError, match="hipErrorIllegalAddress") as raised:
        launch(module, kernel, True, groups=2, n=300)
    lanes = THREADS // WAVES
    assert f"{verb} at 0x" in str(raised.value)
    assert f"in lane {lane % lanes}," in str(raised.value)
    assert f"wave {lane // lanes}" in str(raised.value)
    report = json.loads(REPORT.read_text())
    assert not report["ok"] and kernel in report["error"]


@pytest.mark.parametrize("kernel", ["store_behind_the_end", "load_before_the_beginning"])
def test_an_access_up_to_the_last_byte_is_no_finding(module: Module, kernel: str) -> None:
    report = launch(module, kernel, False, groups=2, n=300)
    assert report["ok"] and report["findings"] == []


def test_memory_that_nobody_wrote_is_found_and_memory_that_was_copied_is_not(
    module: Module,
) -> None:
    report = launch(module, "load_misaligned", False, empty_input=True)
    kinds = {finding["kind"] for finding in report["findings"]}
    assert "uninitialised_memory" in kinds
    assert kinds <= {"uninitialised_memory", "uninitialised_register"}
    assert launch(module, "load_misaligned", False)["findings"] == []
