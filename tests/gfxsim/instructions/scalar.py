# SPDX-License-Identifier: MIT
"""A scalar instruction in one form: its text, operands for it,
and what a wave must hold after it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from pcode import floats, interpreter
from pcode.source import Entry, Field
from pcode.state import Cell, Scope, cell_of
from pcode.values import U1, U32, Value, integer
from probe import EXEC, M0, VCC, State

from instructions import lanes, numbers
from instructions.forms import INTEGERS, LITERALS, REALS, Chooser
from instructions.layout import SCALAR_RESULT, SCALAR_SOURCES, registers

_LITERAL = 0x3FC01234  # of s_fmamk and s_fmaak
_PLACES = {"vcc": VCC, "exec": EXEC, "m0": M0}


@dataclass(frozen=True)
class ScalarForm:
    """What stands where: "s", "vcc", "exec", "m0", or a constant's text; an immediate for SOPK."""

    label: str
    result: str
    sources: tuple[str, ...]
    immediate: int = 0
    turns: int = 2


def forms(entry: Entry, start: int) -> Iterator[ScalarForm]:
    """What to try for an instruction; `start` varies the constants."""
    chooser = Chooser(start)
    names = [name for name in ("ssrc0", "ssrc1") if name in entry.fields]
    plain = tuple("s" for _ in names)
    if "simm16" in entry.fields:
        for immediate in (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1234, 0xFEDC):
            yield ScalarForm("immediate", "s", plain, immediate)
        return
    yield ScalarForm("registers", "s", plain, turns=12)
    if "MOVREL" in entry.name:
        return
    for number, name in enumerate(names):
        choices = INTEGERS + REALS[:8] if entry.fields[name].format.startswith("F") else INTEGERS
        constants = (
            (chooser.take(choices), chooser.take(LITERALS)) if "_HI_" not in entry.name else ()
        )
        for text in (*constants, chooser.take(("vcc", "exec", "m0"))):
            yield ScalarForm(text, "s", (*plain[:number], text, *plain[number + 1 :]))
    # An instruction that changes EXEC by itself has no other result in it.
    for result in ("vcc", "m0") if "EXEC" in entry.name else ("vcc", "exec", "m0"):
        yield ScalarForm(f"into {result}", result, plain)


