# SPDX-License-Identifier: MIT
"""A memory instruction in one form: addresses and data for it, and what registers and memory must
hold after it.

The pseudocode says what happens to the data; which address a lane has is said here.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numpy as np
from pcode import interpreter
from pcode.state import Cell, Scope, cell_of
from pcode.values import U32, U64, Value, integer
from probe import EXEC, M0, State

from instructions import check, numbers
from instructions.layout import VECTOR_RESULT
from instructions.memory_text import ADDRESS, BASE, DATA, DATA2, OFFSET, RESULT, MemoryText
from instructions.rows import read_rows, write_row, write_rows

MEMORY = 32768
SLOT = 64  # bytes that belong to a lane

# The last word of a buffer's description, for plain buffers and for those with records.
BUFFER_FLAGS = {
    "cdna": (0x00020000, 0x00020000),
    "rdna3": (0x31004000, 0x11004000),
    "rdna4": (0x31004000, 0x11004000),
}
_STRIDE = SLOT


class _Memory:
    """MEM: bytes from an address on. What is outside reads as zero and keeps nothing, as in a
    buffer.
    """

    def __init__(self, data: np.ndarray, start: int) -> None:
        self._data = data
        self._start = start

    def load(self, address: int, size: int) -> int:
        """`size` bytes as an integer."""
        at = address - self._start
        if not 0 <= at <= self._data.size - size:
            return 0
        return int.from_bytes(self._data[at : at + size].tobytes(), "little")

    def store(self, address: int, size: int, bits: int) -> None:
        """Writes `size` bytes."""
        at = address - self._start
        if 0 <= at <= self._data.size - size:
            self._data[at : at + size] = np.frombuffer(
                bits.to_bytes(size, "little"), dtype=np.uint8
            )


_OUTSIDE = -1


@dataclass(frozen=True)
class MemoryCase(MemoryText):
    """The same with addresses, data and results."""

    # Addresses and data

    @property
    def number_format(self) -> tuple[str, int]:
        """The format of what lies in memory, as the pseudocode reads it."""
        found = re.search(
            r"(?:MEM\[[^\]]*\]|tmp(?:\[[\d : ]+\])?|DATA)\.(u|i|f|bf|b)(16|32|64)", self.code
        )
        if "f16 = " in self.code and "[15 : 0]" in self.code and "PK" in self.entry.name:
            return "PK2_BF16" if ".bf16" in self.code else "PK2_F16", 32
        return (f"{found[1].upper()}{found[2]}", int(found[2])) if found else ("B32", 32)

    def memory_of(self, state: State) -> np.ndarray:
        """The memory that the instruction works on."""
        return {"DS": state.lds, "SCRATCH": state.scratch}.get(self.entry.encoding, state.memory)

    def new_state(self) -> State:
        """A state with as much memory as the instruction needs."""
        if self.entry.encoding == "DS":
            return State(self.wave_size, lds=MEMORY)
        if self.entry.encoding == "SCRATCH":
            return State(self.wave_size, scratch=2 * SLOT)
        return State(self.wave_size, memory=MEMORY)

    def fill(self, state: State, rng: random.Random) -> None:
        """Random registers and memory, with addresses that do not meet."""
        noise = np.random.default_rng(rng.getrandbits(32))
        state.v[:] = noise.integers(0, 1 << 32, size=state.v.shape, dtype=np.uint32)
        state.s[:] = noise.integers(0, 1 << 32, size=state.s.shape, dtype=np.uint32)
        state.set_mask(EXEC, rng.getrandbits(self.wave_size) | 1 << rng.randrange(self.wave_size))
        form, bits = self.number_format
        memory = self.memory_of(state).reshape(-1)
        words = b"".join(
            numbers.number(form, bits, rng).to_bytes(bits // 8, "little")
            for _ in range(min(memory.size * 8 // bits, 512))
        )
        memory[:] = np.resize(np.frombuffer(words, dtype=np.uint8), memory.size)
        for name, first in (
            ("data", DATA),
            ("data0", DATA),
            ("data1", DATA2),
            ("vdata", VECTOR_RESULT),
        ):
            if name in self.entry.fields:
                write_rows(
                    state,
                    first,
                    self.bits(name),
                    [self._data(name, form, bits, rng) for _ in range(64)],
                )
        self._fill_addresses(state, rng)
        self._make_equal(state, rng)

    def _data(self, name: str, form: str, bits: int, rng: random.Random) -> int:
        width = self.bits(name)
        return sum(
            numbers.number(form, bits, rng) << place for place in range(0, max(width, 32), bits)
        )

    def _slots(self, rng: random.Random) -> list[int]:
        slots = list(range(64))
        rng.shuffle(slots)
        return slots

    def _fill_addresses(self, state: State, rng: random.Random) -> None:
        """Each lane has a slot of its own; some lanes of a buffer are outside of it."""
        slots = self._slots(rng)
        state.s[OFFSET] = (8 if "_x2" in self.mnemonic else 4) * rng.randrange(4)
        state.s[M0] = 64 if "addtid" in self.mnemonic else 0xFFFFFFFF
        if self.entry.encoding == "DS":
            state.v[ADDRESS] = (
                self._cross_lane(slots, rng)
                if "permute" in self.mnemonic
                else [slot * SLOT for slot in slots]
            )
        elif self.entry.encoding == "SCRATCH":
            state.v[ADDRESS] = [4 * rng.randrange(8) for _ in slots]
        elif self.entry.encoding == "MUBUF":
            self._fill_buffer(state, slots, rng)
        elif self.entry.encoding == "SMEM":
            self._describe(state, MEMORY, 0)
            if "buffer" not in self.mnemonic:
                state.set_mask(BASE, state.address + 64)
        elif self.form.way == "scalar" and self.entry.encoding == "GLOBAL":
            state.set_mask(BASE, state.address)
            state.v[ADDRESS] = [slot * SLOT for slot in slots]
        else:
            write_rows(state, ADDRESS, 64, [state.address + slot * SLOT for slot in slots])

    def _cross_lane(self, slots: list[int], rng: random.Random) -> list[int]:
        return [4 * rng.choice((slot, rng.randrange(64))) for slot in slots]

    def _describe(self, state: State, records: int, stride: int) -> None:
        state.set_mask(BASE, state.address & 0xFFFFFFFFFFFF | stride << 48)
        state.s[BASE + 2] = records
        state.s[BASE + 3] = BUFFER_FLAGS[self.entry.generation][stride > 0]

    def _fill_buffer(self, state: State, slots: list[int], rng: random.Random) -> None:
        records = self.form.way in ("idxen", "both")
        if records:
            self._describe(state, 48, _STRIDE)
            state.v[ADDRESS], state.v[ADDRESS + 1] = slots, [8 * rng.randrange(2) for _ in slots]
        else:
            self._describe(state, 48 * SLOT, 0)
            state.v[ADDRESS] = [slot * SLOT for slot in slots]
        # A bound that counts the scalar offset or not would make no difference.
        state.s[OFFSET] = 8 * rng.randrange(2)

    def _make_equal(self, state: State, rng: random.Random) -> None:
        """Compare-and-swap must find what it looks for, in some lanes."""
        if not re.search(r"cmp(swap|st)", self.mnemonic):
            return
        _, bits = self.number_format
        if self.entry.encoding == "SMEM":
            if rng.random() < 0.5:
                found = _Memory(state.memory, state.address).load(self.address(state, 0), bits // 8)
                first = RESULT + bits // 32
                state.s[first], state.s[first + 1] = (
                    found & 0xFFFFFFFF,
                    found >> 32 if bits == 64 else int(state.s[first + 1]),
                )
            return
        for lane in range(self.wave_size):
            address = self.address(state, lane)
            if address == _OUTSIDE or rng.random() < 0.5:
                continue
            memory = (
                _Memory(state.lds, 0)
                if self.entry.encoding == "DS"
                else _Memory(state.memory, state.address)
            )
            found = memory.load(address, bits // 8)
            if self.entry.encoding == "DS":
                write_row(state, DATA if "cmpst_" in self.mnemonic else DATA2, bits, lane, found)
            else:
                first = VECTOR_RESULT if self.entry.encoding == "MUBUF" else DATA
                write_row(state, first + bits // 32, bits, lane, found)

    def address(self, state: State, lane: int, with_offset: bool = True) -> int:
        """Where a lane's data lies, or _OUTSIDE."""
        offset = self.form.offset if with_offset else 0
        vector = int(state.v[ADDRESS, lane])
        if self.entry.encoding == "DS":
            return vector + offset
        if self.entry.encoding == "SCRATCH":
            way = self.form.way
            scalar = int(state.s[OFFSET]) if way in ("scalar", "both") else 0
            return offset + scalar + (vector if way in ("vector", "both") else 0)
        if self.entry.encoding == "MUBUF":
            return self._buffer_address(state, lane, offset)
        if self.entry.encoding == "SMEM":
            base = state.address if "buffer" in self.mnemonic else state.mask(BASE)
            return base + offset + (int(state.s[OFFSET]) if self.form.way != "none" else 0)
        if self.entry.encoding == "GLOBAL" and self.form.way == "scalar":
            return state.mask(BASE) + vector + offset
        return read_rows(state, ADDRESS, 64, lane) + offset

    def _buffer_address(self, state: State, lane: int, offset: int) -> int:
        way, first = self.form.way, int(state.v[ADDRESS, lane])
        records, scalar = int(state.s[BASE + 2]), int(state.s[OFFSET])
        if way in ("idxen", "both"):
            inner = offset + (int(state.v[ADDRESS + 1, lane]) if way == "both" else 0)
            return (
                _OUTSIDE if first >= records else state.address + first * _STRIDE + inner + scalar
            )
        inner = offset + (first if way == "offen" else 0)
        return _OUTSIDE if inner >= records else state.address + inner + scalar

    def forgive(self, got: State, wanted: State) -> None:
        """Takes a NaN in memory that is quiet for the one that is expected."""
        form, bits = self.number_format
        part, width = numbers.element(form, bits)
        layout = numbers.float_format(part)
        if not layout:
            return
        left, right = (
            self.memory_of(state).reshape(-1).view(f"<u{width // 8}") for state in (got, wanted)
        )
        for place in np.flatnonzero(left != right):
            if check.same_number(layout, int(left[place]), int(right[place]), 0):
                right[place] = left[place]

    # The result

    def expect(self, before: State) -> State:
        """What the wave and its memory hold afterwards."""
        after = before.copy()
        # The copy's memory lies elsewhere, but addresses are those of the original.
        if self.entry.encoding == "SMEM":
            self._run(before, after, 0)
            return after
        exec_mask = before.mask(EXEC)
        if "VGPR[" in self.code:
            self._run_wave(before, after)
            return after
        for lane in range(self.wave_size):
            if exec_mask >> lane & 1:
                self._run(before, after, lane)
        return after

    def _run_wave(self, before: State, after: State) -> None:
        names = {
            "VGPR": _Lanes(after),
            "ADDR": integer(ADDRESS, U32),
            "DATA0": integer(DATA, U32),
            "VDST": integer(VECTOR_RESULT, U32),
            "OFFSET": Cell(self.form.offset, 16),
            "EXEC": Cell(before.mask(EXEC), 64),
            "WAVE64": integer(int(self.wave_size == 64), U32),
        }
        interpreter.run(self.code, Scope(self.entry.generation, names))

    def _run(self, before: State, after: State, lane: int) -> None:
        adds_offset = re.search(r"OFFSET[01]?\.u32", self.code) is not None
        address = self.address(before, lane, with_offset=not adds_offset)
        value = Value(address & U64.mask, U64)
        result_name = "vdata" if "vdata" in self.entry.fields else "vdst"
        width = 8 if "addtid" in self.mnemonic else 32
        names: dict[str, object] = {
            "MEM": self._memory(before, after, lane),
            "ADDR": value,
            "ADDR_BASE": value,
            "OFFSET": Cell(self.form.offset, 32),
            "OFFSET0": Cell(self.form.offset, width),
            "OFFSET1": Cell(self.form.offset1, width),
            "SGPR_ADDR": Cell(before.mask(BASE), 64),
            "INST_OFFSET": Cell(self.form.offset, 12),
            "M0": Cell(int(before.s[M0]), 32),
            "laneID": integer(lane, U32),
        }
        for unused in (
            "SADDR",
            "VADDR",
            "SRSRC",
            "SOFFSET",
            "SBASE",
            "vgpr_a",
            "offset",
            "flat_scratch",
        ):
            names[unused] = Cell(0, 64)
        for unused in (
            "v_addr",
            "s_saddr",
            "v_addr_off",
            "s_saddr_off",
            "sgpr_o",
            "sgpr_base",
            "IOFFSET",
        ):
            names[unused] = Cell(0, 64)
        for function in (
            "Ds",
            "Flat",
            "Global",
            "Scratch",
            "Buffer",
            "ScalarGlobal",
            "ScalarBuffer",
        ):
            names[f"Calc{function}Addr"] = lambda scope, *arguments: value
        for name, first in (("data", DATA), ("data0", DATA), ("vdata", VECTOR_RESULT)):
            if name in self.entry.fields:
                cell = Cell(
                    read_rows(before, first, self.bits(name), lane), max(32, self.bits(name))
                )
                names["DATA"] = names["DATA0"] = names["VDATA"] = cell
        if "data1" in self.entry.fields:
            names["DATA2"] = Cell(
                read_rows(before, DATA2, self.bits("data1"), lane), max(32, self.bits("data1"))
            )
        if self.entry.encoding == "SMEM":
            data = sum(
                int(before.s[RESULT + place]) << 32 * place
                for place in range((self.bits("sdata") + 31) // 32)
            )
            names["SDATA"] = Cell(data, max(32, self.bits("sdata")))
            names["DATA"], names["RETURN_DATA"] = (
                names["SDATA"],
                Cell(data, max(32, self.bits("sdata"))),
            )
        elif result_name in self.entry.fields:
            bits = self.bits(result_name)
            result = Cell(read_rows(before, VECTOR_RESULT, bits, lane), max(32, bits))
            names["RETURN_DATA"] = result
            if (
                "ATOMIC" not in self.entry.name and "LOAD" in self.entry.name
            ) or "READ" in self.entry.name:
                names["VDATA"] = result
        interpreter.run(self.code, Scope(self.entry.generation, names))
        self._collect(names, after, lane, result_name)

    def _memory(self, before: State, after: State, lane: int) -> _Memory:
        if self.entry.encoding == "DS":
            return _Memory(after.lds, 0)
        if self.entry.encoding == "SCRATCH":
            return _Memory(after.scratch[lane], 0)
        return _Memory(after.memory, before.address)

    def _collect(self, names: dict[str, object], after: State, lane: int, result_name: str) -> None:
        if self.entry.encoding == "SMEM":
            atomic = "ATOMIC" in self.entry.name
            if atomic and not self.form.returns:
                return
            result = cell_of(names, "RETURN_DATA" if atomic else "SDATA")
            # A compare-and-swap takes two numbers and returns one.
            for place in range(
                (result.width // (2 if "cmpswap" in self.mnemonic else 1)) // 32 or 1
            ):
                after.s[RESULT + place] = result.bits >> 32 * place & 0xFFFFFFFF
            return
        returns = self.form.returns or "ATOMIC" not in self.entry.name
        if "RETURN_DATA" not in names or not returns or result_name not in self.entry.fields:
            return
        result = cell_of(names, "RETURN_DATA")
        if result.written:
            write_row(after, VECTOR_RESULT, self._returned_bits(result_name), lane, result.bits)

    def _returned_bits(self, result_name: str) -> int:
        bits = self.bits(result_name)
        # A compare-and-swap of a buffer takes two numbers and returns one.
        return bits // 2 if result_name == "vdata" and "cmpswap" in self.mnemonic else max(32, bits)


class _Lanes:
    """VGPR[lane][register] of a state."""

    def __init__(self, state: State) -> None:
        self._state = state

    def read(self, lane: int, register: int) -> int:
        """One register of one lane."""
        return int(self._state.v[register, lane])

    def write(self, lane: int, register: int, bits: int) -> None:
        """Writes it."""
        self._state.v[register, lane] = bits & 0xFFFFFFFF
