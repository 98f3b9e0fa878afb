# SPDX-License-Identifier: MIT
"""What the names in pseudocode stand for while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from pcode import floats
from pcode.floats import Format, Round
from pcode.values import Type, Value, type_of


class Cell:
    """A register or variable of a fixed width that can be written in parts.

    `clears_upper`: a result of 16 bits clears the rest of its register, as it does before gfx10.
    """

    def __init__(self, bits: int, width: int, clears_upper: bool = False) -> None:
        self.bits = bits & ((1 << width) - 1)
        self.width = width
        self.clears_upper = clears_upper
        self.written = False

    def read(self) -> Value:
        """All of it, as plain bits."""
        return Value(self.bits, type_of("b", self.width))

    def write(self, low: int, width: int, bits: int) -> None:
        """Replaces `width` bits from `low` up; what lies beyond the cell is lost."""
        field_mask = ((1 << width) - 1) << low
        self.bits = (self.bits & ~field_mask | (bits << low) & field_mask) & ((1 << self.width) - 1)
        self.written = True


class Carry(Cell):
    """VCC where an instruction names one register for the carry that it reads and another for the
    one it writes.
    """

    def __init__(self, bits: int, before: int, width: int) -> None:
        super().__init__(before, width)
        self._source = bits

    def read(self) -> Value:
        """The register that is read."""
        return Value(self._source, type_of("b", self.width))


class Variable(Cell):
    """A local variable: it has a type, and grows when bits beyond its end are written."""

    def __init__(self, value: Value) -> None:
        super().__init__(value.bits, value.type.width)
        self.type = value.type

    def read(self) -> Value:
        """The value in its type."""
        return Value(self.bits, self.type)

    def write(self, low: int, width: int, bits: int) -> None:
        """Replaces a part."""
        if low + width > self.width:
            self.width = low + width
            self.type = type_of("b", self.width)
        super().write(low, width, bits)


def cell_of(names: Mapping[str, object], name: str) -> Cell:
    """The register or variable of that name."""
    found = names[name]
    assert isinstance(found, Cell)
    return found


class Memory(Protocol):
    """MEM, which knows what lies at an address."""

    def load(self, address: int, size: int) -> int:
        """`size` bytes as an integer."""

    def store(self, address: int, size: int, bits: int) -> None:
        """Writes `size` bytes."""


class VectorFile(Protocol):
    """VGPR[lane][register]."""

    def read(self, lane: int, register: int) -> int:
        """One register of one lane."""

    def write(self, lane: int, register: int, bits: int) -> None:
        """Writes one register of one lane."""


@dataclass
class Scope:
    """Names and modes. Rounding has one mode for f32 and one for the other formats, as in the MODE
    register.
    """

    generation: str
    names: dict[str, object] = field(default_factory=dict)
    round32: Round = Round.NEAREST
    round64: Round = Round.NEAREST
    fnuz: bool = False
    call: Callable[[str, Scope, list[Value]], Value] | None = (
        None  # runs an instruction that the code calls by its name
    )

    def mode(self, kind: Type) -> Round:
        """How a result of a type is rounded."""
        return self.round32 if kind.width == 32 else self.round64

    def small_format(self, name: str) -> Format:
        """A format of at most 8 bits, such as "fp8", as the GPU has it."""
        if self.fnuz and name in ("fp8", "bf8"):
            return floats.FP8_FNUZ if name == "fp8" else floats.BF8_FNUZ
        found: Format = getattr(floats, name.upper())
        return found

    def cell(self, name: str) -> Cell:
        """The register or variable of that name."""
        return cell_of(self.names, name)

    @property
    def memory(self) -> Memory:
        """MEM."""
        return cast(Memory, self.names["MEM"])

    @property
    def registers(self) -> VectorFile:
        """VGPR."""
        return cast(VectorFile, self.names["VGPR"])

    def function(self, name: str) -> Callable[..., Value] | None:
        """What the code or an operand has put in the place of a function, if anything."""
        return cast("Callable[..., Value] | None", self.names.get(name))

    def child(self) -> Scope:
        """A scope for code that this code calls."""
        shared = {
            name: found for name, found in self.names.items() if name.startswith("WAVE_MODE.")
        }
        return Scope(self.generation, shared, self.round32, self.round64, self.fnuz)
