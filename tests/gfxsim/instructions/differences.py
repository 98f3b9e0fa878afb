# SPDX-License-Identifier: MIT
"""Where the pseudocode is not the hardware, and what it leaves open:
one entry and one reason each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pcode import source
from pcode.source import Entry


@dataclass(frozen=True)
class Correction:
    """Code in the pseudocode's language that replaces AMD's."""

    code: str
    reason: str


def is_fnuz(gpu: str) -> bool:
    """Whether fp8 and bf8 have no infinities and no negative zero."""
    return gpu in ("gfx940", "gfx941", "gfx942")


def runs_once(code: str) -> bool:
    """Whether the code names its lanes by itself, so that it runs once for the wave."""
    return "VGPR[" in code and "laneId" not in code and "laneID" not in code


# Tested elsewhere, with programs of several instructions.
_ELSEWHERE = re.compile(
    r"s_(getpc_b64|setpc_b64|swappc_b64|call_b64|c?branch.*|getreg_b32|setreg_b32|setreg_imm32_b32|rfe_b64|version|set_gpr_idx_on|setvskip)"
)


def is_elsewhere(mnemonic: str) -> bool:
    """Whether an instruction is tested in a test of its own."""
    return _ELSEWHERE.fullmatch(mnemonic) is not None


def clears_upper(entry: Entry) -> bool:
    """Whether a 16-bit result clears the rest of its register.

    It does so in the instructions that gfx9 took over from gfx8, which are those with a short
    encoding. The compiler relies on it.
    """
    short = source.entries("cdna").get(entry.name.lower(), {entry.encoding: entry})
    return entry.generation == "cdna" and ("VOP1" in short or "VOP2" in short)


_TURNS = "the argument is in turns and is not rounded after a product with 2 pi"
_NO_DENORMALS = "the unit takes denormal inputs as zero and makes no denormal results"
_ROUND = "the sum with one half rounds, and loses the sign of a zero"
_NEAREST = "the sum with one half is not rounded"
_FRACTION = "a fraction is always less than one"
_EXPONENT = "a denormal has the exponent of its first bit, and zero has 0"
_DIV_SCALE = (
    "the result is the first source unless it is scaled; VCC has a bit for each lane; quotients "
    "are of the operands' type and count as denormal when they vanish; a denominator whose "
    "reciprocal is denormal is made smaller, not infinite"
)
_HALF_WAVES = "each half of a wave of 64 permutes its own lanes"
_DIV_FIXUP = (
    "the test for an exponent of all ones is for the quotient; the denominator cannot have it there"
)
_LAST_HALF = "else\nD0.f16 = sign_out ? -abs(S0.f16)"
_LAST_TMP = "else\ntmp = sign_out ? -abs(S0.f16)"
_INFINITE_HALF = "sign_out ? -INF.f16 : +INF.f16"
_STOCHASTIC = (
    "random bits are added to those that are dropped and carry into those that are kept; "
    "nothing is rounded after that"
)
_BYTE = "whether the number is rounded or truncated is not documented, and the simulator says so"
_DIV_FMAS = (
    "the scale is the one that v_div_scale took, "
    "which is by 64 (128) powers of two in either direction"
)


def _rounded(kind: str) -> dict[str, Correction]:
    most = {"f16": "16'F(0x3bff)", "f32": "32'F(0x3f7fffff)", "f64": "64'F(0x3fefffffffffffffLL)"}[
        kind
    ]
    one = {"f16": "16'1.0", "f32": "1.0F", "f64": "1.0"}[kind]
    fraction = (
        f"D0.{kind} = S0.{kind} + -floor(S0.{kind}); "
        f"if D0.{kind} >= {one} then D0.{kind} = {most} endif"
    )
    exponent = {"f16": ("i16", "16'I"), "f32": ("i32", "32'I"), "f64": ("i32", "32'I")}[kind]
    return {
        f"v_rndne_{kind}": Correction(f"D0.{kind} = rint(S0.{kind})", _ROUND),
        f"v_fract_{kind}": Correction(fraction, _FRACTION),
        f"v_frexp_exp_{exponent[0]}_{kind}": Correction(
            f"D0.{exponent[0]} = {exponent[1]}(frexp_exponent(S0.{kind}))", _EXPONENT
        ),
    }


def _division(kind: str, power: int, near: int, tiny: int) -> dict[str, Correction]:
    one, bias = ("1.0F", 127) if kind == "f32" else ("1.0", 1023)
    a, b, c, d = (f"{name}.{kind}" for name in ("S0", "S1", "S2", "D0"))
    scale = f"""{d} = {a};
