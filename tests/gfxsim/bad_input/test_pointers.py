# SPDX-License-Identifier: MIT
"""Kernels of ordinary C++ whose pointers lead out of every allocation end in a sentence, and reach
nothing of the process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest
from gfxsim import Buffer

from tests.gfxsim.bad_input.hostile import attempt
from tests.gfxsim.programs.device import error, hip, runtime

LANES = 64
NEAR = (0, 4, 8, 16, 64, -4, -16, -64, 4096, -4096)
WILD = sorted(
    {(edge + near) % 2**64 for edge in (0, 2**31, 2**32, 2**47, 2**48, 2**63) for near in NEAR}
)
# Each reads or writes 16 bytes before the pointer and behind it; the last has a flat address.
KERNELS = ("read_before", "read_wide_before", "write_before", "add_before", "read_through_any")


@pytest.fixture
def buffer() -> Iterator[Buffer]:
    with runtime().upload(bytes(4 * LANES)) as made:
        yield made


@pytest.mark.parametrize("address", [0, 4, 8, 16, -16])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_null_pointer_and_a_negative_offset(buffer: Buffer, kernel: str, address: int) -> None:
    said = attempt(kernel, buffer.address, address, 1)
    assert f"hipErrorIllegalAddress: Kernel {kernel}: '" in said
    assert " is near no allocation at offset" in said and said.endswith(").")
    assert buffer.download() == bytes(4 * LANES)


@pytest.mark.parametrize("kernel", KERNELS)
def test_pointers_at_the_edges_of_address_spaces(buffer: Buffer, kernel: str) -> None:
    for address in WILD:
        said = attempt(kernel, buffer.address, address, 1)
        assert "hipErrorIllegalAddress" in said, (
            f"{kernel} at {address:#x}: {said or 'was allowed'}"
        )
    assert buffer.download() == bytes(4 * LANES)


@pytest.mark.parametrize("at", [0, 1, 2, 3, -1, 2**31 - 1, -(2**31), -(2**31) + 1])
@pytest.mark.parametrize("address", [0, 8, -8, 2**33, 2**64 - 2**33])
def test_scalar_loads_from_wild_pointers(buffer: Buffer, address: int, at: int) -> None:
    assert "hipErrorIllegalAddress" in attempt("read_by_a_scalar", buffer.address, address, at)


@pytest.mark.parametrize(
    "at",
    [16 * 1024, 2**28, 2**29, 2**30 - 1, 2**30, 2**31 - 1, -1024, -(2**29), -(2**30), -(2**31)],
)
def test_private_arrays_end_with_private_memory(buffer: Buffer, at: int) -> None:
    said = attempt("read_private", buffer.address, 0, at)
    # 32 bits of a byte offset wrap: these lead back into the array.
    assert "of a lane's private memory" in said or at % 2**30 == 0


def test_pointers_that_are_right_still_work(buffer: Buffer) -> None:
    values = np.arange(LANES, dtype=np.int32)
    with runtime().upload(bytes(16) + values.tobytes()) as source:
        assert attempt("read_before", buffer.address, source.address + 32) == ""
        assert buffer.download() == values.tobytes()[: 4 * LANES]
        assert f"reads 4 bytes at {source.address - 16:#x}" in attempt(
            "read_before", buffer.address, source.address
        )


@pytest.mark.parametrize(
    ("pointer", "size", "words"),
    [
        (0x1000, 2**64 - 0x1000, "larger than the address space"),
        (0x1000, 4096, "no memory of this process"),
    ],
)
def test_host_memory_that_is_not_there_cannot_be_registered(
    pointer: int, size: int, words: str
) -> None:
    name, sentence = error(
        hip().hipHostRegister(ctypes.c_void_p(pointer), ctypes.c_size_t(size), 0)
    )
    assert name == "hipErrorInvalidValue" and words in sentence


def test_host_memory_that_is_there_can_be_registered_up_to_its_last_byte(buffer: Buffer) -> None:
    values = np.arange(3 * LANES, dtype=np.int32)
    begin = values.ctypes.data + 4 * LANES
    assert hip().hipHostRegister(ctypes.c_void_p(begin), ctypes.c_size_t(4 * LANES), 0) == 0
    try:
        assert attempt("copy", buffer.address, begin, LANES) == ""
        assert buffer.download() == values[LANES : 2 * LANES].tobytes()
        assert "hipErrorIllegalAddress" in attempt("copy", buffer.address, begin + 4, LANES)
    finally:
        assert hip().hipHostUnregister(ctypes.c_void_p(begin)) == 0
