# SPDX-License-Identifier: MIT
"""A vector instruction in one form: its text, operands for it, and what a wave must hold after it."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from pcode import floats, interpreter
from pcode.source import Entry, Field
from pcode.state import Carry, Cell, Scope
from pcode.values import U1, U32, Value, integer
from probe import EXEC, M0, VCC, State
from instructions import differences, lanes, numbers
from instructions.forms import Form, Source, sources_of
from instructions.layout import (
    SCALAR_CARRY,
    SCALAR_MASK,
    SCALAR_RESULT,
    SCALAR_SOURCES,
    VECTOR_RESULT,
    VECTOR_SOURCES,
    registers,
)
from instructions.rows import read_rows, write_row, write_rows

_SPECIAL = {"vcc": VCC, "exec": EXEC, "m0": M0}
_LITERAL = 0x3FC01234  # of v_fmamk and its like


@dataclass
class Outcome:
    """What a wave holds, and the lanes whose result nobody knows."""

    state: State
    unknown: set[int]


@dataclass(frozen=True)
class VectorCase:
    """One instruction, one form, one GPU."""

    gpu: str
    mnemonic: str
    entry: Entry
    form: Form
    wave_size: int
    code: str

    @property
    def label(self) -> str:
        """For messages."""
        return f"{self.text} on {self.gpu}, wave of {self.wave_size}"

    # The text

    @property
    def text(self) -> str:
        """The line for the assembler."""
        parts = [*self._results(), *self._sources()]
        words = [f"{self.mnemonic}{self.form.suffix} {', '.join(parts)}", *self._modifiers()]
        return " ".join(words)

    @property
    def _is_compare(self) -> bool:
        return self.mnemonic.startswith("v_cmp")

    @property
    def _short(self) -> bool:
        return self.entry.encoding in ("VOP1", "VOP2", "VOPC")

    def _mask_text(self, register: int) -> str:
        if register in (VCC, EXEC):
            return ("vcc" if register == VCC else "exec") + ("" if self.wave_size == 64 else "_lo")
        return registers("s", register, self.wave_size)

    @property
    def _carry_out(self) -> int | None:
        """The register of the mask that is written."""
        if "sdst" in self.entry.fields:
            return SCALAR_CARRY
        if self.mnemonic.startswith("v_cmpx") and self.entry.encoding == "VOP3":
            # The disassembler takes any other destination for an undefined encoding.
            return EXEC
        if self._is_compare and self.entry.encoding == "VOP3" or self.form.suffix == "_sdwa" and self.entry.encoding == "VOPC":
            return SCALAR_CARRY
        return VCC

    def _results(self) -> list[str]:
        found = []
        result = self.entry.fields.get("vdst")
        if self._is_compare:
            only_exec = self.mnemonic.startswith("v_cmpx") and self.entry.generation != "cdna"
            return [] if only_exec else [self._mask_text(self._carry_out)]
        if result:
            if self.has_scalar_result:
                found.append(registers("s", SCALAR_RESULT, result.bits))
            else:
                found.append(registers("v", VECTOR_RESULT, result.bits) + self._half(result, self.form.high))
        if "sdst" in self.entry.fields or self._short and "_co_" in self.mnemonic:
            found.append(self._mask_text(self._carry_out))
        return found

    @property
    def has_scalar_result(self) -> bool:
        """Whether the result goes to a scalar register."""
        result = self.entry.fields.get("vdst")
        return result is not None and result.place.startswith(("SREG", "SDST")) and not self._is_compare

    def _half(self, field: Field, high: bool) -> str:
        if not self.form.halves or field.bits != 16:
            return ""
        return ".h" if high else ".l"

    def _source_text(self, number: int, field: Field, source: Source) -> str:
        if source.kind == "constant":
            width = numbers.element(field.format, field.bits)[1]
            text = lanes.constant_text(source.text, width if width in (16, 64) else 32)
        elif source.kind in _SPECIAL:
            text = source.kind if field.bits > 32 or source.kind == "m0" else f"{source.kind}_lo"
        elif source.kind == "s" or field.place.startswith(("SSRC", "SREG")):
            text = registers("s", SCALAR_SOURCES[number], field.bits)
        else:
            text = registers("v", VECTOR_SOURCES[number], field.bits) + self._half(field, source.high)
        if source.sext:
            text = f"sext({text})"
        if source.abs:
            text = f"|{text}|"
        return f"-{text}" if source.neg else text

    def _sources(self) -> list[str]:
        names = sources_of(self.entry)
        found = [
            self._source_text(number, self.entry.fields[name], source)
            for number, (name, source) in enumerate(zip(names, self.form.sources))
        ]
        if "amk_" in self.mnemonic or "admk_" in self.mnemonic:
            found.insert(1, hex(self._literal))
        elif "aak_" in self.mnemonic or "adak_" in self.mnemonic:
            found.append(hex(self._literal))
        if self._carry_in is not None:
            found.append(self._mask_text(self._carry_in))
        return found

    @property
    def _literal(self) -> int:
        return _LITERAL & 0xFFFF if self.mnemonic.endswith("f16") else _LITERAL

    @property
    def _carry_in(self) -> int | None:
        fields = self.entry.fields
        if any(field.format == "M64" for name, field in fields.items() if name == "src2"):
            return SCALAR_MASK
        reads_vcc = self._short and ("VCC.u64[laneId].u" in self.code or "VCC.u64[laneId] ?" in self.code)
        return VCC if reads_vcc else None

    def _modifiers(self) -> list[str]:
        form = self.form
        found = []
        names = sources_of(self.entry)
        if form.packed:
            count = len(names)
            for name, bits, usual in (
                ("op_sel", form.packed.op_sel, 0),
                ("op_sel_hi", form.packed.op_sel_hi, 7),
                ("neg_lo", form.packed.neg_lo, 0),
                ("neg_hi", form.packed.neg_hi, 0),
            ):
                mask = (1 << count) - 1
                if bits & mask != usual & mask or name == "op_sel_hi" and "mix" in self.mnemonic:
                    found.append(f"{name}:[{','.join(str(bits >> n & 1) for n in range(count))}]")
        elif form.op_sel:
            found.append(f"op_sel:[{','.join(map(str, form.op_sel))}]")
        elif not form.halves and (form.high or any(source.high for source in form.sources)):
            bits = [int(source.high) for source in form.sources] + [int(form.high)]
            found.append(f"op_sel:[{','.join(map(str, bits))}]")
        if "bitop3" in self.mnemonic:
            found.append(f"bitop3:{self._truth_table:#x}")
        if form.clamp:
            found.append("clamp")
        if form.omod:
            found.append(form.omod)
        if form.dpp:
            found.append(lanes.dpp_text(form.dpp))
        if form.suffix == "_sdwa":
            if form.sdwa:
                found.append(f"dst_sel:{form.sdwa[0]} dst_unused:{form.sdwa[1]}")
            found += [f"src{number}_sel:{source.select}" for number, source in enumerate(form.sources)]
        return found

    @property
    def _truth_table(self) -> int:
        return random.Random(self.form.label).randrange(256)

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
        for number, name in enumerate(sources_of(self.entry)):
            field = self.entry.fields[name]
            before = made.get((field.format, field.bits))
            values = []
            for lane in range(64):
                if before and rng.random() < 0.25:
                    values.append(numbers.related(before[lane], field.format, field.bits, rng))
                else:
                    values.append(numbers.number(field.format, field.bits, rng))
            if "scalef32" in self.mnemonic and number == len(self.form.sources) - 1:
                # A scale that is no number gives no number, in formats that may have none.
                values = [value & ~0x00800000 if value >> 23 & 0xFF == 0xFF else value for value in values]
            made[field.format, field.bits] = values
            self._put(state, number, field, values)
        if "rel" in self.mnemonic:
            # An index relative to M0 must stay within the registers.
            state.s[M0] = rng.randrange(8) | rng.randrange(8) << 16 if "_2_" in self.mnemonic or "swap" in self.mnemonic else rng.randrange(8)
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
            rows[:] = [int(old) & 0xFFFF | value << 16 for old, value in zip(rows, values)]
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
        compared, carried = scope.names["D0"], scope.names["VCC"]
        enabled = Cell(0, 64)
        for lane in range(self.wave_size):
            if exec_mask >> lane & 1:
                self._run_lane(before, outcome, scope, lane, exec_mask, enabled)
        if self._is_compare and compared.written:
            self._write_mask(after, self._carry_out, compared.bits)
        if carried.written:
            self._write_mask(after, self._carry_out, carried.bits)
        if enabled.written:
            self._write_mask(after, EXEC, enabled.bits)
        return outcome

    def _write_mask(self, after: State, register: int, bits: int) -> None:
        if self.wave_size == 64:
            after.set_mask(register, bits)
        else:
            after.s[register] = bits & 0xFFFFFFFF

    def _scope(self, before: State, after: State) -> Scope:
        carry = self._carry_in
        mask = (1 << self.wave_size) - 1
        carry_bits = before.mask(VCC if carry is None else carry) & mask
        packed = self.form.packed
        high = [source.high for source in self.form.sources] + [False] * 3
        op_sel = packed.op_sel if packed else sum(on << n for n, on in enumerate([*high[:3], self.form.high]))
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
            "SIMM32": Cell(self._literal, 32),
            "SIMM16": Cell(self._literal, 16),
            "OPSEL": Cell(op_sel, 4),
            "OPSEL_HI": Cell(packed.op_sel_hi if packed else 0, 3),
            "NEG": Cell(packed.neg_lo if packed else 0, 3),
            "WAVE32": Value(int(self.wave_size == 32), U1),
            "WAVE64": Value(int(self.wave_size == 64), U1),
            "wave32": Value(int(self.wave_size == 32), U1),
            "WAVE_MODE.IEEE": Value(before.mode >> 9 & 1, U1),
            "SDWA_SRC0_SEL": Value(lanes.select_code(self.form.sources[0]) if self.form.sources else 0, U32),
            **self._table_names(),
        }
        rounds = floats.Round(before.mode & 3), floats.Round(before.mode >> 2 & 3)
        return Scope(self.entry.generation, names, *rounds, fnuz=differences.is_fnuz(self.gpu))

    def _source_number(self, number: int) -> int:
        if number < len(self.form.sources) and self.is_vector(number) and not self.form.dpp:
            return VECTOR_SOURCES[number]
        return _Registers.FIRST_SOURCE + number

    def _table_names(self) -> dict[str, Cell]:
        table = self._truth_table
        return {
            "INST.NEG": Cell(table, 3),
            "INST.ABS": Cell(table >> 3, 3),
            "INST.OMOD": Cell(table >> 6, 2),
        }

    def _run_once(self, before: State, after: State, scope: Scope) -> None:
        for number, name in enumerate(sources_of(self.entry)):
            field = self.entry.fields[name]
            raw = self._modified(self.raw(before, number, 0), number, field)
            scope.names[f"S{number}"] = Cell(raw, max(32, field.bits))
        scope.names["D0"] = Cell(int(before.s[SCALAR_RESULT]), 32)
        interpreter.run(self.code, scope)
        result = scope.names["D0"]
        if result.written:
            after.s[SCALAR_RESULT] = result.bits & 0xFFFFFFFF

    def _run_lane(self, before: State, outcome: Outcome, scope: Scope, lane: int, exec_mask: int, enabled: Cell) -> None:
        origin, writes = lane, True
        if self.form.dpp:
            origin, writes = lanes.dpp_source(self.form.dpp, lane, self.wave_size, exec_mask)
        if not writes:
            return
        run = Scope(scope.generation, dict(scope.names), scope.round32, scope.round64, scope.fnuz)
        run.names["laneId"] = integer(lane, U32)
        sources = []
        for number, name in enumerate(sources_of(self.entry)):
            field = self.entry.fields[name]
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
        if not self._is_compare and result:
            old = read_rows(before, VECTOR_RESULT, result.bits, lane)
            clears = differences.clears_upper(self.entry) and not self.form.high
            old = self._flushed(old, result, before.mode, False)
            run.names["D0"] = Cell(old >> 16 if self.form.high else old, max(32, result.bits), clears)
            run.names["D"] = run.names["D0"]
            run.names.setdefault("S2", run.names["D0"])
            run.names["D1"] = _Bit(scope.names["VCC"], lane)
        interpreter.run(self.code, run)
        if sources and sources[0].written:
            self._write_source(outcome.state, lane, sources[0].bits)
        if not self._is_compare and result and run.names["D0"].written:
            self._write_result(before, outcome, lane, run.names["D0"].bits, result)

    def _write_source(self, after: State, lane: int, bits: int) -> None:
        """The other half of a swap."""
        field = self.entry.fields["src0"]
        old = int(after.v[VECTOR_SOURCES[0], lane])
        if field.bits == 16:
            bits = old & 0xFFFF | bits << 16 if self.form.sources[0].high else old & ~0xFFFF | bits & 0xFFFF
        write_row(after, VECTOR_SOURCES[0], 32, lane, bits)

    def _write_result(self, before: State, outcome: Outcome, lane: int, bits: int, field: Field) -> None:
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
        partial = self.form.sdwa and self.form.sdwa[0] != "DWORD" and form
        if partial and (form.is_nan(bits & (form.sign * 2 - 1)) or differences.tolerance(self.mnemonic)):
            # A part of a NaN says nothing, nor does one of a number that may be off by a little.
            outcome.unknown.add(lane)
        if self.form.sdwa:
            bits = lanes.sdwa_merge(read_rows(before, VECTOR_RESULT, 32, lane), bits & 0xFFFFFFFF, self.form)
        elif self.form.high and field.bits == 16:
            bits = int(before.v[VECTOR_RESULT, lane]) & 0xFFFF | (bits & 0xFFFF) << 16
        write_row(outcome.state, VECTOR_RESULT, field.bits, lane, bits)

    def is_vector(self, number: int) -> bool:
        """Whether a source is a vector register."""
        return self.form.sources[number].kind == "v"

    def raw(self, before: State, number: int, lane: int | None) -> int:
        """An operand before any modifier; no lane means zero."""
        source = self.form.sources[number]
        field = self.entry.fields[sources_of(self.entry)[number]]
        if source.kind == "constant":
            return self._constant(source, field)
        if source.kind in _SPECIAL:
            return before.mask(_SPECIAL[source.kind]) & ((1 << max(32, field.bits)) - 1)
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
            if not numbers.float_format(part) or source.text.lstrip("-").isdigit() or source.text.startswith("0x"):
                return lanes.constant_bits(source.text, part, 32)
            half = lanes.constant_bits(source.text, part, 16)
            both = self.mnemonic == "v_pk_fmac_f16" and self.entry.generation != "cdna"
            return half << 16 | half if both else half
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

    def _flushed_mix(self, bits: int, number: int, mode: int) -> int:
        """The same for an operand that is an f32 or one of two f16."""
        if not self.form.packed.op_sel_hi >> number & 1:
            return lanes.flush(bits, floats.F32, mode, False)
        place = 16 if self.form.packed.op_sel >> number & 1 else 0
        half = bits >> place & 0xFFFF
        return bits ^ (half ^ lanes.flush(half, floats.F16, mode, False)) << place

    def _packed(self, raw: int, number: int, width: int, part: str) -> int:
        packed = self.form.packed
        if "OPSEL" in self.code:
            # The pseudocode picks halves by itself; the modifiers of a mixed operand mean neg and abs.
            if "mix" in self.mnemonic:
                return self._mixed(raw, number)
            return raw
        if self.entry.fields[sources_of(self.entry)[number]].bits == width == 32:
            negated = packed.neg_lo >> number & 1 and part == "F32"
            return raw ^ 0x80000000 if negated else raw
        mask, result = (1 << width) - 1, 0
        for half, (select, negate) in enumerate(((packed.op_sel, packed.neg_lo), (packed.op_sel_hi, packed.neg_hi))):
            value = raw >> (width if select >> number & 1 else 0) & mask
            if negate >> number & 1 and numbers.float_format(part):
                value ^= 1 << (width - 1)
            result |= value << half * width
        return result

    def _mixed(self, raw: int, number: int) -> int:
        packed = self.form.packed
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
    """VGPR[lane][register] of a state that is being made. Sources that are not just vector registers have numbers beyond them."""

    FIRST_SOURCE = 1000

    def __init__(self, case: VectorCase, before: State, after: State) -> None:
        self._case = case
        self._before = before
        self._after = after

    def read(self, lane: int, register: int) -> int:
        """One register of one lane."""
        if register < self.FIRST_SOURCE:
            return int(self._after.v[register, lane])
        number, origin = register - self.FIRST_SOURCE, lane
        if self._case.form.dpp and number == 0:
            origin, _ = lanes.dpp_source(self._case.form.dpp, lane, self._case.wave_size, self._before.mask(EXEC))
        return self._case.raw(self._before, number, origin) & 0xFFFFFFFF

    def write(self, lane: int, register: int, bits: int) -> None:
        """Writes it."""
        self._after.v[register, lane] = bits & 0xFFFFFFFF


def _random_registers(rng: random.Random, shape: tuple[int, ...]):
    return np.random.default_rng(rng.getrandbits(32)).integers(0, 1 << 32, size=shape, dtype=np.uint32)