VCC.u64[laneId] = 1'0U;
if (({c} == 0.0) || ({b} == 0.0)) then
{d} = NAN.{kind}
elsif exponent({c}) - exponent({b}) >= {near} then
VCC.u64[laneId] = 1'1U;
if {a} == {b} then {d} = ldexp({a}, {power}) endif
elsif {b} == DENORM.{kind} then
{d} = ldexp({a}, {power})
elsif ((exponent({one} / {b}) == 0) && (exponent({c} / {b}) == 0)) then
VCC.u64[laneId] = 1'1U;
if {a} == {b} then {d} = ldexp({a}, -{power}) endif
elsif exponent({one} / {b}) == 0 then
{d} = ldexp({a}, -{power})
elsif exponent({c} / {b}) == 0 then
VCC.u64[laneId] = 1'1U;
if {a} == {c} then {d} = ldexp({a}, {power}) endif
elsif exponent({c}) <= {tiny} then
{d} = ldexp({a}, {power})
endif"""
    fmas = f"""if !VCC.u64[laneId] then
{d} = fma({a}, {b}, {c})
elsif exponent({c}) > {bias} then
{d} = ldexp(fma({a}, {b}, {c}), {power})
else
{d} = fma_ldexp({a}, {b}, {c}, -{power})
endif"""
    return {
        f"v_div_scale_{kind}": Correction(scale, _DIV_SCALE),
        f"v_div_fmas_{kind}": Correction(fmas, _DIV_FMAS),
    }


def _fixup(name: str, before: str, after: str) -> dict[str, Correction]:
    """AMD's code with one test changed."""
    return {name: Correction(_changed(name, before, after), _DIV_FIXUP)}


def _changed(name: str, before: str, after: str) -> str:
    code = next(entry.code for entry in source.entries("cdna")[name].values())
    assert before in code, f"the pseudocode of {name} has changed"
    return code.replace(before, after, 1)


def _stochastic(kind: str) -> Correction:
    result = f"VGPR[laneId][VDST.u32][dstbyte + 7 : dstbyte].{kind}"
    return Correction(
        f"dstbyte = OPSEL[3 : 2].i32 * 8; {result} = f32_to_{kind}_sr(S0.f32, S1.u32)", _STOCHASTIC
    )


def _half_waves(name: str) -> Correction:
    """Lanes modulo 32 within the half of the wave in which they are."""
    code = source.entries("rdna3")[name]["DS"].code
    return Correction(code.replace("/ 4 % 32;", "/ 4 % 32 + (i & 32);"), _HALF_WAVES)


