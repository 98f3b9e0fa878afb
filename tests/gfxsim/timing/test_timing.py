# SPDX-License-Identifier: MIT
"""Times of launches: what they follow, and that nothing but the launch decides them."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.gfxsim.programs.device import GPU, Module, runtime

THREADS = 256
ROOM = 1 << 22
REPORT = Path(os.environ["TEST_TMPDIR"]) / f"report{os.environ.get('GFXSIM_THREADS', '')}.jsonl"
os.environ.setdefault("GFXSIM_TIMING", "1")
os.environ["GFXSIM_REPORT"] = str(REPORT)
# Cycles of a SIMD for one of the products.
PRODUCT = 32


def image(name: str = "timing") -> bytes:
    """A code object for the GPU."""
    return Path(f"tests/gfxsim/timing/{name}.{GPU}.co").read_bytes()


def time_of(
    kernel: str, first: int, second: int = 0, groups: int = 1, code: bytes = b""
) -> dict[str, Any]:
    """What the report says about the time of a launch."""
    REPORT.unlink(missing_ok=True)
    module = Module(code or image())
    with runtime().upload(bytes(ROOM)) as source, runtime().upload(bytes(ROOM)) as target:
        arguments = [
            ctypes.c_void_p(source.address),
            ctypes.c_void_p(target.address),
            ctypes.c_int(first),
            ctypes.c_int(second),
        ]
        module.launch(kernel, *arguments, grid=groups, block=THREADS, lds=0)
    (line,) = REPORT.read_text().splitlines()
    found: dict[str, Any] = json.loads(line)["time"]
    return found


def test_a_time_says_that_it_is_simulated_and_what_it_is_made_of() -> None:
    found = time_of("stream", 4, 1024, groups=3)
    assert (
        found["kind"] == "simulated"
        and found["us"] > 0
        and found["rest"] == 3
        and found["rounds"] == 0
    )
    assert found["cycles"] == found["rest_cycles"] > 0 and found["sample"] >= 1


def test_products_that_wait_for_each_other_take_the_matrix_cores_time() -> None:
    few, many = (time_of("products", trips)["cycles"] for trips in (100, 300))
    # Each needs the result of the one before, a few cycles later.
    assert 200 * PRODUCT <= many - few <= 200 * (PRODUCT + 16)
    assert time_of("products", 2000)["matrix_busy"] > 0.6


def test_a_second_workgroup_on_a_unit_shares_its_matrix_cores() -> None:
    units = {"gfx90a": 110, "gfx942": 304, "gfx950": 256}[GPU]
    alone, twice = (
        time_of("products", 400, groups=groups)["cycles"] for groups in (units, 2 * units)
    )
    # Products of the other fit between, as long as they wait for each other.
    assert alone < twice < 2.2 * alone


def test_a_launch_that_is_there_at_once_ends_with_whoever_has_most_to_do() -> None:
    units = {"gfx90a": 110, "gfx942": 304, "gfx950": 256}[GPU]
    few, half, whole, one_more = (
        time_of("tiles", tiles, groups=units)["cycles"]
        for tiles in (1, units // 2, units, units + 1)
    )
    # Workgroups without a tile, of which most are, say nothing about those that have one.
    assert few > 100 * PRODUCT
    assert few == pytest.approx(half, rel=0.05) and half == pytest.approx(whole, rel=0.05)
    assert one_more - whole > 100 * PRODUCT


def test_more_bytes_take_longer_and_more_units_share_the_bandwidth() -> None:
    one, two = (time_of("stream", trips, 4096, groups=16)["cycles"] for trips in (20, 40))
    assert 1.5 * one < two < 2.5 * one


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_a_time_is_the_same_with_any_number_of_threads_and_with_a_sample(threads: str) -> None:
    expected = time_of("stream", 8, 2048, groups=200)
    code = (
        "from test_timing import time_of; import json; print(json.dumps(time_of('stream', 8, "
        "2048, groups=200)))"
    )
    for mode in ("1", "sample"):
        environment = {**os.environ, "GFXSIM_THREADS": threads, "GFXSIM_TIMING": mode}
        environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        ran = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert json.loads(ran.stdout) == expected


def by_instruction(code: str) -> Any:
    """What an expression of this module's names gives where reports have each instruction."""
    script = f"from test_timing import *; print(json.dumps({code}))"
    environment = {**os.environ, "GFXSIM_TIMING_INSTRUCTIONS": "1", "GFXSIM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return json.loads(
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        ).stdout
    )


def test_cycles_by_instruction_are_those_of_the_waves() -> None:
    found = by_instruction("time_of('products', 100)")
    listed = found.pop("instructions")
    assert not any("source" in one for one in listed)
    assert sum(one["cycles"] for one in listed) == sum(found["wave_cycles"].values())
    products = [one for one in listed if one["text"].startswith("v_mfma_f32_16x16x4")]
    assert sum(one["times"] for one in products) == 4 * 100
    assert all(one["wave_cycles"]["matrix"] > 0 for one in products)
    # Asking for more changes no time.
    assert found == time_of("products", 100)


