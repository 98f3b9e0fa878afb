# SPDX-License-Identifier: MIT
"""A vector instruction in one form: operands for it, and what a wave must hold after it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pcode import floats, interpreter
from pcode.source import Field
from pcode.state import Carry, Cell, Scope
from pcode.values import U1, U32, Value, integer
from probe import EXEC, M0, VCC, State

from instructions import differences, lanes, numbers
from instructions.forms import Packed, Source
from instructions.layout import SCALAR_RESULT, SCALAR_SOURCES, VECTOR_RESULT, VECTOR_SOURCES
from instructions.rows import read_rows, write_row, write_rows
from instructions.vector_text import SPECIAL, VectorText


@dataclass
class Outcome:
    """What a wave holds, and the lanes whose result nobody knows."""

    state: State
    unknown: set[int]


@dataclass(frozen=True)
class VectorCase(VectorText):
    """The same with operands and results."""

    # The operands

    def fill(self, state: State, rng: random.Random) -> None:
        """Puts random registers into a state, and operands where the form has them."""
        state.v[:] = _random_registers(rng, state.v.shape)
        state.s[:] = _random_registers(rng, state.s.shape)
        state.scc = rng.getrandbits(1)
        state.mode = state.mode if self.form.mode is None else self.form.mode
        full = (1 << self.wave_size) - 1
        state.set_mask(EXEC, self._lanes(rng) & full)
        made: dict[tuple[str, int], list[int]] = {}
        for number, field in enumerate(self.sources):
            before = made.get((field.format, field.bits))
            values = []
            for lane in range(64):
                if before and rng.random() < 0.25:
                    values.append(numbers.related(before[lane], field.format, field.bits, rng))
                else:
                    values.append(numbers.number(field.format, field.bits, rng))
            made[field.format, field.bits] = values
            self._put(state, number, field, values)
        if "rel" in self.mnemonic:
            # An index relative to M0 must stay within the registers.
            state.s[M0] = rng.randrange(8)
            if "_2_" in self.mnemonic or "swap" in self.mnemonic:
                state.s[M0] |= rng.randrange(8) << 16
        result = self.entry.fields.get("vdst")
        if result and numbers.float_format(result.format) and not self.has_scalar_result:
            values = [numbers.number(result.format, result.bits, rng) for _ in range(64)]
            write_rows(state, VECTOR_RESULT, result.bits, values)

    def _lanes(self, rng: random.Random) -> int:
        if not self.form.few or self.mnemonic in differences.NEED_ALL_LANES:
            return -1
        if not self.form.partial:
            return sum(1 << lane for lane in rng.sample(range(self.wave_size), 14))
        return rng.getrandbits(64) & rng.getrandbits(64)

    def _put(self, state: State, number: int, field: Field, values: list[int]) -> None:
        source = self.form.sources[number]
        if field.bits == 16 and source.high:
            rows = state.v[VECTOR_SOURCES[number]]
            rows[:] = [
                int(old) & 0xFFFF | value << 16 for old, value in zip(rows, values, strict=False)
            ]
            return
        write_rows(state, VECTOR_SOURCES[number], field.bits, values)
        first = SCALAR_SOURCES[number]
        for place in range((field.bits + 31) // 32):
            if first + place < SCALAR_RESULT:
                state.s[first + place] = values[0] >> 32 * place & 0xFFFFFFFF

    # The result

    def expect(self, before: State) -> Outcome:
        """What the wave holds afterwards, by the pseudocode."""
        after = before.copy()
        outcome = Outcome(after, set())
        scope = self._scope(before, after)
        if differences.runs_once(self.code) or self.has_scalar_result:
            self._run_once(before, after, scope)
            return outcome
        exec_mask = before.mask(EXEC) & ((1 << self.wave_size) - 1)
        compared, carried = scope.cell("D0"), scope.cell("VCC")
        enabled = Cell(0, 64)
        for lane in range(self.wave_size):
            if exec_mask >> lane & 1:
                self._run_lane(before, outcome, scope, lane, exec_mask, enabled)
        if self.is_compare and compared.written:
            self._write_mask(after, self.carry_out, compared.bits)
        if carried.written:
            self._write_mask(after, self.carry_out, carried.bits)
        if enabled.written:
            self._write_mask(after, EXEC, enabled.bits)
        return outcome

    @cached_property
    def _clears_upper(self) -> bool:
        return differences.clears_upper(self.entry)

    def _write_mask(self, after: State, register: int, bits: int) -> None:
        if self.wave_size == 64:
            after.set_mask(register, bits)
        else:
            after.s[register] = bits & 0xFFFFFFFF

    def _scope(self, before: State, after: State) -> Scope:
        carry = self.carry_in
        mask = (1 << self.wave_size) - 1
        carry_bits = before.mask(VCC if carry is None else carry) & mask
        packed = self.form.packed
        high = [source.high for source in self.form.sources] + [False] * 3
        op_sel = (
            packed.op_sel
            if packed
            else sum(on << n for n, on in enumerate([*high[:3], self.form.high]))
        )
        if self.form.op_sel:
            *sources, last = self.form.op_sel
            op_sel = sum(on << n for n, on in enumerate(sources)) | last << 3
        names: dict[str, object] = {
            "D0": Cell(0, 64),
            "VCC": Carry(carry_bits, 0, 64),
            "SCC": Cell(before.scc, 1),
            "EXEC": Cell(before.mask(EXEC) & mask, 64),
            "EXEC_LO": Cell(before.mask(EXEC), 32),
            "M0": Cell(int(before.s[M0]), 32),
            "VGPR": _Registers(self, before, after),
            "SRC0": integer(self._source_number(0), U32),
            "SRC1": integer(self._source_number(1), U32),
            "DST": integer(VECTOR_RESULT, U32),
            "VDST": integer(VECTOR_RESULT, U32),
            "SIMM32": Cell(self.literal, 32),
            "SIMM16": Cell(self.literal, 16),
            "OPSEL": Cell(op_sel, 4),
            "OPSEL_HI": Cell(packed.op_sel_hi if packed else 0, 3),
            "NEG": Cell(packed.neg_lo if packed else 0, 3),
            "WAVE32": Value(int(self.wave_size == 32), U1),
            "WAVE64": Value(int(self.wave_size == 64), U1),
            "wave32": Value(int(self.wave_size == 32), U1),
            "WAVE_MODE.IEEE": Value(before.mode >> 9 & 1, U1),
            "SDWA_SRC0_SEL": Value(
                lanes.select_code(self.form.sources[0]) if self.form.sources else 0, U32
            ),
            **self._table_names(),
        }
        rounds = floats.Round(before.mode & 3), floats.Round(before.mode >> 2 & 3)
        return Scope(self.entry.generation, names, *rounds, fnuz=differences.is_fnuz(self.gpu))

    def _source_number(self, number: int) -> int:
        if number < len(self.form.sources) and self.is_vector(number) and not self.form.dpp:
            return VECTOR_SOURCES[number]
        return _Registers.FIRST_SOURCE + number

    def _table_names(self) -> dict[str, Cell]:
        table = self.truth_table
        return {
            "INST.NEG": Cell(table, 3),
            "INST.ABS": Cell(table >> 3, 3),
            "INST.OMOD": Cell(table >> 6, 2),
        }

    def _run_once(self, before: State, after: State, scope: Scope) -> None:
        for number, field in enumerate(self.sources):
            raw = self._modified(self.raw(before, number, 0), number, field)
            scope.names[f"S{number}"] = Cell(raw, max(32, field.bits))
        scope.names["D0"] = Cell(int(before.s[SCALAR_RESULT]), 32)
        interpreter.run(self.code, scope)
        result = scope.cell("D0")
        if result.written:
            after.s[SCALAR_RESULT] = result.bits & 0xFFFFFFFF

    def _run_lane(
        self,
        before: State,
        outcome: Outcome,
        scope: Scope,
        lane: int,
        exec_mask: int,
        enabled: Cell,
    ) -> None:
        origin: int | None = lane
        writes = True
        if self.form.dpp:
            origin, writes = lanes.dpp_source(self.form.dpp, lane, self.wave_size, exec_mask)
        if not writes:
            return
        run = Scope(scope.generation, dict(scope.names), scope.round32, scope.round64, scope.fnuz)
        run.names["laneId"] = integer(lane, U32)
        sources = []
        for number, field in enumerate(self.sources):
            raw = self.raw(before, number, origin if number == 0 else lane)
            modified = self._flushed(self._modified(raw, number, field), field, before.mode, False)
            if "mix" in self.mnemonic:
                modified = self._flushed_mix(modified, number, before.mode)
            cell = Cell(modified, max(32, field.bits))
            sources.append(cell)
            run.names[f"S{number}"] = cell
        run.names["S"] = sources
        if self.mnemonic.startswith("v_cmpx"):
            run.names["EXEC"] = enabled
        result = self.entry.fields.get("vdst")
        if not self.is_compare and result:
            old = read_rows(before, VECTOR_RESULT, result.bits, lane)
            clears = self._clears_upper and not self.form.high
            old = self._flushed(old, result, before.mode, False)
            run.names["D0"] = Cell(
                old >> 16 if self.form.high else old, max(32, result.bits), clears
            )
            run.names["D"] = run.names["D0"]
            run.names.setdefault("S2", run.names["D0"])
            run.names["D1"] = _Bit(scope.cell("VCC"), lane)
        interpreter.run(self.code, run)
        if sources and sources[0].written:
            self._write_source(outcome.state, lane, sources[0].bits)
        if not self.is_compare and result and (found := run.cell("D0")).written:
            self._write_result(before, outcome, lane, found.bits, result)

    def _write_source(self, after: State, lane: int, bits: int) -> None:
        """The other half of a swap."""
        field = self.entry.fields["src0"]
        old = int(after.v[VECTOR_SOURCES[0], lane])
        if field.bits == 16:
            bits = (
                old & 0xFFFF | bits << 16
                if self.form.sources[0].high
                else old & ~0xFFFF | bits & 0xFFFF
            )
        write_row(after, VECTOR_SOURCES[0], 32, lane, bits)

    def _write_result(
        self, before: State, outcome: Outcome, lane: int, bits: int, field: Field
    ) -> None:
        _, width = numbers.element(field.format, field.bits)
        form = numbers.float_format(field.format)
        bits = self._flushed(bits, field, before.mode, True)
        if form and (self.form.clamp or self.form.omod):
            has_ieee = self.entry.generation != "rdna4"
            first = 16 if "mixhi" in self.mnemonic else 0
            for place in range(first, first + field.bits, width):
                old = bits >> place & ((1 << width) - 1)
                new = lanes.output(old, form, self.form, before.mode, has_ieee)
                bits ^= (old ^ new) << place
        partial = form if self.form.sdwa and self.form.sdwa[0] != "DWORD" else None
        if partial and partial.is_nan(bits & (partial.sign * 2 - 1)):
            # As check.same_number has it; but a part of a number cannot be asked whether it is a
            # NaN.
            bits |= partial.quiet
        elif partial and differences.tolerance(self.mnemonic):
            # A part of a number that may be off by a little says nothing.
            outcome.unknown.add(lane)
        if self.form.sdwa:
            old = read_rows(before, VECTOR_RESULT, 32, lane)
            bits = lanes.sdwa_merge(old, bits & 0xFFFFFFFF, self.form.sdwa)
        elif self.form.high and field.bits == 16:
            bits = int(before.v[VECTOR_RESULT, lane]) & 0xFFFF | (bits & 0xFFFF) << 16
        write_row(outcome.state, VECTOR_RESULT, field.bits, lane, bits)

    def is_vector(self, number: int) -> bool:
        """Whether a source is a vector register."""
        return self.form.sources[number].kind == "v"

    def raw(self, before: State, number: int, lane: int | None) -> int:
        """An operand before any modifier; no lane means zero."""
        source = self.form.sources[number]
        field = self.sources[number]
        if source.kind == "constant":
            return self._constant(source, field)
        if source.kind in SPECIAL:
            return before.mask(SPECIAL[source.kind]) & ((1 << max(32, field.bits)) - 1)
        if source.kind == "s" or field.place.startswith(("SSRC", "SREG")):
            first = SCALAR_SOURCES[number]
            return sum(int(before.s[first + n]) << 32 * n for n in range((field.bits + 31) // 32))
        if lane is None:
            return 0
        return read_rows(before, VECTOR_SOURCES[number], field.bits, lane)

    def _constant(self, source: Source, field: Field) -> int:
        part, width = numbers.element(field.format, field.bits)
        if field.bits == 16:
            return lanes.constant_bits(source.text, part, 16)
        if width == 16:
            # A floating-point constant fills the lower half; an integer is extended over both.
            if (
                not numbers.float_format(part)
                or source.text.lstrip("-").isdigit()
                or source.text.startswith("0x")
            ):
                return lanes.constant_bits(source.text, part, 32)
            return lanes.constant_bits(source.text, part, 16)
        if self.form.packed and width == 32 and field.bits == 64:
            return lanes.constant_bits(source.text, part, 32)
        return lanes.constant_bits(source.text, part, 64 if field.bits == 64 else 32)

    def _modified(self, raw: int, number: int, field: Field) -> int:
        source = self.form.sources[number]
        part, width = numbers.element(field.format, field.bits)
        if self.form.packed:
            return self._packed(raw, number, width if width in (16, 32) else 32, part)
        if "SDWA_SRC0_SEL" not in self.code:
            raw = lanes.sdwa_select(raw, source)
        if field.bits == 16 and source.high and source.kind == "v":
            raw >>= 16
        if source.neg or source.abs:
            raw = lanes.modify(raw & ((1 << width) - 1), source, width)
        return raw

    def _flushed(self, bits: int, field: Field, mode: int, results: bool) -> int:
        """Denormal numbers in an operand replaced by zeros, if the mode says so."""
        form = numbers.float_format(field.format)
        if not form or form.width < 16 or mode >> 4 & 0xF == 0xF:
            return bits
        for place in range(0, field.bits, form.width):
            old = bits >> place & ((1 << form.width) - 1)
            bits ^= (old ^ lanes.flush(old, form, mode, results)) << place
        return bits

    @property
    def _modifiers_of_halves(self) -> Packed:
        assert self.form.packed is not None
        return self.form.packed

    def _flushed_mix(self, bits: int, number: int, mode: int) -> int:
        """The same for an operand that is an f32 or one of two f16."""
        packed = self._modifiers_of_halves
        if not packed.op_sel_hi >> number & 1:
            return lanes.flush(bits, floats.F32, mode, False)
        place = 16 if packed.op_sel >> number & 1 else 0
        half = bits >> place & 0xFFFF
        return bits ^ (half ^ lanes.flush(half, floats.F16, mode, False)) << place

    def _packed(self, raw: int, number: int, width: int, part: str) -> int:
        packed = self._modifiers_of_halves
        if "OPSEL" in self.code:
            # The pseudocode picks halves by itself; the modifiers of a mixed operand mean neg and
            # abs.
            if "mix" in self.mnemonic:
                return self._mixed(raw, number)
            return raw
        if self.sources[number].bits == width == 32:
            negated = packed.neg_lo >> number & 1 and part == "F32"
            return raw ^ 0x80000000 if negated else raw
        mask, result = (1 << width) - 1, 0
        for half, (select, negate) in enumerate(
            ((packed.op_sel, packed.neg_lo), (packed.op_sel_hi, packed.neg_hi))
        ):
            value = raw >> (width if select >> number & 1 else 0) & mask
            if negate >> number & 1 and numbers.float_format(part):
                value ^= 1 << (width - 1)
            result |= value << half * width
        return result

    def _mixed(self, raw: int, number: int) -> int:
        packed = self._modifiers_of_halves
        sign = 0x80000000
        if packed.op_sel_hi >> number & 1:
            sign = 0x80000000 if packed.op_sel >> number & 1 else 0x8000
        if packed.neg_hi >> number & 1:
            raw &= ~sign
        return raw ^ sign if packed.neg_lo >> number & 1 else raw


class _Bit(Cell):
    """The bit of a lane in a mask."""

    def __init__(self, mask: Cell, lane: int) -> None:
        super().__init__(0, 1)
        self._mask = mask
        self._lane = lane

    def write(self, low: int, width: int, bits: int) -> None:
        """Writes the lane's bit."""
        self._mask.write(self._lane, 1, bits & 1)


class _Registers:
    """VGPR[lane][register] of a state that is being made. Sources that are not just vector
    registers have numbers beyond them.
    """

    FIRST_SOURCE = 1000

    def __init__(self, case: VectorCase, before: State, after: State) -> None:
        self._case = case
        self._before = before
        self._after = after

    def read(self, lane: int, register: int) -> int:
        """One register of one lane."""
        if register < self.FIRST_SOURCE:
            return int(self._after.v[register, lane])
        number = register - self.FIRST_SOURCE
        origin: int | None = lane
        if self._case.form.dpp and number == 0:
            origin, _ = lanes.dpp_source(
                self._case.form.dpp, lane, self._case.wave_size, self._before.mask(EXEC)
            )
        return self._case.raw(self._before, number, origin) & 0xFFFFFFFF

    def write(self, lane: int, register: int, bits: int) -> None:
        """Writes it."""
        self._after.v[register, lane] = bits & 0xFFFFFFFF


def _random_registers(rng: random.Random, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(rng.getrandbits(32)).integers(
        0, 1 << 32, size=shape, dtype=np.uint32
    )
