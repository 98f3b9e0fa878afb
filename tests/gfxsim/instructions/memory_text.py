# SPDX-License-Identifier: MIT
"""How a memory instruction is written, and which of its forms are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pcode.source import Entry

from instructions.layout import VECTOR_RESULT, VECTOR_SOURCES, registers

ENCODINGS = ("DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "SMEM")

ADDRESS, DATA, DATA2 = VECTOR_SOURCES
BASE, OFFSET, RESULT = 8, 16, 40  # scalar registers


@dataclass(frozen=True)
class MemoryForm:
    """How an address is made, and whether an atomic returns what it found."""

    label: str
    way: str = (
        "vector"  # "vector", "scalar", "both", "none"; for buffers "off", "offen", "idxen", "both"
    )
    offset: int = 0
    offset1: int = 0
    returns: bool = False


def forms(entry: Entry) -> Iterator[MemoryForm]:
    """What to try for an instruction."""
    atomic = "ATOMIC" in entry.name
    for returns in (False, True) if atomic else (False,):
        if entry.encoding == "DS":
            two = "OFFSET1.u32" in entry.code
            far = re.search("STRIDE64|ST64", entry.name) is not None
            if not two:
                yield MemoryForm("plain")
            yield MemoryForm(
                "offset",
                offset=16 if far else 5 if two else 24,
                offset1=32 if far else 3 if two else 0,
            )
        elif entry.encoding == "SMEM":
            yield MemoryForm("offset", "none", 32, returns=returns)
            yield MemoryForm("register", "scalar", 0, returns=returns)
            yield MemoryForm("both", "both", 16, returns=returns)
        elif entry.encoding == "MUBUF":
            # Lanes without an offset of their own meet at one address, and their order is not
            # defined.
            for way in (
                ("offen", "idxen", "both")
                if atomic or "STORE" in entry.name
                else ("off", "offen", "idxen", "both")
            ):
                yield MemoryForm(way, way, 16 if atomic else 12, returns=returns)
        elif entry.encoding == "SCRATCH":
            for way in ("vector", "scalar", "both", "none"):
                yield MemoryForm(way, way, 8)
        else:
            if "ADDTID" not in entry.name:
                yield MemoryForm("vector", "vector", returns=returns)
                yield MemoryForm("offset", "vector", 16, returns=returns)
            yield MemoryForm(
                "scalar", "scalar", 8 if entry.encoding == "GLOBAL" else 0, returns=returns
            )


@dataclass(frozen=True)
class MemoryText:
    """One instruction in one form on one GPU, as the assembler reads it."""

    gpu: str
    mnemonic: str
    entry: Entry
    form: MemoryForm
    wave_size: int
    code: str

    @property
    def label(self) -> str:
        """For messages."""
        return f"{self.text} on {self.gpu}, wave of {self.wave_size}"

    @property
    def text(self) -> str:
        """The line for the assembler."""
        operands = getattr(self, f"_{self.entry.encoding.lower()}_operands")()
        return f"{self.mnemonic} {', '.join(operands)}{self._modifiers()}"

    def bits(self, name: str) -> int:
        """The width of an operand."""
        return self.entry.fields[name].bits

    def _register(self, name: str, first: int) -> list[str]:
        return [registers("v", first, self.bits(name))] if name in self.entry.fields else []

    def _ds_operands(self) -> list[str]:
        parts = self._register("vdst", VECTOR_RESULT)
        for name, first in (("addr", ADDRESS), ("data0", DATA), ("data1", DATA2)):
            parts += self._register(name, first)
        return parts

    @property
    def _has_result(self) -> bool:
        return "vdst" in self.entry.fields and (
            "ATOMIC" not in self.entry.name or self.form.returns
        )

    def _flat_operands(self) -> list[str]:
        parts = self._register("vdst", VECTOR_RESULT) if self._has_result else []
        scalar = self.form.way == "scalar"
        if "addr" in self.entry.fields:
            parts.append(registers("v", ADDRESS, 32 if scalar else 64))
        parts += self._register("data", DATA)
        if self.entry.encoding == "GLOBAL":
            parts.append(registers("s", BASE, 64) if scalar else "off")
        return parts

    _global_operands = _flat_operands

    def _scratch_operands(self) -> list[str]:
        parts = self._register("vdst", VECTOR_RESULT)
        parts.append(f"v{ADDRESS}" if self.form.way in ("vector", "both") else "off")
        parts += self._register("data", DATA)
        parts.append(f"s{OFFSET}" if self.form.way in ("scalar", "both") else "off")
        return parts

    def _mubuf_operands(self) -> list[str]:
        address = {"off": "off", "both": registers("v", ADDRESS, 64)}.get(
            self.form.way, f"v{ADDRESS}"
        )
        return [
            *self._register("vdata", VECTOR_RESULT),
            address,
            registers("s", BASE, 128),
            f"s{OFFSET}",
        ]

    def _smem_operands(self) -> list[str]:
        base = registers("s", BASE, 128 if "buffer" in self.mnemonic else 64)
        offset = f"s{OFFSET}" if self.form.way != "none" else hex(self.form.offset)
        return [registers("s", RESULT, self.bits("sdata")), base, offset]

    def _modifiers(self) -> str:
        form, text = self.form, ""
        if self.entry.encoding == "MUBUF" and form.way != "off":
            text += " idxen offen" if form.way == "both" else f" {form.way}"
        if form.offset1:
            text += f" offset0:{form.offset} offset1:{form.offset1}"
        elif form.offset and not (self.entry.encoding == "SMEM" and form.way == "none"):
            text += f" offset:{form.offset}"
        if form.returns:
            new_name = self.gpu in ("gfx942", "gfx950") and self.entry.encoding != "SMEM"
            text += {"rdna4": " th:TH_ATOMIC_RETURN"}.get(
                self.entry.generation, " sc0" if new_name else " glc"
            )
        return text
