# SPDX-License-Identifier: MIT
"""The pseudocode's language: what its words mean."""

from __future__ import annotations

import pytest

from pcode import interpreter, source
from pcode.lexer import NotPseudocode
from pcode.parser import parse
from pcode.state import Cell, Scope, cell_of
from pcode.values import U32, Value, integer


def _run(code: str, width: int = 32, generation: str = "rdna4", **sources: int) -> int:
    names: dict[str, object] = {name: Cell(bits, 64) for name, bits in sources.items()}
    names["D0"] = Cell(0, width)
    interpreter.run(code, Scope(generation, names))
    return cell_of(names, "D0").bits


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("D0.u32 = 3U + 4U * 2U", 11),
        ("D0.u32 = 0xffU & 15U", 15),
        ("D0.u32 = 32'U(-1)", 0xFFFFFFFF),
        ("D0.i32 = 32'I(signext(8'0x80))", 0xFFFFFF80),
        ("D0.u32 = 1U << 31U >> 30U", 2),
        ("D0.i32 = -8 >> 1U", 0xFFFFFFFC),
        ("D0.u32 = { 16'0x12, 16'0x34 }", 0x00120034),
        ("D0.u32 = 7 > 3 ? 1U : 2U", 1),
        ("D0.f32 = 32'F(3)", 0x40400000),
        ("D0.f32 = 32'F(0xffc00000)", 0xFFC00000),
        ("D0.f32 = 1.5F * 2.0F ** 4", 0x41C00000),
        ("tmp = 5; tmp += 3; D0.u32 = 32'U(tmp)", 8),
        ("for i in 0 : 3 do D0.u32 += 32'U(i) endfor", 6),
        ("for i in 0 : 9 do if i == 4 then break endif; D0.u32 = 32'U(i) endfor", 3),
        ("F = lambda(x) ( if x > 2 then return 1U else return 0U endif); D0.u32 = F(3)", 1),
        ("declare a : 8'B[4]; a[2] = 8'0x7; D0.u32 = 32'U(a[2])", 7),
    ],
)
def test_code_means_what_it_says(code: str, result: int) -> None:
    assert _run(code) == result


def test_views_extend_by_the_sign_of_signed_values_only() -> None:
    assert _run("n = S0[15 : 0].i16; D0.i32 = n.i32", S0=0x8000) == 0xFFFF8000
    assert _run("D0.u32 = S0[15 : 0].u32", S0=0x8000) == 0x8000


def test_slices_may_run_backwards() -> None:
    assert _run("D0.u32[31 : 0] = S0.u32[0 : 31]", S0=0x1) == 0x80000000


def test_parts_of_a_register_are_written_alone() -> None:
    cell = Cell(0x11111111, 32)
    interpreter.run("D0[15 : 8] = 8'0xff", Scope("rdna3", {"D0": cell}))
    assert cell.bits == 0x1111FF11


def test_half_results_clear_the_rest_where_the_register_says_so() -> None:
    keeping, clearing = Cell(0xFFFFFFFF, 32), Cell(0xFFFFFFFF, 32, clears_upper=True)
    for cell in (keeping, clearing):
        interpreter.run("D0.f16 = 16'1.0", Scope("cdna", {"D0": cell}))
    assert (keeping.bits, clearing.bits) == (0xFFFF3C00, 0x3C00)


@pytest.mark.parametrize(
    ("left", "right", "result"), [(0x0, 0x80000000, 0x80000000), (0x80000000, 0x0, 0x80000000)]
)
def test_zeros_written_with_a_sign_are_told_apart(left: int, right: int, result: int) -> None:
    found = Cell(1, 32)
    names = {"S0": Cell(left, 32), "S1": Cell(right, 32), "D0": found}
    code = source.entries("cdna")["v_min_f32"]["VOP2"].code
    interpreter.run(code, Scope("cdna", {**names, "WAVE_MODE.IEEE": integer(1, U32)}))
    assert found.bits == result


def test_instructions_can_be_called_by_name() -> None:
    assert _run("D0.i32 = v_max_i32(v_min_i32(5, 9), 7)") == 7


def test_lanes_of_a_mask_are_bits() -> None:
    mask = Cell(0b1000, 64)
    scope = Scope("cdna", {"VCC": mask, "laneId": integer(3, U32), "D0": Cell(0, 32)})
    interpreter.run("D0.u32 = VCC.u64[laneId] ? 1U : 2U; VCC.u64[laneId] = 1'0U", scope)
    assert (scope.cell("D0").bits, mask.bits) == (1, 0)


def test_concatenation_takes_results_apart() -> None:
    scope = Scope("cdna", {"D0": Cell(0, 64), "D1": Cell(0, 1), "S0": Cell(0xFFFFFFFF, 32)})
    interpreter.run(
        "{ D1.u1, D0.u64 } = 65'B(65'U(S0.u32) * 65'U(S0.u32) + 65'U(0xffffffffffffffffULL))", scope
    )
    assert (scope.cell("D1").bits, scope.cell("D0").bits) == (1, 0xFFFFFFFE00000000)


def test_memory_is_read_and_written_through_views() -> None:
    class Memory:
        def __init__(self) -> None:
            self.written: list[tuple[int, int, int]] = []

        def load(self, address: int, size: int) -> int:
            return address + size

        def store(self, address: int, size: int, bits: int) -> None:
            self.written.append((address, size, bits))

    memory = Memory()
    interpreter.run("MEM[16U].u16 = MEM[8U].u16 + 1U", Scope("cdna", {"MEM": memory}))
    assert memory.written == [(16, 2, 11)]


@pytest.mark.parametrize(
    "text", ["wait for it", "D0 = ", "if x then", "D = A (16x16) * B", "x <= 3"]
)
def test_prose_is_refused(text: str) -> None:
    with pytest.raises(NotPseudocode):
        parse(text)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="MYSTERY has no value"):
        interpreter.run("tmp = MYSTERY", Scope("cdna", {}))
    with pytest.raises(ValueError, match="mystery is not known"):
        interpreter.run("tmp = mystery(1)", Scope("cdna", {"x": Value(0, U32)}))
