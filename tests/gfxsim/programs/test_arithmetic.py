# SPDX-License-Identifier: MIT
"""Integer arithmetic and rounding are the host's to the bit, functions are right within their
documented errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.gfxsim.programs.device import Program

RANDOM = np.random.default_rng(99)


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(Path("tests/gfxsim/programs/libarithmetic.so"))


def divide(x: int, y: int) -> tuple[int, int]:
    """Quotient and remainder as C has them: towards zero."""
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient, x - quotient * y


def integer_results(x: int, y: int, width: int, signed: bool) -> list[int]:
    unsigned = x % 2**width
    shift = y % 2**width % width
    quotient, rest = (0, 0) if y == 0 or (signed and y == -1) else divide(x, y)
    return [
        x + y,
        x - y,
        x * y,
        quotient,
        rest,
        x << shift,
        x >> shift,
        unsigned >> shift,
        x & y,
        x | y,
        x ^ y,
        ~x,
        min(x, y),
        max(x, y),
        (x < y) + 2 * (x <= y) + 4 * (x == y),
        unsigned // 7,
        divide(x, 10)[1],
    ]


@pytest.mark.parametrize(
    "kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_integers_of_every_width(program: Program, kind: str) -> None:
    info = np.iinfo(kind)
    special = [0, 1, 2, 7, 10, info.max, info.min, info.max - 1, info.max // 3]
    pairs = [(x, y) for x in special for y in special]
    x, y = RANDOM.integers(info.min, info.max, (2, 300), kind, endpoint=True)
    pairs += zip(
        x.tolist(), (y >> RANDOM.integers(0, info.bits, 300).astype(kind)).tolist(), strict=True
    )
    a, b = (np.array(values, kind) for values in zip(*pairs, strict=True))
    found = np.zeros((17, len(pairs)), kind)
    program.run(f"run_{kind}", a, b, found, len(pairs))
    results = [integer_results(x, y, info.bits, info.min < 0) for x, y in pairs]
    expected = np.array(
        [[value % 2**info.bits for value in row] for row in results], f"uint{info.bits}"
    ).T
    np.testing.assert_array_equal(found.view(expected.dtype), expected)


def test_the_upper_halves_of_products(program: Program) -> None:
    n = 200
    a, b = RANDOM.integers(-(2**63), 2**63, (2, n))
    found = np.zeros((6, n), np.int64)
    program.run("run_wide_products", a, b, found, n)

    def low(value: int, bits: int) -> int:
        """The low bits of a number, signed."""
        half = 1 << (bits - 1)
        return (value + half) % (2 * half) - half

    for x, y, row in zip(a.tolist(), b.tolist(), found.T.tolist(), strict=True):
        ux, uy = x % 2**64, y % 2**64
        assert row == [
            x * y >> 64,
            low(ux * uy >> 64, 64),
            low(x, 32) * low(y, 32) >> 32,
            (ux % 2**32) * (uy % 2**32) >> 32,
            low(low(x, 24) * low(y, 24), 32),
            low(ux * uy + uy >> 64, 64),
        ]


def bit_results(x: int, by: int) -> list[int]:
    low, high, shift, width = x % 2**32, x >> 32, by & 31, (by >> 5 & 15) + 1
    mask = (1 << width) - 1
    joined = high << 32 | low
    data = low.to_bytes(4, "little") + high.to_bytes(4, "little")
    # 0x2615: bytes 5, 1, 6 and 2 of the eight, from the lowest up.
    permuted = int.from_bytes(bytes(data[i] for i in (5, 1, 6, 2)), "little")
    return [
        low.bit_count(),
        x.bit_count(),
        32 - low.bit_length(),
        64 - x.bit_length(),
        (low & -low).bit_length(),
        (x & -x).bit_length(),
        int(f"{low:032b}"[::-1], 2),
        int(f"{x:064b}"[::-1], 2),
        (joined << shift >> 32) % 2**32,
        (joined >> shift) % 2**32,
        permuted,
        low >> shift & mask,
        (low & ~(mask << shift) | (high & mask) << shift) % 2**32,
        low >> shift & mask,
        int.from_bytes(low.to_bytes(4, "little"), "big"),
        int.from_bytes(x.to_bytes(8, "little"), "big"),
        x & -x,
        x & (x - 1),
        abs(low - high) + 5,
        (low >> 1) + (high >> 1) >> 1,
        x.bit_count() & 1,
    ]


def test_bits_are_counted_found_turned_and_moved(program: Program) -> None:
    numbers = [0, 1, 2**31, 2**32, 2**63, 2**64 - 1, 0x0123456789ABCDEF]
    numbers += (
        RANDOM.integers(0, 2**64, 300, np.uint64) >> RANDOM.integers(0, 64, 300, np.uint64)
    ).tolist()
    # Fields that end inside the word.
    places = [
        (int(shift), int(RANDOM.integers(0, min(16, 32 - shift))))
        for shift in RANDOM.integers(0, 32, len(numbers))
    ]
    by = np.array([shift | width << 5 for shift, width in places], np.uint32)
    values = np.array(numbers, np.uint64)
    found = np.zeros((21, len(numbers)), np.uint64)
    program.run("run_bits", values, by, found, len(numbers))
    for number, place, row in zip(numbers, by.tolist(), found.T.tolist(), strict=True):
        expected = bit_results(number, place)
        expected[18] %= 2**32
        assert row == expected, hex(number)


def rounded(value: Fraction, kind: np.dtype) -> float:
    """The nearest number of a type, halfway to even."""
    info = np.finfo(kind)
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** max(exponent - info.nmant, info.minexp - info.nmant)
    result = round(value / quantum) * quantum
    return (-1.0 if value < 0 else 1.0) * (
        math.inf if abs(result) > Fraction(float(info.max)) else abs(float(result))
    )


def fused(x: float, y: float, z: float, kind: np.dtype) -> float:
    if math.isfinite(x) and math.isfinite(y) and not math.isfinite(z):
        return z
    if not all(map(math.isfinite, (x, y, z))) or Fraction(x) * Fraction(y) + Fraction(z) == 0:
        # Infinities, NaNs and the signs of zeros follow the steps.
        with np.errstate(all="ignore"):
            return float(np.float64(x) * np.float64(y) + np.float64(z))
    return rounded(Fraction(x) * Fraction(y) + Fraction(z), kind)


def same_bits(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    bits = f"uint{8 * found.dtype.itemsize}"
    same: np.ndarray = found.view(bits) == expected.view(bits)
    return same | (np.isnan(found) & np.isnan(expected))


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_arithmetic_rounds_to_nearest_and_keeps_denormals(program: Program, kind: str) -> None:
    info = np.finfo(kind)
    special = [
        0.0,
        -0.0,
        0.5,
        1.0,
        -1.5,
        2.5,
        -3.5,
        math.inf,
        -math.inf,
        math.nan,
        info.max,
        info.tiny,
        -info.smallest_subnormal,
    ]
    pairs = np.array([(x, y) for x in special for y in special], kind).T
    wild = np.frombuffer(RANDOM.bytes(2 * 300 * info.dtype.itemsize), kind).reshape(2, 300)
    tame = RANDOM.standard_normal((2, 300)).astype(kind) * np.array(8, kind)
    a, b = np.concatenate([pairs, wild, tame], axis=1)
    c = RANDOM.permutation(a)
    n = len(a)
    found = np.zeros((16, n), kind)
    program.run(f"run_{kind}", np.ascontiguousarray(a), np.ascontiguousarray(b), c, found, n)
    with np.errstate(all="ignore"):
        triples = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
        multiply_add = np.array([fused(x, y, z, info.dtype) for x, y, z in triples])
        expected = [
            a + b,
            a - b,
            a * b,
            a / b,
            multiply_add,
            np.sqrt(np.abs(a)),
            np.floor(a),
            np.ceil(a),
            np.trunc(a),
            np.rint(a),
            np.abs(a),
            -a,
            np.copysign(a, b),
            np.where(a < b, a, b),
            np.where(a > b, a, b),
            (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != a) + 16 * (a != b),
        ]
        expected = [np.asarray(row).astype(kind) for row in expected]
    for number, (row, wanted) in enumerate(zip(found, expected, strict=True)):
        wrong = np.flatnonzero(~same_bits(row, wanted))
        assert len(wrong) == 0, (
            f"operation {number}: {row[wrong[0]]!r} for {wanted[wrong[0]]!r} of {a[wrong[0]]!r}, "
            f"{b[wrong[0]]!r}"
        )


_erf = np.vectorize(math.erf)

# What each function is, and by how many units in the last place a GPU's may differ from the exact
# value.
Functions = list[tuple[str, Callable[[np.ndarray, np.ndarray], np.ndarray], float]]
FUNCTIONS: Functions = [
    ("exp", lambda x, y: np.exp(x), 1),
    ("exp2", lambda x, y: np.exp2(x), 1),
    ("expm1", lambda x, y: np.expm1(x), 2),
    ("log", lambda x, y: np.log(np.abs(x)), 2),
    ("log2", lambda x, y: np.log2(np.abs(x)), 2),
    ("log10", lambda x, y: np.log10(np.abs(x)), 2),
    ("log1p", lambda x, y: np.log1p(np.abs(x)), 2),
    ("sin", lambda x, y: np.sin(x), 2),
    ("cos", lambda x, y: np.cos(x), 2),
    ("tan", lambda x, y: np.tan(x), 4),
    ("tanh", lambda x, y: np.tanh(x), 2),
    ("pow", lambda x, y: np.power(np.abs(x), y), 2),
    ("cbrt", lambda x, y: np.cbrt(x), 2),
    ("erf", lambda x, y: _erf(x), 4),
    ("atan2", lambda x, y: np.arctan2(x, y), 2),
    ("rsqrt", lambda x, y: 1 / np.sqrt(np.abs(x)), 2),
]
FLOAT_FUNCTIONS: Functions = [
    *FUNCTIONS,
    ("sinh", lambda x, y: np.sinh(x), 3),
    (
        "asin",
        lambda x, y: np.arcsin(
            (x.astype(np.float32) / (np.abs(x.astype(np.float32)) + 1)).astype(np.float64)
        ),
        4,
    ),
    ("hypot", lambda x, y: np.hypot(x, y), 2),
    ("fmod", lambda x, y: np.fmod(x, y), 0),
    ("ldexp", lambda x, y: np.ldexp(x, y.astype(int)), 0),
    # The hardware's own exponential: its argument was rounded first.
    ("__expf", lambda x, y: np.exp(x), 32),
    ("__logf", lambda x, y: np.log(np.abs(x)), 32),
    ("fdividef", lambda x, y: x / y, 1),
]


def arguments(kind: type, biggest: float) -> tuple[np.ndarray, np.ndarray]:
    small = RANDOM.uniform(-20, 20, 400)
    near_zero = RANDOM.uniform(-1, 1, 50) * 2.0 ** RANDOM.integers(-30, 0, 50)
    turns = np.arange(1, 30) * np.pi / 2
    # Arguments whose reduction needs hundreds of bits of 2/pi.
    huge = np.array([1e5, 123456789.0, 1e15, 1e22, biggest])
    x: np.ndarray = np.concatenate([small, near_zero, turns, huge]).astype(kind)
    return x, RANDOM.uniform(-8, 8, len(x)).astype(kind)


def check_functions(
    found: np.ndarray, x: np.ndarray, y: np.ndarray, functions: Functions, spare: float
) -> None:
    for row, (name, function, ulps) in zip(found, functions, strict=True):
        with np.errstate(all="ignore"):
            exact = function(x.astype(np.float64), y.astype(np.float64))
            nearest = exact.astype(row.dtype)
            unit = np.where(np.isinf(nearest), 0, np.spacing(np.abs(nearest))).astype(np.float64)
            distance = np.where(nearest == row, 0, np.abs(row.astype(np.float64) - exact))
        # Half a unit lies between the exact value and the nearest number.
        allowed = (ulps + 0.5 + spare) * unit if ulps else 0
        wrong = np.flatnonzero(~(distance <= allowed))
        assert len(wrong) == 0, (
            f"{name}({x[wrong[0]]!r}, {y[wrong[0]]!r}) is {row[wrong[0]]!r} and not "
            f"{exact[wrong[0]]!r}"
        )


def test_functions_of_floats(program: Program) -> None:
    x, y = arguments(np.float32, 3e38)
    found = np.zeros((len(FLOAT_FUNCTIONS), len(x)), np.float32)
    program.run("run_float_functions", x, y, found, len(x))
    check_functions(found, x, y, FLOAT_FUNCTIONS, 0)


def test_functions_of_doubles(program: Program) -> None:
    x, y = arguments(np.float64, 1e300)
    found = np.zeros((len(FUNCTIONS), len(x)), np.float64)
    program.run("run_double_functions", x, y, found, len(x))
    # The host's own functions may be off by a unit.
    check_functions(found, x, y, FUNCTIONS, 1)
