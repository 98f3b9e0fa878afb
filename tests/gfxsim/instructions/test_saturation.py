# SPDX-License-Identifier: MIT
"""Integer instructions with clamp: the exact result, limited to what the type holds. The pseudocode
wraps and does not say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from probe import Probe, State

from instructions import numbers, suite
from instructions.rows import write_rows


class Clamped(NamedTuple):
    """Operand formats, the result's format, and the exact result."""

    sources: tuple[str, ...]
    result: str
    exact: Callable[..., int]


def _two(form: str, exact: Callable[[int, int], int]) -> Clamped:
    return Clamped((form, form), form, exact)


def _add(a: int, b: int) -> int:
    return a + b


def _sub(a: int, b: int) -> int:
    return a - b


def _subrev(a: int, b: int) -> int:
    return b - a


def _mad(a: int, b: int, c: int) -> int:
    return a * b + c


_COMMON = {
    "v_mad_u32_u24": Clamped(("U24", "U24", "U32"), "U32", _mad),
    "v_mad_i32_i24": Clamped(("I24", "I24", "I32"), "I32", _mad),
    "v_mad_u32_u16": Clamped(("U16", "U16", "U32"), "U32", _mad),
    "v_mad_i32_i16": Clamped(("I16", "I16", "I32"), "I32", _mad),
    "v_mad_u16": Clamped(("U16",) * 3, "U16", _mad),
    "v_mad_i16": Clamped(("I16",) * 3, "I16", _mad),
    "v_pk_add_u16": _two("U16", _add),
    "v_pk_sub_u16": _two("U16", _sub),
    "v_pk_add_i16": _two("I16", _add),
    "v_pk_sub_i16": _two("I16", _sub),
    "v_pk_mad_u16": Clamped(("U16",) * 3, "U16", _mad),
    "v_pk_mad_i16": Clamped(("I16",) * 3, "I16", _mad),
}
_GFX9 = {
    "v_add_u32_e64": _two("U32", _add),
    "v_sub_u32_e64": _two("U32", _sub),
    "v_subrev_u32_e64": _two("U32", _subrev),
    "v_add_i32": _two("I32", _add),
    "v_sub_i32": _two("I32", _sub),
    "v_add_u16_e64": _two("U16", _add),
    "v_sub_u16_e64": _two("U16", _sub),
    "v_subrev_u16_e64": _two("U16", _subrev),
    "v_add_i16": _two("I16", _add),
    "v_sub_i16": _two("I16", _sub),
    **_COMMON,
}
_GFX11 = {
    "v_add_nc_u32_e64": _two("U32", _add),
    "v_sub_nc_u32_e64": _two("U32", _sub),
    "v_subrev_nc_u32_e64": _two("U32", _subrev),
    "v_add_nc_i32": _two("I32", _add),
    "v_sub_nc_i32": _two("I32", _sub),
    "v_add_nc_u16": _two("U16", _add),
    "v_sub_nc_u16": _two("U16", _sub),
    "v_add_nc_i16": _two("I16", _add),
    "v_sub_nc_i16": _two("I16", _sub),
    **_COMMON,
}
CLAMPED = {"gfx90a": _GFX9, "gfx942": _GFX9, "gfx1100": _GFX11, "gfx1201": _GFX11}


def _signed(bits: int, form: str) -> int:
    width = int(form[1:])
    bits &= (1 << width) - 1
    return bits - (1 << width) if form[0] == "I" and bits >> (width - 1) else bits


def _limited(number: int, form: str) -> int:
    width = int(form[1:])
    low, high = (
        (-(1 << (width - 1)), (1 << (width - 1)) - 1) if form[0] == "I" else (0, (1 << width) - 1)
    )
    return max(low, min(high, number)) & ((1 << width) - 1)


@pytest.mark.parametrize(
    ("gpu", "name"), [(gpu, name) for gpu, names in CLAMPED.items() for name in names]
)
def test_clamp_limits_the_exact_result(gpu: str, name: str) -> None:
    clamped = CLAMPED[gpu][name]
    rng = suite.seed(gpu, name)
    state = State()
    rows = (4, 40, 80)[: len(clamped.sources)]
    packed = name.startswith("v_pk")
    for row, form in zip(rows, clamped.sources, strict=False):
        count = 2 if packed else 1
        values = [
            sum(numbers.number(form, int(form[1:]), rng) << 16 * n for n in range(count))
            for _ in range(64)
        ]
        write_rows(state, row, 32, values)
    before = state.copy()
    Probe(gpu).run(f"{name} v120, {', '.join(f'v{row}' for row in rows)} clamp", state)
    width = int(clamped.result[1:])
    for lane in range(64):
        for place in (0, 16) if packed else (0,):
            operands = [
                _signed(int(before.v[row, lane]) >> place, form)
                for row, form in zip(rows, clamped.sources, strict=False)
            ]
            wanted = _limited(clamped.exact(*operands), clamped.result)
            got = int(state.v[120, lane]) >> place & ((1 << width) - 1)
            assert got == wanted, f"lane {lane}, operands {operands}"
