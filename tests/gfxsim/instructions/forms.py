# SPDX-License-Identifier: MIT
"""The ways to write a vector instruction: encodings, kinds of operands and modifiers. The assembler
decides which exist.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from pcode import source
from pcode.source import Entry

from instructions.numbers import element, float_format


@dataclass(frozen=True)
class Source:
    """A source operand: a register, or a constant as its text."""

    kind: str = "v"  # "v", "s", "vcc", "exec", "m0", "scc" or "constant"
    text: str = ""  # of a constant
    neg: bool = False
    abs: bool = False
    high: bool = False  # the upper half of a register
    select: str = ""  # SDWA: "BYTE_0" … "WORD_1", "DWORD"
    sext: bool = False


@dataclass(frozen=True)
class Dpp:
    """Where a lane takes its first source from."""

    control: str  # "row_shl", "quad_perm", …
    value: tuple[int, ...] = ()
    row_mask: int = 0xF
    bank_mask: int = 0xF
    bound_ctrl: bool = False
    fetch_inactive: bool = False


@dataclass(frozen=True)
class Packed:
    """Modifiers of VOP3P, a bit for each source."""

    op_sel: int = 0
    op_sel_hi: int = 7
    neg_lo: int = 0
    neg_hi: int = 0


@dataclass(frozen=True)
class Form:
    """One way to write an instruction."""

    label: str
    suffix: str = ""
    sources: tuple[Source, ...] = ()
    high: bool = False  # the result goes to the upper half
    halves: bool = False  # 16-bit registers are written "v0.l" and "v0.h", not with op_sel
    clamp: bool = False
    omod: str = ""
    op_sel: tuple[int, ...] | None = None  # as written, where the pseudocode reads it by itself
    packed: Packed | None = None
    dpp: Dpp | None = None
    sdwa: tuple[str, str] | None = (
        None  # which part of the result's register, and what happens to the rest
    )
    partial: bool = False  # some lanes are off
    few: bool = True  # most lanes are off, to save the tests' time
    mode: int | None = None

    @property
    def turns(self) -> int:
        """How often the form is run, with other operands each time."""
        return 1 if self.few else 2


ONE_OVER_TWO_PI = "1/(2*pi)"  # whose digits depend on the operand's width
INTEGERS = ("0", "1", "64", "-1", "-16", "31")
REALS = ("0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", ONE_OVER_TWO_PI)
LITERALS = ("0x3e9a12b5", "0xc0490fdb", "0x12345678", "0xbff0cafe")

_DPP = {
    "cdna": (
        Dpp("quad_perm", (1, 0, 3, 2)),
        Dpp("row_shl", (3,), bound_ctrl=True),
        Dpp("row_shr", (5,)),
        Dpp("row_ror", (7,), row_mask=0xA),
        Dpp("wave_shl", (1,)),
        Dpp("wave_rol", (1,)),
        Dpp("wave_shr", (1,), bound_ctrl=True),
        Dpp("wave_ror", (1,)),
        Dpp("row_mirror", bank_mask=0x6),
        Dpp("row_half_mirror"),
        Dpp("row_bcast", (15,)),
        Dpp("row_bcast", (31,)),
        Dpp("row_newbcast", (9,)),
    ),
    "rdna": (
        Dpp("quad_perm", (3, 1, 0, 2)),
        Dpp("row_shl", (1,)),
        Dpp("row_shr", (15,), bound_ctrl=True),
        Dpp("row_ror", (4,)),
        Dpp("row_mirror", row_mask=0x5),
        Dpp("row_half_mirror", bank_mask=0x9),
        Dpp("row_share", (11,)),
        Dpp("row_xmask", (6,), fetch_inactive=True),
        Dpp("dpp8", (7, 6, 5, 4, 3, 2, 1, 0)),
        Dpp("dpp8", (1, 1, 0, 2, 6, 4, 7, 3), fetch_inactive=True),
    ),
}

_SDWA = (
    ("DWORD", "UNUSED_PAD", ("BYTE_0", "DWORD")),
    ("BYTE_1", "UNUSED_PRESERVE", ("WORD_1", "BYTE_3")),
    ("BYTE_3", "UNUSED_PAD", ("BYTE_2", "WORD_0")),
    ("WORD_0", "UNUSED_SEXT", ("WORD_1", "WORD_1")),
    ("WORD_1", "UNUSED_PRESERVE", ("BYTE_1", "DWORD")),
    ("BYTE_0", "UNUSED_SEXT", ("DWORD", "BYTE_0")),
)


_Choice = TypeVar("_Choice")


class Chooser:
    """Takes constants in turn, so that a run over all instructions uses each of them."""

    def __init__(self, start: int) -> None:
        self._at = start

    def take(self, choices: tuple[_Choice, ...]) -> _Choice:
        """The next choice."""
        self._at += 1
        return choices[self._at % len(choices)]


def sources_of(entry: Entry) -> list[str]:
    """The names of the source fields in order, without a mask that selects or carries."""
    order = ("src0", "src1", "src2")
    return [name for name in order if name in entry.fields and entry.fields[name].format != "M64"]


def forms(entry: Entry, start: int) -> Iterator[Form]:
    """What to try for an instruction in an encoding; `start` varies constants and controls."""
    chooser = Chooser(start)
    fields = [entry.fields[name] for name in sources_of(entry)]
    plain = tuple(Source() for _ in fields)
    if entry.encoding in ("VOP1", "VOP2", "VOPC"):
        yield from _short(entry, plain, chooser)
    elif entry.encoding in ("VOP3", "VOP3SD"):
        yield from _long(entry, plain, chooser)
    elif entry.encoding == "VOP3P":
        yield from _packed(entry, plain, chooser)


def _with(plain: tuple[Source, ...], number: int, source: Source) -> tuple[Source, ...]:
    return (*plain[:number], source, *plain[number + 1 :])


def _constant(form: str, chooser: Chooser, literal: bool) -> Source:
    if literal:
        return Source("constant", chooser.take(LITERALS))
    choices = REALS + INTEGERS[:3] if float_format(form) else INTEGERS
    return Source("constant", chooser.take(choices))


def _short(entry: Entry, plain: tuple[Source, ...], chooser: Chooser) -> Iterator[Form]:
    yield Form("vector", "_e32", plain, few=False)
    yield Form("some lanes", "_e32", plain, partial=True)
    if not plain:
        return
    first = entry.fields["src0"]
    yield Form("scalar", "_e32", _with(plain, 0, Source("s")))
    # In both halves or in one: LLVM's assembler changed its mind about 0.5 here in 22.
    # test_special.py has the words.
    doubtful = entry.name == "V_PK_FMAC_F16" and entry.generation != "cdna"
    yield Form(
        "constant",
        "_e32",
        _with(plain, 0, _constant("U32" if doubtful else first.format, chooser, False)),
    )
    yield Form("literal", "_e32", _with(plain, 0, _constant(first.format, chooser, True)))
    yield Form("special", "_e32", _with(plain, 0, Source(chooser.take(("vcc", "exec", "m0")))))
    # The disassembler of the code object manager does not know halves in the short compares of
    # gfx12.
    if any(field.bits == 16 for field in entry.fields.values()) and (
        entry.encoding,
        entry.generation,
    ) != ("VOPC", "rdna4"):
        yield Form(
            "upper halves", "_e32", tuple(Source(high=True) for _ in plain), high=True, halves=True
        )
    if entry.generation == "cdna":
        yield from _sdwa(entry, plain, chooser)
        dpp = _DPP["cdna"]
    else:
        dpp = _DPP["rdna"]
    if "REL" not in entry.name:
        yield _dpp_form("_dpp", entry, plain, chooser.take(dpp))


def _dpp_form(suffix: str, entry: Entry, plain: tuple[Source, ...], dpp: Dpp) -> Form:
    if dpp.control == "dpp8" and not dpp.fetch_inactive:
        # What a lane reads from one that is off is not documented for this control.
        return Form("dpp", suffix, plain, dpp=dpp, few=False)
    if entry.encoding != "VOPC" and "_CO_" not in entry.name and "CMP" not in entry.name:
        return Form("dpp", suffix, plain, dpp=dpp, partial=True)
    # What becomes of a disabled lane's bit in a mask is not documented.
    return Form(
        "dpp",
        suffix,
        plain,
        dpp=replace(dpp, row_mask=0xF, bank_mask=0xF, bound_ctrl=dpp.control != "dpp8"),
        few=False,
    )


def _sdwa(entry: Entry, plain: tuple[Source, ...], chooser: Chooser) -> Iterator[Form]:
    part, unused, selects = chooser.take(_SDWA)
    form = entry.fields["src0"].format
    real = float_format(form) is not None and not form.startswith("PK")
    signed = not real and chooser.take((True, False))
    sources = tuple(
        replace(
            source, select=select, sext=signed, neg=real and number == 0, abs=real and number == 1
        )
        for number, (source, select) in enumerate(zip(plain, selects, strict=False))
    )
    result = None if entry.encoding == "VOPC" else (part, unused)
    yield Form("sdwa", "_sdwa", sources, sdwa=result, partial=True)


def _long(entry: Entry, plain: tuple[Source, ...], chooser: Chooser) -> Iterator[Form]:
    suffix = "_e64" if _encodings(entry) & {"VOP1", "VOP2", "VOPC"} else ""
    yield from (
        replace(form, suffix=suffix if form.suffix == "_e64" else form.suffix)
        for form in _long_forms(entry, plain, chooser)
    )


def _encodings(entry: Entry) -> set[str]:
    """All encodings of an instruction; one that is not in AMD's data has the one at hand and a
    short one.
    """
    return set(source.entries(entry.generation).get(entry.name.lower(), {"VOP2": entry}))


def _long_forms(entry: Entry, plain: tuple[Source, ...], chooser: Chooser) -> Iterator[Form]:
    yield Form("vector", "_e64", plain, few=False)
    yield Form("some lanes", "_e64", plain, partial=True)
    names = sources_of(entry)
    for number, name in enumerate(names):
        yield Form(f"scalar {name}", "_e64", _with(plain, number, Source("s")))
    # Operands of several f32 take no constants, and LLVM's assembler never ends over some of them.
    packed = [
        entry.fields[name].format.startswith("PK") and entry.fields[name].bits > 32
        for name in names
    ]
    able = tuple(number for number, wide in enumerate(packed) if not wide)
    if able:
        number = chooser.take(able)
        form = entry.fields[names[number]].format
        yield Form("constant", "_e64", _with(plain, number, _constant(form, chooser, False)))
        yield Form("literal", "_e64", _with(plain, number, _constant(form, chooser, True)))
    # What negation does to two numbers in one operand of this encoding is not documented.
    real = [
        float_format(form) is not None and not form.startswith("PK")
        for form in (entry.fields[name].format for name in names)
    ]
    if any(real):
        yield Form(
            "negated", "_e64", tuple(replace(s, neg=r) for s, r in zip(plain, real, strict=False))
        )
    if any(real) and entry.encoding != "VOP3SD":
        yield Form(
            "absolute",
            "_e64",
            tuple(
                replace(s, abs=r, neg=r and n % 2 == 1)
                for n, (s, r) in enumerate(zip(plain, real, strict=False))
            ),
        )
    if "OPSEL" in entry.code:
        yield from _selections(entry, plain)
        return
    result = entry.fields.get("vdst")
    if result and float_format(result.format) and result.place == "VGPR":
        yield Form("clamp", "_e64", plain, clamp=True)
        yield Form(
            "scaled", "_e64", plain, omod=chooser.take(("mul:2", "mul:4", "div:2")), mode=0x100
        )
        yield Form("scaled in vain", "_e64", plain, omod="mul:2")
    if (
        any(field.bits == 16 for field in entry.fields.values())
        and result
        and result.place == "VGPR"
    ):
        for halves in (False, True):
            odd = tuple(replace(s, high=n % 2 == 0) for n, s in enumerate(plain))
            yield Form("halves" if halves else "op_sel", "_e64", odd, high=True, halves=halves)
            yield Form(
                "other halves" if halves else "other op_sel",
                "_e64",
                tuple(replace(s, high=not s.high) for s in odd),
                halves=halves,
            )
    if entry.generation != "cdna" and names and "REL" not in entry.name:
        yield _dpp_form("_e64_dpp", entry, plain, chooser.take(_DPP["rdna"]))


def _selections(entry: Entry, plain: tuple[Source, ...]) -> Iterator[Form]:
    """Bytes and halves that op_sel picks in registers of small numbers."""
    read = {
        int(bit)
        for field in re.findall(r"OPSEL\[([\d : ]+)\]", entry.code)
        for bit in field.split(" : ")
    }
    # The last place is the result's, which is bit 3.
    places = [0, 1, 2, 3] if 2 in read else [*range(len(plain)), 3]
    for bits in itertools.product(*((0, 1) if place in read else (0,) for place in places)):
        if any(bits):
            yield Form("op_sel", "_e64", plain, op_sel=bits)


def _packed(entry: Entry, plain: tuple[Source, ...], chooser: Chooser) -> Iterator[Form]:
    yield Form("vector", "", plain, packed=Packed(), few=False)
    yield Form("some lanes", "", plain, packed=Packed(), partial=True)
    for number in range(len(plain)):
        yield Form(f"scalar {number}", "", _with(plain, number, Source("s")), packed=Packed())
    yield Form("op_sel", "", plain, packed=Packed(op_sel=5, op_sel_hi=2))
    yield Form("other op_sel", "", plain, packed=Packed(op_sel=6, op_sel_hi=5))
    yield Form("low halves", "", plain, packed=Packed(op_sel=0, op_sel_hi=0))
    if float_format(entry.fields["src0"].format) or "MIX" in entry.name:
        # The upper negation of a source that is one number is not defined.
        single = 4 if entry.fields.get("src2") and "DOT" in entry.name else 0
        yield Form("negated", "", plain, packed=Packed(neg_lo=3, neg_hi=5 & ~single))
        yield Form(
            "negated op_sel", "", plain, packed=Packed(op_sel=1, op_sel_hi=4, neg_lo=4, neg_hi=2)
        )
    number = chooser.take(tuple(range(len(plain))))
    form = element(entry.fields["src0"].format, 32)[0]
    yield Form(
        "constant", "", _with(plain, number, _constant(form, chooser, False)), packed=Packed()
    )
    result = entry.fields.get("vdst")
    if result and float_format(result.format):
        yield Form("clamp", "", plain, packed=Packed(), clamp=True)
