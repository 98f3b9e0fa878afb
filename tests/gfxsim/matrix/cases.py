# SPDX-License-Identifier: MIT
"""One matrix instruction with its operands in registers: put there by a layout, run, and read back
by a layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from probe import EXEC, FIRST_AGPR, Probe, State

from matrix.formats import BF16, F16, F32, F64, I32, Format, random_codes
from matrix.layouts import Layout, pack, positions, unpack

D, A, B, C, INDEX, SCALES = 0, 64, 96, 128, 192, 194


@dataclass(frozen=True)
class Operand:
    """A matrix operand: its format, its extents by (block, along, k), and where they lie."""

    form: Format
    shape: tuple[int, int, int]
    layout: Layout = field(compare=False)
    slot: int = 0  # bits from one element of a lane to the next; 0: those of the format
    wave: int = 64

    @property
    def spacing(self) -> int:
        return self.slot or self.form.bits

    @cached_property
    def registers(self) -> int:
        _, element = positions(self.layout, self.shape)
        return ((1 + int(element.max())) * self.spacing + 31) // 32

    def pack(self, codes: np.ndarray) -> np.ndarray:
        return pack(self.layout, codes, self.spacing, self.registers)


@dataclass(frozen=True)
class Instruction:
    """A mnemonic on a GPU and its operands. A sparse A is given by its stored elements."""

    gpu: str
    name: str
    a: Operand
    b: Operand
    acc: Operand
    sparse: bool = False

    def text(
        self, modifiers: str = "", c: str = "", more: str = "", first: dict[str, int] | None = None
    ) -> str:
        """The instruction's line, with its operands in their usual registers
        or where `first` says.
        """
        first = first or self.first
        third = f"v{INDEX}" if self.sparse else c or registers(first["c"], self.acc.registers)
        operands = [
            registers(first[name], operand.registers)
            for name, operand in (("d", self.acc), ("a", self.a), ("b", self.b))
        ]
        return f"{self.name} {', '.join([*operands, third])}{more} {modifiers}".rstrip()

    @property
    def first(self) -> dict[str, int]:
        """The first register of each operand."""
        agprs = FIRST_AGPR if self.gpu == "gfx908" else 0
        return {"d": D + agprs, "a": A, "b": B, "c": C + agprs}

    def __str__(self) -> str:
        return f"{self.gpu}-{self.name}-{self.a.form.name}-{self.b.form.name}-wave{self.acc.wave}"


_CODE: dict[tuple[str, int, str], bytes] = {}


def prepare(gpu: str, wave: int, texts: Iterable[str]) -> None:
    """Assembles instructions together, which is quicker than one by one."""
    wanted = [text for text in dict.fromkeys(texts) if (gpu, wave, text) not in _CODE]
    for text, code in zip(wanted, Probe(gpu).assemble(wanted, wave_size=wave), strict=False):
        assert isinstance(code, bytes), f"{gpu}: {text}: {code}"
        _CODE[gpu, wave, text] = code


def code_of(gpu: str, wave: int, text: str) -> bytes:
    """The code of one instruction."""
    if (gpu, wave, text) not in _CODE:
        prepare(gpu, wave, [text])
    return _CODE[gpu, wave, text]


def registers(first: int, count: int) -> str:
    """The text of neighbouring registers."""
    file, first = ("a", first - FIRST_AGPR) if first >= FIRST_AGPR else ("v", first)
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


class Run:
    """An instruction's operands as codes, in registers among noise; the lanes' enable bits are
    noise, too.
    """

    def __init__(self, instruction: Instruction, seed: int = 0) -> None:
        self.instruction = instruction
        self.rng = np.random.default_rng(seed)
        self.a = random_codes(self.rng, instruction.a.form, instruction.a.shape)
        self.b = random_codes(self.rng, instruction.b.form, instruction.b.shape)
        acc = instruction.acc
        if acc.form == I32:
            self.c = self.rng.integers(0, 1 << 32, acc.shape, dtype=np.uint64)
        else:
            self.c = random_codes(self.rng, acc.form, acc.shape)
        self.index: np.ndarray | None = None
        self.mode: int | None = None
        self.first = instruction.first

    def text(self, modifiers: str = "", c: str = "", more: str = "") -> str:
        return self.instruction.text(modifiers, c, more, self.first)

    def state(self) -> State:
        """The wave before the instruction."""
        i = self.instruction
        state = State(wave_size=i.acc.wave)
        state.v[:] = self.rng.integers(0, 1 << 32, state.v.shape, dtype=np.uint64)
        state.set_mask(EXEC, int(self.rng.integers(0, 1 << i.acc.wave, dtype=np.uint64)))
        if self.mode is not None:
            state.mode = self.mode
        for name, operand, codes in (
            ("a", i.a, self.a),
            ("b", i.b, self.b),
            ("d" if i.sparse else "c", i.acc, self.c),
        ):
            packed = operand.pack(codes)
            if operand.wave == 16:  # gfx11: the same in every 16 lanes
                packed = np.tile(packed[:, :16], 4)
            if operand.slot > operand.form.bits:  # an accumulator in halves of registers
                packed = (
                    packed & 0xFFFF
                    | state.v[self.first[name] : self.first[name] + len(packed)] & 0xFFFF0000
                )
            state.v[self.first[name] : self.first[name] + len(packed)] = packed
        if self.index is not None:
            state.v[INDEX] = self.index
        return state

    def codes(self, state: State, text: str) -> np.ndarray:
        """The codes of D. No register but those of D may have changed."""
        i = self.instruction
        before = state.v.copy()
        state.run(i.gpu, code_of(i.gpu, i.acc.wave, text))
        first, count = self.first["d"], i.acc.registers
        others = np.ones(len(before), dtype=bool)
        others[first : first + count] = False
        assert np.array_equal(state.v[others], before[others])
        codes = unpack(i.acc.layout, state.v[first : first + count], i.acc.shape, i.acc.spacing)
        return codes & 0xFFFF if i.acc.form.bits == 16 else codes

    def run(self, state: State, text: str) -> np.ndarray:
        """The numbers of D."""
        codes = self.codes(state, text)
        if self.instruction.acc.form == I32:
            return codes.astype(np.uint32).view(np.int32).astype(np.int64)
        return self.instruction.acc.form.values(codes)

    def c_values(self) -> np.ndarray:
        if self.instruction.acc.form == I32:
            return self.c.astype(np.uint32).view(np.int32).astype(np.int64)
        return self.instruction.acc.form.values(self.c)

    def product(self, a: np.ndarray | None = None, b: np.ndarray | None = None) -> np.ndarray:
        """A times B in NumPy, by (block, row, column)."""
        i = self.instruction
        left = i.a.form.values(self.a if a is None else a)
        right = i.b.form.values(self.b if b is None else b)
        product: np.ndarray = np.einsum("bik,bjk->bij", left, right)
        return product

    def expected(self) -> np.ndarray:
        return wrapped(self.instruction, self.c_values() + self.product())


def wrapped(instruction: Instruction, values: np.ndarray) -> np.ndarray:
    """What an accumulator keeps of integers."""
    if instruction.acc.form != I32:
        return values
    return values.astype(np.uint64).astype(np.uint32).view(np.int32).astype(np.int64)


def densify(stored: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The whole A of stored elements and the place (0 to 3) that each has among its four neighbours
    along k.
    """
    blocks, along, half = stored.shape
    whole = np.zeros((blocks, along, 2 * half), dtype=stored.dtype)
    np.put_along_axis(whole, np.arange(half) // 2 * 4 + places, stored, axis=2)
    return whole


def met_by(b: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The elements of B that the stored elements of a sparse A are multiplied with, by (block, row,
    column, stored).
    """
    k = places + np.arange(places.shape[2]) // 2 * 4
    return np.stack([b[0][:, row] for row in k[0]])[None]


def index_of(operand: Operand, places: np.ndarray, first: int = 0) -> np.ndarray:
    """The register of indices with one set alone, which has its bits from `first` up."""
    lane, element = positions(operand.layout, places.shape)
    index = np.zeros(64, dtype=np.uint32)
    np.bitwise_or.at(index, lane, (places << 2 * element + first).astype(np.uint32))
    return index


def random_places(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Two different ascending places for every two stored elements."""
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    blocks, along, half = shape
    return pairs[rng.integers(0, len(pairs), (blocks, along, half // 2))].reshape(shape)


ACCUMULATORS = {"f32": F32, "f64": F64, "i32": I32, "f16": F16, "bf16": BF16}