@dataclass(frozen=True)
class ScalarCase:
    """One instruction, one form, one GPU."""

    gpu: str
    mnemonic: str
    entry: Entry
    form: ScalarForm
    wave_size: int
    code: str

    @property
    def label(self) -> str:
        """For messages."""
        return f"{self.text} on {self.gpu}, wave of {self.wave_size}"

    @property
    def _source_fields(self) -> list[Field]:
        return [self.entry.fields[name] for name in ("ssrc0", "ssrc1") if name in self.entry.fields]

    @property
    def text(self) -> str:
        """The line for the assembler."""
        parts = []
        if "sdst" in self.entry.fields:
            parts.append(
                self._text(self.form.result, SCALAR_RESULT, self.entry.fields["sdst"].bits)
            )
        for number, (field, kind) in enumerate(
            zip(self._source_fields, self.form.sources, strict=False)
        ):
            parts.append(self._text(kind, SCALAR_SOURCES[number], field.bits))
        if "fmamk" in self.mnemonic:
            parts.insert(2, hex(_LITERAL))
        elif "fmaak" in self.mnemonic:
            parts.append(hex(_LITERAL))
        if "simm16" in self.entry.fields:
            parts.append(hex(self.form.immediate))
        return f"{self.mnemonic} {', '.join(parts)}"

    def _text(self, kind: str, register: int, bits: int) -> str:
        if kind == "s":
            return registers("s", register, bits)
        if kind in ("vcc", "exec"):
            return kind if bits == 64 else f"{kind}_lo"
        return lanes.constant_text(kind, bits)

    def fill(self, state: State, rng: random.Random) -> None:
        """Random registers, and operands where the form has them."""
        state.s[:] = np.random.default_rng(rng.getrandbits(32)).integers(
            0, 1 << 32, size=state.s.shape, dtype=np.uint32
        )
        state.scc = rng.getrandbits(1)
        if self.wave_size == 32:
            state.s[EXEC + 1] = 0
        before = None
        for number, field in enumerate(self._source_fields):
            value = numbers.number(field.format, field.bits, rng)
            if before is not None and rng.random() < 0.3:
                value = numbers.related(before, field.format, field.bits, rng)
            before = value
            _write(state, SCALAR_SOURCES[number], field.bits, value)
        if "movrel" in self.mnemonic:
            # An index relative to M0 must stay within the registers.
            state.s[M0] = (
                2 * rng.randrange(4) | 2 * rng.randrange(4) << 16
                if "_2_" in self.mnemonic
                else 2 * rng.randrange(4)
            )

    def expect(self, before: State) -> State:
        """What the wave holds afterwards, by the pseudocode."""
        after = before.copy()
        result = self.entry.fields.get("sdst")
        scalars = _Scalars(before)
        names: dict[str, object] = {
            "SCC": Cell(before.scc, 1),
            "EXEC": Cell(before.mask(EXEC), 64),
            "VCC": Cell(before.mask(VCC), 64),
            "M0": Cell(int(before.s[M0]), 32),
            "SIMM32": Cell(_LITERAL, 32),
            "SIMM16": Cell(self.form.immediate, 16),
            "WAVE_MODE.IEEE": Value(before.mode >> 9 & 1, U1),
            "SRC0": integer(SCALAR_SOURCES[0], U32),
            "DST": integer(SCALAR_RESULT, U32),
            "SGPR": scalars,
        }
        if result:
            old = _read(before, self.result_register, result.bits)
            names["D0"] = Cell(old, max(32, result.bits), clears_upper=True)
        for number, (field, kind) in enumerate(
            zip(self._source_fields, self.form.sources, strict=False)
        ):
            names[f"S{number}"] = Cell(
                self._operand(before, number, field, kind), max(32, field.bits)
            )
        if self.entry.encoding == "SOPK":
            self._name_immediate(names)
        rounds = floats.Round(before.mode & 3), floats.Round(before.mode >> 2 & 3)
        interpreter.run(self.code, Scope(self.entry.generation, names, *rounds))
        self._collect(names, scalars, after)
        return after

    def _name_immediate(self, names: dict[str, object]) -> None:
        """gfx9's text calls the immediate by the number of a source."""
        immediate = Cell(self.form.immediate, 16)
        if "cmpk" in self.mnemonic:
            names["S0"], names["S1"] = names["D0"], immediate
        else:
            names["S0"] = immediate

    def _collect(self, names: dict[str, object], scalars: _Scalars, after: State) -> None:
        for name, register in (("EXEC", EXEC), ("VCC", VCC)):
            mask = cell_of(names, name)
            if mask.written:
                after.set_mask(register, mask.bits)
        index = cell_of(names, "M0")
        if index.written:
            after.s[M0] = index.bits
        scalars.store(after)
        after.scc = cell_of(names, "SCC").bits
        if "D0" in names and (result := cell_of(names, "D0")).written:
            bits = max(32, self.entry.fields["sdst"].bits)
            _write(after, self.result_register, bits, result.bits)

    @property
    def result_register(self) -> int:
        """Where the result goes."""
        return self._register(self.form.result, SCALAR_RESULT)

    def _register(self, kind: str, usual: int) -> int:
        return _PLACES.get(kind, usual)

    def _operand(self, before: State, number: int, field: Field, kind: str) -> int:
        if kind == "s" or kind in _PLACES:
            return _read(before, self._register(kind, SCALAR_SOURCES[number]), field.bits)
        return lanes.constant_bits(kind, field.format, field.bits if field.bits in (16, 64) else 32)


class _Scalars(list["_Pair"]):
    """SGPR[…], as cells that know whether they were written."""

    def __init__(self, state: State) -> None:
        super().__init__(_Pair(state, number) for number in range(104))

    def store(self, state: State) -> None:
        """Puts what was written into a state."""
        for number, cell in enumerate(self):
            if cell.written:
                _write(state, number, cell.size, cell.bits)


class _Pair(Cell):
    """A register together with the next one, of which a view takes what it needs."""

    def __init__(self, state: State, number: int) -> None:
        super().__init__(_read(state, number, 64), 64)
        self.size = 0

    def write(self, low: int, width: int, bits: int) -> None:
        """Remembers how much was written."""
        super().write(low, width, bits)
        self.size = max(self.size, width)


def _read(state: State, register: int, bits: int) -> int:
    return state.mask(register) if bits == 64 else int(state.s[register])


def _write(state: State, register: int, bits: int, value: int) -> None:
    if bits == 64:
        state.set_mask(register, value)
    else:
        state.s[register] = value & 0xFFFFFFFF
