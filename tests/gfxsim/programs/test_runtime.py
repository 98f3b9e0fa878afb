# SPDX-License-Identifier: MIT
"""Memory of every kind, copies, fills, streams, events, properties and errors work as HIP says."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import ckarch
import numpy as np
import pytest

from tests.gfxsim.programs.device import GPU, Program, error, hip

RANDOM = np.random.default_rng(23)
TO_DEVICE, TO_HOST, ON_DEVICE, WHEREVER = 1, 2, 3, 4
HOST, DEVICE, MANAGED = 1, 2, 3
N = 300


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(Path("tests/gfxsim/programs/libmemory.so"))


def test_the_device_has_the_figures_of_its_gpu(program: Program) -> None:
    facts, name = (ctypes.c_int * 6)(), ctypes.create_string_buffer(256)
    program.call("device_facts", facts, name)
    gpu = ckarch.load_specs().gpu(GPU)
    assert name.value.decode().split(":")[0] == GPU
    assert list(facts)[:2] == [gpu.wave_size, gpu.lds_bytes]
    assert facts[2] > 0
    assert list(facts)[3:] == list(facts)[:3]
    count, device = ctypes.c_int(), ctypes.c_int(-1)
    program.runtime.call("hipGetDeviceCount", ctypes.byref(count))
    program.runtime.call("hipGetDevice", ctypes.byref(device))
    assert (count.value, device.value) == (1, 0)


TELL = """
import ctypes
from pathlib import Path
from tests.gfxsim.programs.device import Program
facts = (ctypes.c_int * 6)()
program = Program(Path("tests/gfxsim/programs/libmemory.so"))
program.call("device_facts", facts, ctypes.create_string_buffer(256))
print(facts[2], facts[5])
"""


def multiprocessors(allowed: str) -> list[int]:
    environment = {**os.environ, "GFXSIM_MULTIPROCESSORS": allowed}
    ran = subprocess.run(
        [sys.executable, "-c", TELL], env=environment, capture_output=True, text=True, check=True
    )
    return [int(number) for number in ran.stdout.split()]


def test_programs_are_told_of_no_more_multiprocessors_than_the_environment_allows() -> None:
    assert multiprocessors("3") == [3, 3]
    assert multiprocessors("1000000") == multiprocessors("0") != [1000000, 1000000]


@pytest.mark.parametrize(
    ("allocate", "more", "free", "kind"),
    [
        ("hipMalloc", [], "hipFree", DEVICE),
        ("hipMallocManaged", [1], "hipFree", MANAGED),
        ("hipHostMalloc", [0], "hipHostFree", HOST),
        ("hipMallocAsync", [None], "hipFree", DEVICE),
    ],
)
def test_a_kernel_works_on_memory_of_every_kind(
    program: Program, allocate: str, more: list[int | None], free: str, kind: int
) -> None:
    address = ctypes.c_void_p()
    program.runtime.call(allocate, ctypes.byref(address), ctypes.c_size_t(4 * N), *more)
    found, on_device = ctypes.c_int(), ctypes.c_void_p()
    program.call("pointer_kind", address, ctypes.byref(found), ctypes.byref(on_device))
    assert (found.value, on_device.value) == (kind, address.value)
    values = np.arange(N, dtype=np.int32)
    if kind == DEVICE:
        program.runtime.call(
            "hipMemcpy",
            address,
            values.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(4 * N),
            TO_DEVICE,
        )
    else:
        ctypes.memmove(address, values.ctypes.data, 4 * N)
    program.call("run_scale", address, 5, N, None)
    program.runtime.synchronize()
    result = np.zeros(N, np.int32)
    if kind == DEVICE:
        program.runtime.call(
            "hipMemcpy",
            result.ctypes.data_as(ctypes.c_void_p),
            address,
            ctypes.c_size_t(4 * N),
            TO_HOST,
        )
    else:
        ctypes.memmove(result.ctypes.data, address, 4 * N)
    np.testing.assert_array_equal(result, values * 5 + 1)
    program.runtime.call(free, address)
    assert getattr(hip(), free)(address) != 0


def test_a_kernel_works_on_memory_of_the_process_that_was_registered(program: Program) -> None:
    values = np.arange(N, dtype=np.int32)
    address, on_device = values.ctypes.data_as(ctypes.c_void_p), ctypes.c_void_p()
    program.runtime.call("hipHostRegister", address, ctypes.c_size_t(4 * N), 0)
    program.runtime.call("hipHostGetDevicePointer", ctypes.byref(on_device), address, 0)
    program.call("run_scale", on_device, 2, N, None)
    program.runtime.synchronize()
    np.testing.assert_array_equal(values, np.arange(N) * 2 + 1)
    program.runtime.call("hipHostUnregister", address)
    assert program.library.run_scale(on_device, 2, N, None) != 0


def test_copies_between_host_and_device_in_every_direction(program: Program) -> None:
    values, found = RANDOM.integers(0, 256, (2, 64)).astype(np.uint8)
    size = ctypes.c_size_t(64)
    source, target = values.ctypes.data_as(ctypes.c_void_p), found.ctypes.data_as(ctypes.c_void_p)
    with program.runtime.allocate(64) as first, program.runtime.allocate(64) as second:
        a, b = ctypes.c_void_p(first.address), ctypes.c_void_p(second.address)
        program.runtime.call("hipMemcpy", a, source, size, WHEREVER)
        program.runtime.call("hipMemcpy", b, a, size, ON_DEVICE)
        program.runtime.call("hipMemcpyDtoH", target, b, size)
        np.testing.assert_array_equal(found, values)
        program.runtime.call(
            "hipMemcpyHtoD", ctypes.c_void_p(first.address + 8), source, ctypes.c_size_t(8)
        )
        program.runtime.call("hipMemcpyDtoD", b, a, size)
        assert second.download() == bytes(values[:8]) * 2 + bytes(values[16:])


def test_copies_of_rectangles(program: Program) -> None:
    runtime = program.runtime
    pitch, address = ctypes.c_size_t(), ctypes.c_void_p()
    runtime.call(
        "hipMallocPitch",
        ctypes.byref(address),
        ctypes.byref(pitch),
        ctypes.c_size_t(30),
        ctypes.c_size_t(5),
    )
    assert pitch.value >= 30
    source = RANDOM.integers(0, 256, (5, 40)).astype(np.uint8)
    target = np.zeros((5, 33), np.uint8)

    def copy(to: object, to_pitch: int, origin: object, from_pitch: int, kind: int) -> None:
        runtime.call(
            "hipMemcpy2D",
            to,
            ctypes.c_size_t(to_pitch),
            origin,
            ctypes.c_size_t(from_pitch),
            ctypes.c_size_t(30),
            ctypes.c_size_t(5),
            kind,
        )

    copy(address, pitch.value, source.ctypes.data_as(ctypes.c_void_p), 40, TO_DEVICE)
    copy(target.ctypes.data_as(ctypes.c_void_p), 33, address, pitch.value, TO_HOST)
    np.testing.assert_array_equal(target[:, :30], source[:, :30])
    assert (target[:, 30:] == 0).all()
    runtime.call("hipFree", address)


def fills(buffer: ctypes.c_void_p) -> list[tuple[str, tuple[object, ...], np.ndarray]]:
    size = ctypes.c_size_t
    return [
        ("hipMemset", (buffer, 0x1A5, size(64)), np.full(64, 0xA5, np.uint8)),
        ("hipMemsetD8", (buffer, ctypes.c_ubyte(7), size(64)), np.full(64, 7, np.uint8)),
        (
            "hipMemsetD16",
            (buffer, ctypes.c_ushort(0x1234), size(32)),
            np.full(32, 0x1234, np.uint16),
        ),
        ("hipMemsetD32", (buffer, ctypes.c_int(-2), size(16)), np.full(16, -2, np.int32)),
    ]


def test_memory_is_filled_in_every_width(program: Program) -> None:
    with program.runtime.allocate(64) as buffer:
        for name, arguments, expected in fills(ctypes.c_void_p(buffer.address)):
            program.runtime.call(name, *arguments)
            assert buffer.download() == expected.tobytes(), name


def test_streams_and_events_order_work(program: Program) -> None:
    runtime, n = program.runtime, N
    streams = [ctypes.c_void_p(), ctypes.c_void_p()]
    events = [ctypes.c_void_p(), ctypes.c_void_p()]
    for stream in streams:
        runtime.call("hipStreamCreate", ctypes.byref(stream))
    for event in events:
        runtime.call("hipEventCreate", ctypes.byref(event))
    values = np.arange(n, dtype=np.int32)
    found = np.zeros(n, np.int32)
    with runtime.allocate(4 * n) as buffer:
        address = ctypes.c_void_p(buffer.address)
        size = ctypes.c_size_t(4 * n)
        runtime.call(
            "hipMemcpyAsync",
            address,
            values.ctypes.data_as(ctypes.c_void_p),
            size,
            TO_DEVICE,
            streams[0],
        )
        runtime.call("hipEventRecord", events[0], streams[0])
        program.call("run_scale", address, 3, n, streams[0])
        runtime.call("hipEventRecord", events[1], streams[0])
        runtime.call("hipStreamWaitEvent", streams[1], events[1], 0)
        program.call("run_scale", address, 10, n, streams[1])
        runtime.call(
            "hipMemcpyAsync",
            found.ctypes.data_as(ctypes.c_void_p),
            address,
            size,
            TO_HOST,
            streams[1],
        )
        runtime.call("hipStreamSynchronize", streams[1])
        np.testing.assert_array_equal(found, (values * 3 + 1) * 10 + 1)
    elapsed = ctypes.c_float(-1)
    runtime.call("hipEventSynchronize", events[1])
    runtime.call("hipEventElapsedTime", ctypes.byref(elapsed), *events)
    assert elapsed.value >= 0
    assert hip().hipStreamQuery(streams[0]) == 0
    for stream in streams:
        runtime.call("hipStreamDestroy", stream)
    for event in events:
        runtime.call("hipEventDestroy", event)


def test_an_error_is_kept_until_it_is_asked_for(program: Program) -> None:
    hip().hipGetLastError()
    status = hip().hipSetDevice(99)
    assert error(status)[0] == "hipErrorInvalidDevice"
    assert hip().hipPeekAtLastError() == status
    assert hip().hipGetLastError() == status
    assert hip().hipGetLastError() == 0
    hip().hipGetErrorString.restype = ctypes.c_char_p
    assert hip().hipGetErrorString(status) == b"invalid device ordinal"
