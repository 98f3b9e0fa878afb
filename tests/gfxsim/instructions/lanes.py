# SPDX-License-Identifier: MIT
"""How operands reach the lanes of a vector instruction: DPP, SDWA, halves and modifiers, in the
tests' own words.
"""

from __future__ import annotations

import math

from pcode import floats
from pcode.floats import Format, Round

from instructions.forms import ONE_OVER_TWO_PI, Dpp, Form, Source


def source_lane(dpp: Dpp, lane: int, wave_size: int) -> int | None:
    """The lane from which `lane` reads, or None if there is none."""
    row, place = lane // 16 * 16, lane % 16
    amount = dpp.value[0] if dpp.value else 0
    match dpp.control:
        case "quad_perm":
            return lane // 4 * 4 + dpp.value[lane % 4]
        case "dpp8":
            return lane // 8 * 8 + dpp.value[lane % 8]
        case "row_shl":
            return lane + amount if place + amount < 16 else None
        case "row_shr":
            return lane - amount if place >= amount else None
        case "row_ror":
            return row + (place - amount) % 16
        case "wave_shl":
            return lane + 1 if lane + 1 < wave_size else None
        case "wave_shr":
            return lane - 1 if lane else None
        case "wave_rol":
            return (lane + 1) % wave_size
        case "wave_ror":
            return (lane - 1) % wave_size
        case "row_mirror":
            return row + 15 - place
        case "row_half_mirror":
            return lane // 8 * 8 + 7 - lane % 8
        case "row_bcast":
            if amount == 15:
                return row - 1 if row else None
            return 31 if lane >= 32 else None
        case "row_newbcast" | "row_share":
            return row + amount
        case "row_xmask":
            return row + (place ^ amount)
    raise ValueError(f"the tests do not know {dpp.control}")


def dpp_source(dpp: Dpp, lane: int, wave_size: int, exec_mask: int) -> tuple[int | None, bool]:
    """The lane to read, or None for zero, and whether the lane writes its result."""
    enabled = bool(dpp.row_mask >> lane // 16 & 1 and dpp.bank_mask >> lane % 16 // 4 & 1)
    origin = source_lane(dpp, lane, wave_size)
    if origin is not None and (dpp.fetch_inactive or exec_mask >> origin & 1):
        return origin, enabled
    return None, enabled and dpp.bound_ctrl


def dpp_text(dpp: Dpp) -> str:
    """How the assembler wants it."""
    if dpp.control in ("quad_perm", "dpp8"):
        text = f"{dpp.control}:[{','.join(map(str, dpp.value))}]"
    else:
        text = dpp.control + (f":{dpp.value[0]}" if dpp.value else "")
    if dpp.control != "dpp8":
        text += f" row_mask:{dpp.row_mask:#x} bank_mask:{dpp.bank_mask:#x}"
        text += " bound_ctrl:1" if dpp.bound_ctrl else ""
    return text + (" fi:1" if dpp.fetch_inactive else "")


_PARTS = {
    "BYTE_0": (0, 8),
    "BYTE_1": (8, 8),
    "BYTE_2": (16, 8),
    "BYTE_3": (24, 8),
    "WORD_0": (0, 16),
    "WORD_1": (16, 16),
}


def sdwa_select(bits: int, source: Source) -> int:
    """The part of a register that an SDWA operand names."""
    if source.select in ("", "DWORD"):
        return bits
    low, width = _PARTS[source.select]
    part = bits >> low & ((1 << width) - 1)
    if source.sext and part >> (width - 1):
        part |= 0xFFFFFFFF << width & 0xFFFFFFFF
    return part


def sdwa_merge(before: int, result: int, written: tuple[str, str]) -> int:
    """The register after an SDWA instruction wrote a part of it."""
    part, unused = written
    if part == "DWORD":
        return result
    low, width = _PARTS[part]
    mask = (1 << width) - 1
    placed = (result & mask) << low
    if unused == "UNUSED_PRESERVE":
        return before & ~(mask << low) | placed
    if unused == "UNUSED_SEXT" and result >> (width - 1) & 1:
        return placed | 0xFFFFFFFF << (low + width) & 0xFFFFFFFF
    return placed


def modify(bits: int, source: Source, width: int) -> int:
    """abs, then neg, of a floating-point operand."""
    sign = 1 << (width - 1)
    if source.abs:
        bits &= ~sign
    return bits ^ sign if source.neg else bits


def flush(bits: int, form: Format, mode: int, results: bool) -> int:
    """Zero for a denormal input or result, unless the mode keeps it."""
    keep = mode >> ((4 if form.width == 32 else 6) + results) & 1
    return bits if keep or bits & form.infinity else bits & form.sign


def output(bits: int, form: Format, written: Form, mode: int, has_ieee: bool) -> int:
    """omod and clamp. Scaling works only where denormal results are flushed
    and IEEE mode is off.
    """
    keep_denormals = mode >> (5 if form.width == 32 else 7) & 1
    factor = {"mul:2": 1, "mul:4": 2, "div:2": -1}.get(written.omod)
    if factor and not keep_denormals and not (has_ieee and mode >> 9 & 1) and not form.is_nan(bits):
        bits = floats.scale(form, bits, factor, Round.NEAREST)
        if not bits & form.infinity:
            bits = 0
    if written.clamp:
        number = floats.value(form, bits)
        if math.isnan(number):
            return 0
        return 0 if number <= 0 else floats.from_float(form, min(number, 1.0))
    return bits


def constant_text(text: str, bits: int) -> str:
    """How the assembler wants a constant."""
    if text != ONE_OVER_TWO_PI:
        return text
    return {16: "0.1592", 32: "0.15915494", 64: "0.15915494309189532"}[bits]


def constant_bits(text: str, part: str, bits: int) -> int:
    """What an operand of `bits` bits (16, 32 or 64), whose numbers have the format `part`, reads
    from a constant.
    """
    if text.startswith("0x"):
        literal = int(text, 16)
        if bits == 64:
            if part == "F64":
                return literal << 32
            return literal | (0xFFFFFFFF00000000 if part.startswith("I") and literal >> 31 else 0)
        return literal & ((1 << bits) - 1)
    if "." in text or text == ONE_OVER_TWO_PI:
        form = {16: floats.F16, 32: floats.F32, 64: floats.F64}[bits]
        form = floats.BF16 if part == "BF16" else form
        return floats.from_float(
            form, 0.15915494309189532 if text == ONE_OVER_TWO_PI else float(text)
        )
    return int(text) & ((1 << bits) - 1)


def select_code(source: Source) -> int:
    """The number that stands for an SDWA selection in the instruction."""
    codes = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
    return codes.index(source.select) if source.select else 0