CORRECTIONS: dict[str, Correction] = {
    "v_cvt_sr_fp8_f32": _stochastic("fp8"),
    "v_cvt_sr_bf8_f32": _stochastic("bf8"),
    "v_cvt_pk_u8_f32": Correction(
        "bit = S1.u32[1 : 0].u32 * 8U; D0.u32 = S2.u32; D0.u32[bit + 7U : bit] = "
        "32'U(f32_to_u8(rint(S0.f32)))",
        _BYTE,
    ),
    "v_cvt_pkaccum_u8_f32": Correction(
        "bit = S1.u32[1 : 0].u32 * 8U; D0.u32[bit + 7U : bit] = 32'U(f32_to_u8(rint(S0.f32)))",
        _BYTE,
    ),
    **_fixup("v_div_fixup_f32", "exponent(S1.f32) == 255", "exponent(S0.f32) == 255"),
    **_fixup("v_div_fixup_f64", "exponent(S1.f64) == 2047", "exponent(S0.f64) == 2047"),
    **_fixup(
        "v_div_fixup_f16",
        _LAST_HALF,
        f"elsif exponent(S0.f16) == 31 then\nD0.f16 = {_INFINITE_HALF}\n{_LAST_HALF}",
    ),
    **_fixup(
        "v_div_fixup_legacy_f16",
        _LAST_TMP,
        f"elsif exponent(S0.f16) == 31 then\ntmp = {_INFINITE_HALF}\n{_LAST_TMP}",
    ),
    **{
        f"v_cvt_scalef32_f16_{kind}": Correction(
            _changed(
                f"v_cvt_scalef32_f16_{kind}",
                "D0 = tmp.b32",
                "dstword = OPSEL[3].i32 * 16; VGPR[laneId][VDST.u32][dstword + 15 : "
                "dstword].f16 = tmp",
            ),
            "the result is a half of the register, as AMD's remark says",
        )
        for kind in ("fp8", "bf8")
    },
    "s_rndne_f32": Correction("D0.f32 = rint(S0.f32)", _ROUND),
    "s_rndne_f16": Correction("D0.f16 = rint(S0.f16)", _ROUND),
    **_rounded("f16"),
    **_rounded("f32"),
    **_rounded("f64"),
    **_division("f32", 64, 96, 23),
    **_division("f64", 128, 768, 53),
    "v_sin_f32": Correction("D0.f32 = sin_turns(S0.f32)", _TURNS),
    "v_cos_f32": Correction("D0.f32 = cos_turns(S0.f32)", _TURNS),
    "v_sin_f16": Correction("D0.f16 = sin_turns(S0.f16)", _TURNS),
    "v_cos_f16": Correction("D0.f16 = cos_turns(S0.f16)", _TURNS),
    "v_exp_f32": Correction("D0.f32 = flush(pow(2.0F, flush(S0.f32)))", _NO_DENORMALS),
    "v_log_f32": Correction("D0.f32 = log2(flush(S0.f32))", _NO_DENORMALS),
    "v_rcp_f32": Correction("D0.f32 = flush(1.0F / flush(S0.f32))", _NO_DENORMALS),
    "v_rcp_iflag_f32": Correction("D0.f32 = flush(1.0F / flush(S0.f32))", _NO_DENORMALS),
    "v_rsq_f32": Correction("D0.f32 = 1.0F / sqrt(flush(S0.f32))", _NO_DENORMALS),
    "v_sqrt_f32": Correction("D0.f32 = sqrt(flush(S0.f32))", _NO_DENORMALS),
    "v_s_exp_f32": Correction("D0.f32 = flush(pow(2.0F, flush(S0.f32)))", _NO_DENORMALS),
    "v_s_log_f32": Correction("D0.f32 = log2(flush(S0.f32))", _NO_DENORMALS),
    "v_s_rcp_f32": Correction("D0.f32 = flush(1.0F / flush(S0.f32))", _NO_DENORMALS),
    "v_s_rsq_f32": Correction("D0.f32 = 1.0F / sqrt(flush(S0.f32))", _NO_DENORMALS),
    "v_s_sqrt_f32": Correction("D0.f32 = sqrt(flush(S0.f32))", _NO_DENORMALS),
    "v_cvt_rpi_i32_f32": Correction("D0.i32 = f64_to_i32(floor(64'F(S0.f32) + 0.5))", _NEAREST),
    "v_cvt_nearest_i32_f32": Correction("D0.i32 = f64_to_i32(floor(64'F(S0.f32) + 0.5))", _NEAREST),
    "v_cvt_off_f32_i4": Correction(
        "D0.f32 = 32'F(32'I(signext(S0[3 : 0].i4))) * 0.0625F",
        "AMD's text declares a table and does not give it",
    ),
    "v_trig_preop_f64": Correction(
        """shift = 32'I(S1[4 : 0].u32) * 53;
if exponent(S0.f64) > 1077 then shift += exponent(S0.f64) - 1077 endif;
scale = -53 - shift;
if exponent(S0.f64) >= 1968 then scale += 128 endif;
D0.f64 = ldexp(two_over_pi(shift), scale)""",
        "AMD's text keeps the lowest 53 bits of the shifted constant where the next 53 behind the "
        "point are meant",
    ),
}


