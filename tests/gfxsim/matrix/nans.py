# SPDX-License-Identifier: MIT
"""What becomes of NaNs in matrix instructions, as a rule and not as a sum.

AMD does not document it. The simulator's choice is what a chain of v_fma_f32 in the order of k
does: the last product with a NaN decides, in it A before B; then C; and an invalid operation gives
the positive NaN without payload.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matrix.cases import Run
from matrix.formats import BF16, F16, F64, Format


def _top(form: Format) -> tuple[int, int, int]:
    """The sign, infinity and quiet bit of an IEEE format."""
    mantissa = form.bits - 1 - form.exponent
    return 1 << form.bits - 1, (1 << form.exponent) - 1 << mantissa, 1 << mantissa - 1


def nan_codes(form: Format) -> list[int]:
    """Quiet and signalling NaNs with signs and payloads; of 8 bits, all that there are."""
    if form.bits <= 8:
        return [code for code in range(1 << form.bits) if np.isnan(form.decode(code))]
    sign, infinity, quiet = _top(form)
    payload = 0xA5A5A5A5A5A5A5 & quiet - 1
    return [
        infinity | quiet,
        infinity | 1,
        sign | infinity | quiet | payload,
        sign | infinity | quiet >> 1,
        infinity | quiet >> 1 | 1,
    ]


def infinities(form: Format) -> list[int]:
    """Of both signs, where there are any."""
    if form.special != "ieee":
        return []
    sign, infinity, _ = _top(form)
    return [infinity, sign | infinity]


def fill(run: Run) -> None:
    """Ones, with a NaN, an infinity and a zero here and there: about one of each in a row, and more
    in C.
    """
    i = run.instruction
    for name, form, share in (
        ("a", i.a.form, 1 / run.a.shape[2]),
        ("b", i.b.form, 0.5 / run.b.shape[2]),
        ("c", i.acc.form, 0.1),
    ):
        codes = run.rng.choice(
            [form.encode(1.0), form.encode(-1.0)], getattr(run, name).shape
        ).astype(np.uint64)
        for special in (nan_codes(form), infinities(form), [form.encode(0.0)]):
            places = run.rng.random(codes.shape) < share
            if special:
                codes[places] = run.rng.choice(
                    np.array(special, dtype=np.uint64), int(places.sum())
                )
        setattr(run, name, codes)


def _nans(form: Format, wide: Format, codes: np.ndarray) -> np.ndarray:
    """Each NaN as the quiet NaN that it is in the format of the sum; 0 for numbers."""
    found = np.isnan(form.values(codes))
    sign, infinity, quiet = _top(wide)
    negative = (
        (codes >> np.uint64(form.bits - 1)) & np.uint64(1)
        if form.special != "fnuz"
        else np.zeros_like(codes)
    )
    payload = np.zeros_like(codes)
    if form.bits > 8:
        mantissa = form.bits - 1 - form.exponent
        up = wide.bits - 1 - wide.exponent - mantissa
        payload = (codes & np.uint64((1 << mantissa) - 1)) << np.uint64(up)
    return np.where(
        found, negative * np.uint64(sign) | np.uint64(infinity | quiet) | payload, np.uint64(0)
    )


@dataclass
class Sum:
    """Numbers, and the bits of NaNs where there are any."""

    wide: Format
    value: np.ndarray
    nan: np.ndarray

    def settle(self) -> Sum:
        """Gives invalid results their NaN."""
        _, infinity, quiet = _top(self.wide)
        self.nan = np.where(
            (self.nan == 0) & np.isnan(self.value), np.uint64(infinity | quiet), self.nan
        )
        return self

    def codes(self, form: Format) -> np.ndarray:
        """In the accumulator's format."""
        nan: np.ndarray
        numbers: np.ndarray
        with np.errstate(invalid="ignore", over="ignore"):
            if form is F16:
                nan = (
                    self.nan >> np.uint64(16) & np.uint64(0x8000)
                    | np.uint64(0x7E00)
                    | self.nan >> np.uint64(13) & np.uint64(0x3FF)
                )
                numbers = self.value.astype(np.float16).view(np.uint16)
            elif form is BF16:
                nan, numbers = (
                    self.nan >> np.uint64(16),
                    self.value.astype(np.float32).view(np.uint32) >> 16,
                )
            else:
                nan, numbers = (
                    self.nan,
                    self.value.astype(f"f{form.bits // 8}").view(f"u{form.bits // 8}"),
                )
        return np.where(self.nan != 0, nan, numbers.astype(np.uint64))


def start(run: Run) -> Sum:
    """C."""
    acc = run.instruction.acc.form
    wide = F64 if acc.bits == 64 else Format("f32", 32, 8, 127, "ieee")
    return Sum(wide, run.c_values().astype(np.float64), _nans(acc, wide, run.c))


def add_products(
    total: Sum, run: Run, b: np.ndarray | None = None, part: slice = slice(None)
) -> Sum:
    """Adds A times B in the order of k. `b`: what each row of a sparse A meets, by (block, row,
    column, k).
    """
    i = run.instruction
    left, right = run.a[:, :, None, part], (run.b[:, None] if b is None else b)[..., part]
    nan_a, nan_b = _nans(i.a.form, total.wide, left), _nans(i.b.form, total.wide, right)
    nan, value = total.nan, total.value
    with np.errstate(invalid="ignore"):
        products = i.a.form.values(left) * i.b.form.values(right)
        for k in range(products.shape[-1]):
            value = value + products[..., k]
            nan = np.where(
                nan_a[..., k] != 0, nan_a[..., k], np.where(nan_b[..., k] != 0, nan_b[..., k], nan)
            )
    return Sum(total.wide, value, nan).settle()


def scales(run: Run, registers: np.ndarray) -> list[np.ndarray]:
    """The scales of A and B by (block of k, row or column), each 1 or NaN, of registers that hold
    127 or 255.
    """
    return [
        np.where(row == 255, np.nan, 1.0).reshape(-1, along)[: run.a.shape[2] // 32]
        for row, along in zip(registers, (run.a.shape[1], run.b.shape[1]), strict=False)
    ]


def add_scaled(total: Sum, run: Run, scale_a: np.ndarray, scale_b: np.ndarray) -> Sum:
    """The same in blocks of 32, each with scales of 1 or NaN by (block of k, row or column); a
    block's sum comes first, C last.
    """
    for block in range(run.a.shape[2] // 32):
        nothing = Sum(total.wide, np.zeros_like(total.value), np.zeros_like(total.nan))
        sums = add_products(nothing, run, part=slice(32 * block, 32 * block + 32))
        bad = np.isnan(scale_a[block][None, :, None] * scale_b[block][None, None, :])
        with np.errstate(invalid="ignore"):
            value = np.where(bad, np.nan, total.value + sums.value)
        _, infinity, quiet = _top(total.wide)
        nan = np.where(
            sums.nan != 0, sums.nan, np.where(bad, np.uint64(infinity | quiet), total.nan)
        )
        total = Sum(total.wide, value, nan).settle()
    return total


def check(run: Run, got: np.ndarray, wanted: Sum) -> None:
    """Every bit of D."""
    codes = wanted.codes(run.instruction.acc.form)
    assert np.count_nonzero(wanted.nan), "the case has no NaN in its result"
    wrong = np.argwhere(got != codes)
    shown = [
        f"{tuple(map(int, at))}: {int(got[tuple(at)]):#x}, not {int(codes[tuple(at)]):#x}"
        for at in wrong[:4]
    ]
    assert not shown, f"{run.instruction}: " + "; ".join(shown)
