# SPDX-License-Identifier: MIT
"""How a vector instruction is written."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

from pcode.source import Entry, Field
from probe import EXEC, M0, VCC

from instructions import lanes, numbers
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

SPECIAL = {"vcc": VCC, "exec": EXEC, "m0": M0}
_LITERAL = 0x3FC01234


@dataclass(frozen=True)
class VectorText:
    """One instruction in one form on one GPU: what the assembler reads, and which registers it
    names.
    """

    gpu: str
    mnemonic: str
    entry: Entry
    form: Form
    wave_size: int
    code: str

    @cached_property
    def sources(self) -> list[Field]:
        """The source operands that are numbers."""
        return [self.entry.fields[name] for name in sources_of(self.entry)]

    @property
    def label(self) -> str:
        """For messages."""
        return f"{self.text} on {self.gpu}, wave of {self.wave_size}"

    @cached_property
    def text(self) -> str:
        """The line for the assembler."""
        parts = [*self._results(), *self._sources()]
        words = [f"{self.mnemonic}{self.form.suffix} {', '.join(parts)}", *self._modifiers()]
        return " ".join(words)

    @cached_property
    def is_compare(self) -> bool:
        """Whether the result is a bit for each lane."""
        return self.mnemonic.startswith("v_cmp")

    @property
    def _short(self) -> bool:
        return self.entry.encoding in ("VOP1", "VOP2", "VOPC")

    def _mask_text(self, register: int) -> str:
        if register in (VCC, EXEC):
            return ("vcc" if register == VCC else "exec") + ("" if self.wave_size == 64 else "_lo")
        return registers("s", register, self.wave_size)

    @property
    def carry_out(self) -> int:
        """The register of the mask that is written."""
        if "sdst" in self.entry.fields:
            return SCALAR_CARRY
        if self.mnemonic.startswith("v_cmpx") and self.entry.encoding == "VOP3":
            # The disassembler takes any other destination for an undefined encoding.
            return EXEC
        if (self.is_compare and self.entry.encoding == "VOP3") or (
            self.form.suffix == "_sdwa" and self.entry.encoding == "VOPC"
        ):
            return SCALAR_CARRY
        return VCC

    def _results(self) -> list[str]:
        found = []
        result = self.entry.fields.get("vdst")
        if self.is_compare:
            only_exec = self.mnemonic.startswith("v_cmpx") and self.entry.generation != "cdna"
            return [] if only_exec else [self._mask_text(self.carry_out)]
        if result:
            if self.has_scalar_result:
                found.append(registers("s", SCALAR_RESULT, result.bits))
            else:
                found.append(
                    registers("v", VECTOR_RESULT, result.bits) + self._half(result, self.form.high)
                )
        if "sdst" in self.entry.fields or (self._short and "_co_" in self.mnemonic):
            found.append(self._mask_text(self.carry_out))
        return found

    @cached_property
    def has_scalar_result(self) -> bool:
        """Whether the result goes to a scalar register."""
        result = self.entry.fields.get("vdst")
        return (
            result is not None and result.place.startswith(("SREG", "SDST")) and not self.is_compare
        )

    def _half(self, field: Field, high: bool) -> str:
        if not self.form.halves or field.bits != 16:
            return ""
        return ".h" if high else ".l"

    def _source_text(self, number: int, field: Field, source: Source) -> str:
        if source.kind == "constant":
            width = numbers.element(field.format, field.bits)[1]
            text = lanes.constant_text(source.text, width if width in (16, 64) else 32)
        elif source.kind in SPECIAL:
            text = source.kind if field.bits > 32 or source.kind == "m0" else f"{source.kind}_lo"
        elif source.kind == "s" or field.place.startswith(("SSRC", "SREG")):
            text = registers("s", SCALAR_SOURCES[number], field.bits)
        else:
            text = registers("v", VECTOR_SOURCES[number], field.bits) + self._half(
                field, source.high
            )
        if source.sext:
            text = f"sext({text})"
        if source.abs:
            text = f"|{text}|"
        return f"-{text}" if source.neg else text

    def _sources(self) -> list[str]:
        found = [
            self._source_text(number, field, source)
            for number, (field, source) in enumerate(
                zip(self.sources, self.form.sources, strict=False)
            )
        ]
        if "amk_" in self.mnemonic or "admk_" in self.mnemonic:
            found.insert(1, hex(self.literal))
        elif "aak_" in self.mnemonic or "adak_" in self.mnemonic:
            found.append(hex(self.literal))
        if self.carry_in is not None:
            found.append(self._mask_text(self.carry_in))
        return found

    @property
    def literal(self) -> int:
        """The constant of v_fmamk and its like."""
        return _LITERAL & 0xFFFF if self.mnemonic.endswith("f16") else _LITERAL

    @cached_property
    def carry_in(self) -> int | None:
        """The register of the mask that selects or carries in."""
        fields = self.entry.fields
        if any(field.format == "M64" for name, field in fields.items() if name == "src2"):
            return SCALAR_MASK
        reads_vcc = self._short and (
            "VCC.u64[laneId].u" in self.code or "VCC.u64[laneId] ?" in self.code
        )
        return VCC if reads_vcc else None

    def _modifiers(self) -> list[str]:
        form = self.form
        found = []
        if form.packed:
            count = len(self.sources)
            for name, bits, usual in (
                ("op_sel", form.packed.op_sel, 0),
                ("op_sel_hi", form.packed.op_sel_hi, 7),
                ("neg_lo", form.packed.neg_lo, 0),
                ("neg_hi", form.packed.neg_hi, 0),
            ):
                mask = (1 << count) - 1
                if bits & mask != usual & mask or (name == "op_sel_hi" and "mix" in self.mnemonic):
                    found.append(f"{name}:[{','.join(str(bits >> n & 1) for n in range(count))}]")
        elif form.op_sel:
            found.append(f"op_sel:[{','.join(map(str, form.op_sel))}]")
        elif not form.halves and (form.high or any(source.high for source in form.sources)):
            halves = [int(source.high) for source in form.sources] + [int(form.high)]
            found.append(f"op_sel:[{','.join(map(str, halves))}]")
        if "bitop3" in self.mnemonic:
            found.append(f"bitop3:{self.truth_table:#x}")
        if form.clamp:
            found.append("clamp")
        if form.omod:
            found.append(form.omod)
        if form.dpp:
            found.append(lanes.dpp_text(form.dpp))
        if form.suffix == "_sdwa":
            if form.sdwa:
                found.append(f"dst_sel:{form.sdwa[0]} dst_unused:{form.sdwa[1]}")
            found += [
                f"src{number}_sel:{source.select}" for number, source in enumerate(form.sources)
            ]
        return found

    @cached_property
    def truth_table(self) -> int:
        """Of v_bitop3."""
        return random.Random(self.form.label).randrange(256)