def _flushing_sum(name: str) -> Correction:
    code = source.entries("cdna")[name]
    text = next(iter(code.values())).code
    address = "ADDR" if "MEM[ADDR]" in text else "addr"
    changed = text.replace(
        f"MEM[{address}].f32 += DATA.f32",
        f"MEM[{address}].f32 = flush(flush(tmp.f32) + flush(DATA.f32))",
    )
    return Correction(changed, "sums of f32 in memory have no denormals on this GPU")


_MEMORY_FIRST = (
    "which NaN of two a sum in memory keeps is not documented; the texts differ in the "
    "order, and the simulator takes memory's first"
)


def _sums_of_pairs() -> dict[tuple[str, str], Correction]:
    found = {}
    for name, forms in source.entries("rdna4").items():
        code = next(iter(forms.values())).code
        changed = re.sub(r"(src\[(\d+ : \d+)\]\.b?f16) \+ (tmp\[\2\]\.b?f16)", r"\3 + \1", code)
        if changed != code:
            found["rdna4", name] = Correction(changed, _MEMORY_FIRST)
    return found


# Where only the text of one generation, or for one GPU, is wrong.
SPECIAL_CORRECTIONS: dict[tuple[str, str], Correction] = {
    **_sums_of_pairs(),
    **{("rdna3", name): _half_waves(name) for name in ("ds_permute_b32", "ds_bpermute_b32")},
    **{
        (gpu, name): _flushing_sum(name)
        for gpu in ("gfx908", "gfx90a")
        for name in ("buffer_atomic_add_f32", "global_atomic_add_f32")
    },
}


def code_of(mnemonic: str, entry: Entry, gpu: str = "") -> str:
    """The code to compare with."""
    special = SPECIAL_CORRECTIONS.get((gpu, mnemonic)) or SPECIAL_CORRECTIONS.get(
        (entry.generation, mnemonic)
    )
    found = special or CORRECTIONS.get(mnemonic)
    return found.code if found else entry.code


# Operands whose format AMD's table gives as that of the result.
_FORMATS = {("v_ldexp_f16", "src1"): "I16"}

# Instructions whose lanes read others, so that the pseudocode holds when all are on.
NEED_ALL_LANES = (
    "v_permlane16_b32",
    "v_permlanex16_b32",
    "v_permlane16_var_b32",
    "v_permlanex16_var_b32",
    "v_permlane16_swap_b32",
    "v_permlane32_swap_b32",
    "v_permlane64_b32",
)


def fields_of(mnemonic: str, entry: Entry) -> Entry:
    """The entry with its operands' formats put right."""
    fields = {
        name: replace(field, format=_FORMATS.get((mnemonic, name), field.format))
        for name, field in entry.fields.items()
    }
    return replace(entry, fields=fields)


# Results that may differ in the last place, because the hardware's approximation is not documented.
_LAST_PLACE = re.compile(r"v_(s_)?(exp|log|rcp|rcp_iflag|rsq|sqrt|sin|cos)(_legacy)?_(f16|f32|f64)")


# Instructions that the simulator calls inexact although the tests demand every bit, with what AMD
# leaves open.
NOT_DOCUMENTED = {
    r"v_cvt_pk(accum)?_u8_f32": _BYTE,
    r"v_cvt_(scalef32_)?sr_.*": (
        "which of the random bits are added is documented for results of 8 bits only"
    ),
    r"v_cvt_scalef32_.*": "what becomes of numbers that are too large is not documented",
    r"v_(dual_)?dot.*": (
        "the order of the additions is the text's, and no word is said of their rounding"
    ),
}


def tolerance(mnemonic: str) -> int:
    """By how many units in the last place a result may be off."""
    return 1 if _LAST_PLACE.fullmatch(mnemonic) else 0