SOURCE = Path(__file__).parent / "timing.hip"


def test_code_with_debug_information_tells_of_its_source_lines() -> None:
    found = by_instruction("time_of('products', 100, code=image('with_lines'))")
    (product,) = (
        number
        for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
        if "(a, b, sum" in line
    )
    lines = {
        one["source"].rpartition(":")[2]
        for one in found["instructions"]
        if one["text"].startswith("v_mfma")
    }
    assert lines == {str(product)}
    assert all(
        one["source"].rpartition(":")[0].endswith("timing.hip")
        for one in found["instructions"]
        if "source" in one
    )


def damaged(seed: int) -> bytes:
    """Code with debug information in which some bytes are others; what is loaded is as it was."""
    code = bytearray(image("with_lines"))
    sections = int.from_bytes(code[0x28:0x30], "little")
    count = int.from_bytes(code[0x3C:0x3E], "little")
    names = sections + 64 * int.from_bytes(code[0x3E:0x40], "little")
    strings = int.from_bytes(code[names + 0x18 : names + 0x20], "little")
    random = Random(seed)
    for section in range(sections, sections + 64 * count, 64):
        name = strings + int.from_bytes(code[section : section + 4], "little")
        begin, size = (
            int.from_bytes(code[section + place : section + place + 8], "little")
            for place in (0x18, 0x20)
        )
        if code[name:].startswith(b".debug"):
            for _ in range(max(1, size // 8)):
                code[begin + random.randrange(size)] = random.randrange(256)
    return bytes(code)


def test_damaged_debug_information_costs_no_time() -> None:
    expected, *found = by_instruction(
        "[time_of('products', 50, code=code) for code in (image('with_lines'), *map(damaged, "
        "range(40)))]"
    )
    for one in (expected, *found):
        for instruction in one["instructions"]:
            instruction.pop("source", None)
    assert all(one == expected for one in found)


WAITING = """
import sys
sys.path.insert(0, {folder!r})
import ctypes
from test_timing import Module, image, runtime
module = Module(image())
with runtime().upload(bytes(1 << 20)) as source, runtime().upload(bytes(1 << 20)) as target:
    places = [ctypes.c_void_p(source.address), ctypes.c_void_p(target.address)]
    arguments = [*places, ctypes.c_int(0), ctypes.c_int(0)]
    module.launch("wait_for_the_second", *arguments, grid=4000, block=64, lds=0)
"""


def test_a_sample_that_waits_for_what_is_not_run_ends_with_a_sentence() -> None:
    environment = {
        **os.environ,
        "GFXSIM_TIMING": "sample",
        "GFXSIM_INSTRUCTION_LIMIT": "20000",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    script = WAITING.format(folder=str(Path(__file__).parent))
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment
    )
    assert ran.returncode != 0
    assert (
        "Only the workgroups that a time needs are run; if they wait for others, "
        "use GFXSIM_TIMING=1."
    ) in ran.stderr
    environment |= {"GFXSIM_TIMING": "1", "GFXSIM_INSTRUCTION_LIMIT": "0"}
    whole = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment
    )
    assert whole.returncode == 0, whole.stderr


def test_the_runtime_says_whose_times_its_events_have() -> None:
    library = str(Path(os.environ["CK_SIM_RUNTIME"]).resolve())
    script = f"import ctypes; print(ctypes.CDLL({library!r}).gfxsimTimes())"
    for asked, gpu, kind in (
        ("", GPU, 0),
        ("1", GPU, 1),
        ("sample", GPU, 2),
        ("auto", GPU, 1),
        ("auto-sample", GPU, 2),
        ("auto", "gfx1100", 0),
    ):
        environment = {**os.environ, "GFXSIM_TIMING": asked, "GFXSIM_GPU": gpu}
        ran = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert ran.stdout == f"{kind}\n"


def test_events_have_the_time_of_the_simulated_gpu() -> None:
    library = ctypes.CDLL(str(Path(os.environ["CK_SIM_RUNTIME"]).resolve()))
    start, stop, elapsed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    assert (
        library.hipEventCreate(ctypes.byref(start))
        == library.hipEventCreate(ctypes.byref(stop))
        == 0
    )
    assert library.hipEventRecord(start, None) == 0
    found = time_of("products", 50)
    assert library.hipEventRecord(stop, None) == 0
    assert library.hipEventElapsedTime(ctypes.byref(elapsed), start, stop) == 0
    assert elapsed.value * 1000 == pytest.approx(found["us"], rel=1e-4)
