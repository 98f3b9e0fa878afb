# SPDX-License-Identifier: MIT
"""A launch that cannot work gives an error code and a sentence, and the next one works."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
from gfxsim import Buffer

from tests.gfxsim.bad_input.attempts import CODE_OBJECT, N, attempt, works
from tests.gfxsim.programs.device import Module, error, hip, runtime


@pytest.fixture(scope="module")
def module() -> Module:
    return Module(CODE_OBJECT.read_bytes())


@pytest.fixture
def buffer(module: Module) -> Iterator[Buffer]:
    with runtime().upload(bytes(4 * N)) as made:
        yield made
    assert works(module)


@pytest.mark.parametrize(
    ("kernel", "shape", "name", "words"),
    [
        ("fill", {"block": 2048}, "hipErrorInvalidConfiguration", "more than 1024 threads"),
        ("fill", {"block": 0}, "hipErrorInvalidConfiguration", "the block (0, 1, 1) is empty"),
        ("fill", {"grid": 0}, "hipErrorInvalidConfiguration", "the grid (0, 1, 1) is empty"),
        ("fill", {"grid": 2**31, "block": 64}, "hipErrorInvalidConfiguration", "2^32 threads"),
        (
            "fill",
            {"lds": 1 << 20},
            "hipErrorLaunchOutOfResources",
            "1048576 bytes of LDS, but gfx942 has 65536",
        ),
        ("fill_by_64", {"block": 128}, "hipErrorLaunchFailure", "compiled for at most 64"),
        ("endless", {}, "hipErrorLaunchTimeOut", "the limit of 100000 instructions"),
        ("unknown_instruction", {}, "hipErrorNotSupported", "0xfedcba98"),
        ("trap", {}, "hipErrorLaunchFailure", "s_trap"),
        ("jump_away", {}, "hipErrorLaunchFailure", "s_setpc_b64"),
        ("fall_for_ever", {}, "hipErrorIllegalAddress", "scratch"),
    ],
    ids=lambda value: (
        "-".join(f"{k}_{v}" for k, v in value.items())
        if isinstance(value, dict)
        else value
        if "hip" not in value
        else ""
    ),
)
def test_a_launch_that_cannot_work_says_why(
    module: Module,
    buffer: Buffer,
    kernel: str,
    shape: dict[str, int],
    name: str,
    words: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    said = attempt(module, kernel, buffer.address, **shape)
    assert f": {name}: Kernel {kernel}: " in said
    assert words in said and said.endswith(".")
    assert said.rpartition(f"{name}: ")[2] in capfd.readouterr().err


@pytest.mark.parametrize(
    ("grid", "block", "words"),
    [
        (
            (2**31, 2**31, 4),
            (1, 1, 1),
            "the grid (2147483648, 2147483648, 4) has 2^64 blocks or more",
        ),
        ((2**32 - 1, 2**32 - 1, 2**32 - 1), (1, 1, 1), "has 2^64 blocks or more"),
        (
            (1, 1, 1),
            (2**31, 2**31, 4),
            "the block (2147483648, 2147483648, 4) has more than 1024 threads",
        ),
        ((1, 1, 1), (1024, 1024, 2**12), "more than 1024 threads"),
        ((1, 0, 2**31), (1, 1, 1), "the grid (1, 0, 2147483648) is empty"),
    ],
)
def test_sizes_whose_product_has_more_than_64_bits(
    module: Module, buffer: Buffer, grid: tuple[int, ...], block: tuple[int, ...], words: str
) -> None:
    shape = [ctypes.c_uint(n) for n in (*grid, *block)]
    name, sentence = error(
        hip().hipModuleLaunchKernel(module.function("fill"), *shape, 0, None, None, None)
    )
    assert name == "hipErrorInvalidConfiguration" and words in sentence


def test_dynamic_lds_that_overflows_what_the_kernel_has(module: Module, buffer: Buffer) -> None:
    shape = [ctypes.c_uint(n) for n in (64, 1, 1, 64, 1, 1)]
    most = ctypes.c_size_t(2**64 - 1)
    status = hip().hipExtModuleLaunchKernel(
        module.function("fill"), *shape, most, None, None, None, None, None, 0
    )
    name, sentence = error(status)
    assert (
        name == "hipErrorLaunchOutOfResources" and "18446744073709551615 bytes of LDS" in sentence
    )


@pytest.mark.parametrize(
    "address", [0, 8, 0x123456789000, 0x7FFF_FFFF_FFFF_FFF0, 0xFFFF_FFFF_FFFF_0000]
)
def test_a_wild_pointer(module: Module, buffer: Buffer, address: int) -> None:
    said = attempt(module, "fill", address)
    assert "hipErrorIllegalAddress: Kernel fill: 'global_store_dword" in said
    assert f"writes 4 bytes at {address:#x}" in said


def test_a_pointer_that_was_freed(module: Module, buffer: Buffer) -> None:
    freed = runtime().allocate(4 * N)
    address = freed.address
    freed.free()
    said = attempt(module, "fill", address)
    assert "hipErrorIllegalAddress" in said and f"{address:#x}" in said
    name, sentence = error(hip().hipFree(ctypes.c_void_p(address)))
    assert name == "hipErrorInvalidValue" and sentence.startswith("hipFree: ")


def test_a_pointer_to_code_or_to_the_host(module: Module, buffer: Buffer) -> None:
    own = ctypes.create_string_buffer(4 * N)
    said = attempt(module, "fill", ctypes.addressof(own))
    assert "hipErrorIllegalAddress" in said
    assert own.raw == bytes(4 * N)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda a, wild: hip().hipMalloc(None, ctypes.c_size_t(4)), "hipErrorInvalidValue"),
        (
            lambda a, wild: hip().hipMalloc(
                ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(1 << 60)
            ),
            "hipErrorOutOfMemory",
        ),
        (lambda a, wild: hip().hipMemset(a, 1, ctypes.c_size_t(4 * N + 1)), "hipErrorInvalidValue"),
        (lambda a, wild: hip().hipMemcpy(a, None, ctypes.c_size_t(4), 1), "hipErrorInvalidValue"),
        (lambda a, wild: hip().hipFree(ctypes.c_void_p(a.value + 4)), "hipErrorInvalidValue"),
        (lambda a, wild: hip().hipStreamSynchronize(wild), "hipErrorInvalidHandle"),
        (lambda a, wild: hip().hipEventSynchronize(wild), "hipErrorInvalidHandle"),
        (lambda a, wild: hip().hipModuleUnload(wild), "hipErrorInvalidHandle"),
        (
            lambda a, wild: hip().hipModuleLaunchKernel(
                wild, 1, 1, 1, 64, 1, 1, 0, None, None, None
            ),
            "hipErrorInvalidHandle",
        ),
        (lambda a, wild: hip().hipSetDevice(3), "hipErrorInvalidDevice"),
    ],
    ids=[
        "no_place_for_a_pointer",
        "an_exabyte",
        "a_fill_behind_the_end",
        "a_copy_from_nowhere",
        "a_pointer_into_an_allocation",
        "no_stream",
        "no_event",
        "no_module",
        "no_function",
        "no_device",
    ],
)
def test_a_call_with_a_wrong_argument(buffer: Buffer, call: object, name: str) -> None:
    status = call(ctypes.c_void_p(buffer.address), ctypes.c_void_p(0x1234))  # type: ignore[operator]  # its type is the runtime's
    found, sentence = error(status)
    assert found == name
    assert sentence.startswith("hip") and sentence.endswith(".")


def test_an_entry_that_is_not_simulated_names_itself(buffer: Buffer) -> None:
    found, sentence = error(hip().hipMipmappedArrayCreate(None, None, 0))
    assert found == "hipErrorNotSupported"
    assert "hipMipmappedArrayCreate" in sentence
