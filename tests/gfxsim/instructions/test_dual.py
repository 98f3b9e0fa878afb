# SPDX-License-Identifier: MIT
"""Dual-issue instructions: each half does what the ordinary instruction does, and both read before
either writes.
"""

from __future__ import annotations

import itertools

import pytest
from pcode import floats, interpreter, source
from pcode.state import Cell, Scope
from pcode.values import U1, U32, Value, integer
from probe import VCC, Probe, State

from instructions import check, differences, numbers, suite
from instructions.rows import write_rows

# Banks and parities differ, as the encoding demands.
_X = {"dst": 120, "src0": 4, "src1": 42}
_Y = {"dst": 135, "src0": 5, "src1": 43}
_LITERAL = 0x3FC01234

_FIRST = [
    "fmac_f32",
    "fmaak_f32",
    "fmamk_f32",
    "mul_f32",
    "add_f32",
    "sub_f32",
    "subrev_f32",
    "mul_dx9_zero_f32",
    "mov_b32",
]
_FIRST += ["cndmask_b32", "dot2acc_f32_f16", "dot2acc_f32_bf16"]
_LATER = {"gfx1100": ["max_f32", "min_f32"], "gfx1201": ["max_num_f32", "min_num_f32"]}
_SECOND_ONLY = ["add_nc_u32", "lshlrev_b32", "and_b32"]


def _pairs(gpu: str) -> list[tuple[str, str]]:
    first = _FIRST + _LATER[gpu]
    second = first + _SECOND_ONLY
    # Every instruction in both places, with changing partners.
    pairs = {(x, second[(3 * n + 5) % len(second)]) for n, x in enumerate(first)}
    pairs |= {(first[(5 * n + 2) % len(first)], y) for n, y in enumerate(second)}
    literals = {"fmaak_f32", "fmamk_f32"}
    return sorted(pair for pair in pairs if not literals.issuperset(pair) or pair[0] == pair[1])


def _entry(name: str, gpu: str) -> source.Entry:
    generation = "rdna3" if gpu == "gfx1100" else "rdna4"
    same = {"dot2acc_f32_f16": "dot2c_f32_f16", "dot2acc_f32_bf16": "dot2c_f32_bf16"}
    for found in (generation, "rdna4", "cdna"):
        for mnemonic in (f"v_{name}", f"v_dual_{name}", f"v_{same.get(name)}"):
            entries = source.entries(found).get(mnemonic, {})
            for encoding in ("VOP2", "VOP1", "VOPD", "VOP3"):
                if encoding in entries and entries[encoding].code:
                    return entries[encoding]
    raise AssertionError(f"there is no pseudocode for v_dual_{name}")


def _text(name: str, registers: dict[str, int]) -> str:
    parts = [f"v{registers['dst']}", f"v{registers['src0']}"]
    if name != "mov_b32":
        parts.append(f"v{registers['src1']}")
    if name == "fmamk_f32":
        parts.insert(2, hex(_LITERAL))
    elif name == "fmaak_f32":
        parts.append(hex(_LITERAL))
    return f"v_dual_{name} {', '.join(parts)}"


def _expect(name: str, gpu: str, registers: dict[str, int], before: State, after: State) -> None:
    entry = _entry(name, gpu)
    code = differences.code_of(f"v_{name}", entry)
    for lane in range(32):
        result = Cell(int(before.v[registers["dst"], lane]), 32)
        names = {
            "D0": result,
            "S0": Cell(int(before.v[registers["src0"], lane]), 32),
            "S1": Cell(int(before.v[registers["src1"], lane]), 32),
            "VCC": Cell(before.mask(VCC), 64),
            "SIMM32": Cell(_LITERAL, 32),
            "laneId": integer(lane, U32),
            "WAVE_MODE.IEEE": Value(1, U1),
        }
        interpreter.run(code, Scope(entry.generation, names))
        after.v[registers["dst"], lane] = result.bits


@pytest.mark.parametrize(
    ("gpu", "pair"), [(gpu, pair) for gpu in _LATER for pair in _pairs(gpu)], ids=str
)
def test_both_halves_do_what_their_pseudocode_says(gpu: str, pair: tuple[str, str]) -> None:
    rng = suite.seed(gpu, pair)
    before = State(wave_size=32)
    before.set_mask(VCC, rng.getrandbits(32))
    for name, registers in zip(pair, (_X, _Y), strict=False):
        form = (
            "PK2_BF16"
            if name.endswith("bf16")
            else "PK2_F16"
            if name.endswith("f16")
            else "F32"
            if name.endswith("f32")
            else "U32"
        )
        for place in ("src0", "src1"):
            write_rows(
                before, registers[place], 32, [numbers.number(form, 32, rng) for _ in range(64)]
            )
        write_rows(
            before, registers["dst"], 32, [numbers.number("F32", 32, rng) for _ in range(64)]
        )
    wanted = before.copy()
    for name, registers in zip(pair, (_X, _Y), strict=False):
        _expect(name, gpu, registers, before, wanted)
    got = Probe(gpu).run(
        " :: ".join(
            _text(name, registers) for name, registers in zip(pair, (_X, _Y), strict=False)
        ),
        before.copy(),
    )
    for name, registers in zip(pair, (_X, _Y), strict=False):
        if name.endswith(("f32", "f16", "bf16")):
            check.forgive(got, wanted, registers["dst"], 32, floats.F32, 32, 0)
    assert not check.differences_between(got, wanted)


@pytest.mark.parametrize("gpu", _LATER)
def test_halves_that_swap_registers_read_before_they_write(gpu: str) -> None:
    state = State(wave_size=32)
    state.v[4, :32], state.v[5, :32] = range(32), range(100, 132)
    Probe(gpu).run("v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4", state)
    assert list(state.v[4, :32]) == list(range(100, 132))
    assert list(state.v[5, :32]) == list(range(32))


@pytest.mark.parametrize("gpu", _LATER)
def test_only_enabled_lanes_are_written(gpu: str) -> None:
    state = State(wave_size=32)
    state.set_mask(126, 0x0F0F0F0F)
    state.v[4], state.v[5] = 11, 22
    Probe(gpu).run("v_dual_mov_b32 v120, v4 :: v_dual_mov_b32 v135, v5", state)
    for lane, (row, value) in itertools.product(range(32), ((120, 11), (135, 22))):
        assert int(state.v[row, lane]) == (value if 0x0F0F0F0F >> lane & 1 else 0)
