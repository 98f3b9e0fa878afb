# SPDX-License-Identifier: MIT
"""Addresses at which arithmetic goes wrong, accesses that make them, and what must come of each: a
second model of address arithmetic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from probe import EXEC, Probe, ProbeError, State

from instructions.layout import registers

SIZE = 4096  # of each memory that may be touched
GUARD = 16384  # bytes around it that may not
SCRATCH = 256
SHARED, PRIVATE = 1 << 56, 2 << 56  # where flat addresses of LDS and of private memory begin
NEAR = (-4096, -4, 0, 17)
EDGES = tuple(
    sorted(
        {
            (edge + near) % 2**64
            for edge in (0, 2**31, 2**32, 2**47, 2**48, 2**63, 2**64)
            for near in NEAR
        }
    )
)

ADDRESS, DATA, RESULT = 4, 40, 120  # vector registers
BASE, HOME, OFFSET = 8, 12, 16  # scalar ones
_U64 = np.uint64


@dataclass(frozen=True)
class Access:
    """What an instruction does with each lane's address, apart from finding it."""

    name: str
    use: str  # "load", "store", "atomic"
    size: int

    def line(self, address: str, base: str) -> str:
        """The instruction; `base` is what stands behind the address or the data."""
        operands = [self._data, address] if self.use == "load" else [address, self._data]
        return f"{self.name} {', '.join([*operands, *([base] if base else [])])}"

    def buffer_line(self, address: str, base: str) -> str:
        """The same for an instruction that names its data first."""
        return f"{self.name} {self._data}, {address}, {base}"

    @property
    def _data(self) -> str:
        return registers("v", RESULT if self.use == "load" else DATA, 8 * self.size)


def accesses(prefix: str, generation: str) -> list[Access]:
    """Narrow and wide loads and stores, and an atomic where there is one."""
    old = generation == "gfx9"
    narrow, wide, add = ("dword", "dwordx4", "add") if old else ("b32", "b128", "add_u32")
    found = [
        Access(f"{prefix}_load_{narrow}", "load", 4),
        Access(f"{prefix}_load_{wide}", "load", 16),
        Access(f"{prefix}_store_{wide}", "store", 16),
    ]
    return found + ([] if prefix == "scratch" else [Access(f"{prefix}_atomic_{add}", "atomic", 4)])


class Arena:
    """A state whose memory has bytes of the process on both sides, all of them known."""

    def __init__(self, gpu: str) -> None:
        self.gpu = gpu
        self.wave_size = 32 if gpu.startswith("gfx1") else 64
        self.probe = Probe(gpu)
        self.generation = self.probe.generation
        noise = np.random.default_rng(24)
        self._all = noise.integers(0, 256, size=SIZE + 2 * GUARD, dtype=np.uint8)
        self.state = State(self.wave_size, lds=SIZE, scratch=SCRATCH)
        self.state.memory = self._all[GUARD : GUARD + SIZE]
        for memory in (self.state.lds, self.state.scratch):
            memory[:] = noise.integers(0, 256, size=memory.shape, dtype=np.uint8)
        self._before = self._all.copy()
        self._outside = np.ones(self._all.size, dtype=bool)
        self._outside[GUARD : GUARD + SIZE] = False
        self.lanes = np.arange(64, dtype=_U64)

    @property
    def home(self) -> int:
        """The address of the memory that may be touched."""
        return self.state.address

    def assemble(self, texts: list[str]) -> list[bytes]:
        """Each text behind a load that makes the wave know its memory."""
        first = (
            f"s_load_{'dword' if self.generation == 'gfx9' else 'b32'} s20, "
            f"s[{HOME}:{HOME + 1}], 0x0\n"
        )
        code = self.probe.assemble([first + text for text in texts], self.wave_size)
        assert all(isinstance(found, bytes) for found in code), [
            found for found in code if isinstance(found, str)
        ]
        return code  # type: ignore[return-value]  # none is a sentence

    def attempt(self, code: bytes, lanes: int = -1) -> str:
        """Runs code with some lanes on; the error, or an empty string."""
        self._all[:] = self._before
        self.state.set_mask(HOME, self.home)
        self.state.set_mask(EXEC, lanes & (1 << self.wave_size) - 1)
        try:
            self.state.run(self.gpu, code)
        except ProbeError as error:
            assert (self._all == self._before).all(), "memory was changed by an access that failed"
            return str(error)
        assert (self._all == self._before)[self._outside].all(), "bytes outside were changed"
        return ""

    def set_vector(self, values: np.ndarray) -> None:
        """The address register pair of every lane."""
        self.state.v[ADDRESS], self.state.v[ADDRESS + 1] = (
            values & _U64(0xFFFFFFFF),
            values >> _U64(32),
        )

    def word(self, memory: np.ndarray, at: int) -> int:
        """The word that a load of any width finds first."""
        return int.from_bytes(memory[at : at + 4].tobytes(), "little")

    def loaded(self, lane: int) -> int:
        """What a load put into a lane's first register."""
        return int(self.state.v[RESULT, lane])

    def patterns(self, base: int) -> Iterator[np.ndarray]:
        """32 bits for each lane: near, far, one lane far, and those that lead from `base` to the
        memory if any do.
        """
        yield 4 * self.lanes
        yield _U64(2**32 - 256) + 4 * self.lanes
        yield np.where(self.lanes == _U64(self.wave_size - 1), _U64(2**32 - 16), 16 * self.lanes)
        yield (_U64((self.home - base) % 2**64) + 16 * self.lanes) & _U64(0xFFFFFFFF)


def offsets(kind: str, generation: str) -> tuple[int, ...]:
    """Offsets that an instruction can have, of both signs where it has both."""
    if kind == "flat":
        return (-(2**23), -4, 2**23 - 4) if generation == "gfx12" else (0, 4, 4092)
    return (-(2**23), -16, 2**23 - 4) if generation == "gfx12" else (-4096, -16, 4092)


def bases(arena: Arena) -> list[int]:
    """Edges of the address space and of the memory."""
    home = arena.home
    return [
        *EDGES,
        home,
        home - 2**32 + 64,
        home - 2**32,
        home - 4096,
        home + SIZE - 256,
        home + SIZE - 4,
        home + SIZE,
        home + 2**23,
    ]


def each(kind: str, arena: Arena, address: str, base: str) -> Iterator[tuple[Access, int, bytes]]:
    """Every access with every offset, assembled."""
    made = list(
        itertools.product(accesses(kind, arena.generation), offsets(kind, arena.generation))
    )
    texts = [
        access.line(address, base) + (f" offset:{offset}" if offset else "")
        for access, offset in made
    ]
    for (access, offset), code in zip(made, arena.assemble(texts), strict=False):
        yield access, offset, code
