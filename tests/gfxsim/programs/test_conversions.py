# SPDX-License-Identifier: MIT
"""Every number type turns into every other as IEEE 754 and C say, eight-bit floats included."""

from __future__ import annotations

import ctypes
from pathlib import Path

import ckarch
import ml_dtypes
import numpy as np
import pytest

from tests.gfxsim.programs.device import GPU, Program

RANDOM = np.random.default_rng(2)
KINDS: dict[str, np.dtype] = {
    name: np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    for name in (
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
    )
}
# Bits of a number that a floating-point type keeps.
PRECISION = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(Path("tests/gfxsim/programs/libconversions.so"))


def inputs(name: str) -> np.ndarray:
    kind = KINDS[name]
    if name not in PRECISION:
        info = np.iinfo(kind)
        special = [0, 1, info.max, info.min, info.max // 2 + 1]
        by = RANDOM.integers(0, info.bits, 300)
        return np.concatenate(
            [
                np.array(special, kind),
                RANDOM.integers(info.min, info.max, 300, kind, endpoint=True) >> by.astype(kind),
            ]
        )
    numbers = RANDOM.uniform(-1, 1, 400) * 2.0 ** RANDOM.integers(
        -30, 16 if name == "float16" else 64, 400
    )
    return np.concatenate(
        [np.array([0, -0.0, 1, -1, 0.5, 1.5, 2.5, 127.5, 65504, 1e-7, 3e-8]), numbers]
    ).astype(kind)


def in_range(values: np.ndarray, to: str) -> np.ndarray:
    """Values that the type can hold; what becomes of the others is not defined."""
    if to in PRECISION or (
        not np.issubdtype(values.dtype, np.floating) and values.dtype != KINDS["bfloat16"]
    ):
        return np.ones(len(values), bool)
    info = np.iinfo(KINDS[to])
    whole = np.trunc(values.astype(np.float64))
    return (whole >= float(info.min)) & (
        whole < float(info.max) + 1 if info.bits < 64 else whole < 2.0 ** (63 + (info.min == 0))
    )


def one_rounding(values: np.ndarray, to: str) -> np.ndarray:
    """Values that a conversion in two steps cannot get wrong, for targets that compilers reach by
    way of float.
    """
    if to not in ("float16", "bfloat16") or values.dtype.kind not in "iu":
        return np.ones(len(values), bool)
    return np.abs(values.astype(np.float64)) < 2**24


@pytest.mark.parametrize("source", KINDS)
def test_a_type_converts_to_every_other(program: Program, source: str) -> None:
    values = inputs(source)
    n = len(values)
    rows = {name: np.zeros(n, kind) for name, kind in KINDS.items()}
    buffers = {name: program.runtime.upload(row.tobytes()) for name, row in rows.items()}
    addresses = (ctypes.c_void_p * len(KINDS))(*(buffer.address for buffer in buffers.values()))
    with program.runtime.upload(values.tobytes()) as on_device:
        program.call(f"from_{source}", ctypes.c_void_p(on_device.address), addresses, n)
        program.runtime.synchronize()
    for name, buffer in buffers.items():
        found = np.frombuffer(buffer.download(), KINDS[name])
        buffer.free()
        with np.errstate(all="ignore"):
            expected = values.astype(KINDS[name])
        compared = in_range(values, name) & one_rounding(values, name)
        bits = f"uint{8 * found.dtype.itemsize}"
        wrong = np.flatnonzero((found.view(bits) != expected.view(bits)) & compared)
        assert len(wrong) == 0, (
            f"{name}({values[wrong[0]]!r}) is {found[wrong[0]]!r} and not {expected[wrong[0]]!r}"
        )
        assert compared.sum() > n // 8


FLOAT8 = {
    ckarch.Fp8Encoding.FNUZ: (ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz),
    ckarch.Fp8Encoding.OCP: (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
}


@pytest.mark.skipif(
    GPU in ("gfx90a", "gfx1100"), reason="the GPU has no instructions for eight-bit floats"
)
def test_eight_bit_floats_in_the_encoding_of_the_gpu(program: Program) -> None:
    fp8, bf8 = FLOAT8[ckarch.load_specs().gpu(GPU).fp8_encoding]
    n = 1024
    # Within the range of both; the rest is clamped by kernels before.
    values = (RANDOM.uniform(-1, 1, n) * 2.0 ** RANDOM.integers(-18, 8, n)).astype(np.float32)
    values[:4] = [0, 1, 0.875, -224]
    codes = np.arange(256, dtype=np.uint8)
    into_fp8, into_bf8 = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
    from_fp8, from_bf8, from_pairs = np.zeros((3, 256), np.float32)
    program.run("run_float8", values, into_fp8, into_bf8, n, codes, from_fp8, from_bf8, from_pairs)
    np.testing.assert_array_equal(into_fp8, values.astype(fp8).view(np.uint8))
    np.testing.assert_array_equal(into_bf8, values.astype(bf8).view(np.uint8))
    np.testing.assert_array_equal(from_fp8, codes.view(fp8).astype(np.float32))
    np.testing.assert_array_equal(from_pairs, codes.view(fp8).astype(np.float32))
    np.testing.assert_array_equal(from_bf8, codes.view(bf8).astype(np.float32))


def test_halves_two_at_a_time(program: Program) -> None:
    n = 500
    a, b = (RANDOM.uniform(-1, 1, (2, n)) * 2.0 ** RANDOM.integers(-16, 10, (2, n))).astype(
        np.float32
    )
    found = np.zeros((6, n), np.float16)
    program.run("run_halves", a, b, found, n)

    def towards_zero(values: np.ndarray) -> np.ndarray:
        nearest = values.astype(np.float16)
        return np.where(
            np.abs(nearest.astype(np.float32)) > np.abs(values),
            np.nextafter(nearest, np.float16(0)),
            nearest,
        )

    x, y = a.astype(np.float16), b.astype(np.float16)
    total = x + y
    # Exact in double precision: 22 bits of product and 11 of sum, at most 40 apart.
    fused = (x.astype(np.float64) * y.astype(np.float64) + total.astype(np.float64)).astype(
        np.float16
    )
    expected = np.array([towards_zero(a), towards_zero(b), total, x * y, fused, fused])
    np.testing.assert_array_equal(found, expected)
