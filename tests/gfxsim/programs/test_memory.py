# SPDX-License-Identifier: MIT
"""Atomics lose nothing; variables of the device,
kernels' attributes and modules work as HIP says.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from pathlib import Path

import numpy as np
import pytest

from tests.gfxsim.programs.device import GPU, Program, error, hip

RANDOM = np.random.default_rng(11)
TO_HOST = 2


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(Path("tests/gfxsim/programs/libmemory.so"))


@pytest.mark.parametrize("kind", ["int32", "uint64"])
def test_integer_atomics_of_many_workgroups(program: Program, kind: str) -> None:
    n, bits = 1000, np.iinfo(kind).bits
    values = RANDOM.integers(1, 2**20, n).astype(kind)
    values[3] = 2**30
    cells, firsts = np.zeros(9, kind), np.zeros(1, kind)
    cells[2], cells[4], cells[8] = np.iinfo(kind).max, np.iinfo(kind).max, 1
    program.run(f"run_atomics_{kind}", values, cells, firsts, n)
    numbers = values.tolist()
    product = math.prod(value | 1 for value in numbers)
    expected = [
        sum(numbers),
        -sum(numbers),
        min(numbers),
        max(numbers),
        reduce(and_, (value | 1 for value in numbers)),
        reduce(or_, numbers),
        reduce(xor, numbers),
        77,
        product,
    ]
    assert [int(cell) % 2**bits for cell in cells] == [value % 2**bits for value in expected]
    assert firsts[0] == 1


def test_counters_that_wrap(program: Program) -> None:
    up, down = np.array([95], np.uint32), np.array([20], np.uint32)
    program.run("run_wrapping_atomics", up, down, 1000)
    # Up from 95 to 99 and then round in hundreds; down from 20 to 0 and then round in fifties.
    assert up[0] == (95 + 1000) % 100
    assert down[0] == (20 - 1000) % 50


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_float_atomics_of_many_workgroups(program: Program, kind: str) -> None:
    values = RANDOM.integers(-500, 500, 900).astype(kind)
    cells = np.zeros(6, kind)
    program.run(f"run_atomics_{kind}", values, cells, len(values))
    total, low, high = values.sum(), min(0, values.min()), max(0, values.max())
    np.testing.assert_array_equal(cells, np.array([total, total, high, low, high, low], kind))


@pytest.mark.parametrize("kind", ["int32", "float32"])
def test_a_histogram_in_lds(program: Program, kind: str) -> None:
    values = RANDOM.integers(0, 256, 3000).astype(np.uint8)
    bins = np.zeros(64, kind)
    program.run(f"run_histogram_{kind}", values, bins, len(values), 5)
    np.testing.assert_array_equal(bins, np.bincount(values % 64, minlength=64))


def test_the_last_workgroup_sees_what_the_others_wrote(program: Program) -> None:
    n = 2000
    values = RANDOM.integers(-1000, 1000, n).astype(np.int32)
    sums, arrived, out = (
        np.zeros(-(-n // 192), np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int32),
    )
    program.run("run_sum_of_last", values, sums, arrived, out, n)
    assert out[0] == values.sum()


def test_variables_of_the_device(program: Program) -> None:
    coefficients = (ctypes.c_int * 8)(5, -3, 2, 0, 1, 0, 0, 0)
    program.call("set_coefficients", coefficients)
    program.call("set_coefficient", 6, 4)
    values, found = np.arange(-3, 4, dtype=np.int32), np.zeros(7, np.int32)
    program.run("run_evaluate", values, found, 7)
    np.testing.assert_array_equal(found, 5 - 3 * values + 2 * values**2 + values**4 + 4 * values**6)

    # It began at 40; the kernel added twice the last and the second element of a table that it
    # found through a pointer.
    counter = ctypes.c_int()
    program.call("get_counter", ctypes.byref(counter))
    assert counter.value == 40 + 7 + 3

    address, size = ctypes.c_void_p(), ctypes.c_size_t()
    program.call("counter_address", ctypes.byref(address), ctypes.byref(size))
    assert size.value == 4
    program.runtime.call("hipMemset", address, 0, size)
    program.call("get_counter", ctypes.byref(counter))
    assert counter.value == 0


class Attributes(ctypes.Structure):
    _fields_ = [
        ("binary_version", ctypes.c_int),
        ("cache_mode_ca", ctypes.c_int),
        ("const_size_bytes", ctypes.c_size_t),
        ("local_size_bytes", ctypes.c_size_t),
        ("max_dynamic_shared_size_bytes", ctypes.c_int),
        ("max_threads_per_block", ctypes.c_int),
        ("num_regs", ctypes.c_int),
        ("preferred_shmem_carveout", ctypes.c_int),
        ("ptx_version", ctypes.c_int),
        ("shared_size_bytes", ctypes.c_size_t),
    ]


def test_a_kernel_tells_what_it_uses(program: Program) -> None:
    attributes, blocks = Attributes(), ctypes.c_int()
    program.call("scale_attributes", ctypes.byref(attributes), ctypes.byref(blocks))
    assert attributes.max_threads_per_block == 1024
    assert attributes.shared_size_bytes == 0
    assert 0 < attributes.num_regs <= 32
    assert blocks.value > 1


def load(how: Callable[[Path], tuple[str, bytes]], path: Path) -> ctypes.c_void_p:
    module = ctypes.c_void_p()
    name, argument = how(path)
    status = getattr(hip(), name)(ctypes.byref(module), argument)
    assert status == 0, error(status)
    return module


@pytest.mark.parametrize(
    "how",
    [
        lambda path: ("hipModuleLoadData", path.read_bytes()),
        lambda path: ("hipModuleLoad", str(path).encode()),
    ],
    ids=["from_memory", "from_a_file"],
)
def test_a_kernel_of_a_module_is_launched_by_its_name(
    program: Program, how: Callable[[Path], tuple[str, bytes]]
) -> None:
    runtime, n = program.runtime, 70
    module = load(how, Path(f"tests/gfxsim/programs/module.{GPU}.co"))
    function = ctypes.c_void_p()
    runtime.call("hipModuleGetFunction", ctypes.byref(function), module, b"module_kernel")
    assert (
        hip().hipModuleGetFunction(ctypes.byref(ctypes.c_void_p()), module, b"no_such_kernel") != 0
    )

    # The arguments as a list of pointers, and as one block of bytes laid out as the kernel wants
    # it.
    expected = (5 + (0.5 * np.arange(n)).astype(np.int32)).astype(np.int32)
    with runtime.allocate(4 * n) as buffer:
        arguments = [
            ctypes.c_void_p(buffer.address),
            ctypes.c_int(5),
            ctypes.c_double(0.5),
            ctypes.c_ubyte(1),
            ctypes.c_int(n),
        ]
        pointers = (ctypes.c_void_p * 5)(*(ctypes.addressof(argument) for argument in arguments))
        runtime.call("hipModuleLaunchKernel", function, 2, 1, 1, 64, 1, 1, 0, None, pointers, None)
        assert buffer.download() == expected.tobytes()

        class Block(ctypes.Structure):
            _fields_ = [
                ("out", ctypes.c_void_p),
                ("first", ctypes.c_int),
                ("step", ctypes.c_double),
                ("flag", ctypes.c_ubyte),
                ("n", ctypes.c_int),
            ]

        block = Block(buffer.address, 6, 0.5, 1, n)
        size = ctypes.c_size_t(ctypes.sizeof(block))
        # HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(block), 2, ctypes.addressof(size), 3)
        runtime.call("hipModuleLaunchKernel", function, 2, 1, 1, 64, 1, 1, 0, None, None, extra)
        assert buffer.download() == (expected + 1).tobytes()

    address, bytes_ = ctypes.c_void_p(), ctypes.c_size_t()
    runtime.call(
        "hipModuleGetGlobal",
        ctypes.byref(address),
        ctypes.byref(bytes_),
        module,
        b"module_variable",
    )
    assert bytes_.value == 16
    content = (ctypes.c_int * 4)()
    runtime.call("hipMemcpy", content, address, bytes_, TO_HOST)
    assert list(content) == [3, 1, 4, 1]
    runtime.call("hipModuleUnload", module)
