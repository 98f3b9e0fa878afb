# SPDX-License-Identifier: MIT
"""Where the pseudocode is not the hardware, and what it leaves open: one entry and one reason each."""

from __future__ import annotations

import re
from dataclasses import dataclass


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


# gfx9 clears the upper half of a register that gets a 16-bit result from these (as the compiler relies on).
_CLEARS_UPPER = re.compile(
    r"v_(cvt_f16_(f32|u16|i16)|(rcp|rsq|sqrt|log|exp|sin|cos|floor|ceil|trunc|rndne|fract|frexp_mant)_f16|frexp_exp_i16_f16|ldexp_f16"
    r"|(lshlrev|lshrrev)_b16|ashrrev_i16|(add|sub|subrev)_(u16|f16)|mul_lo_u16|mul_f16|(max|min)_(f16|u16|i16)"
    r"|mad_(f16|u16|i16)|fma_f16|div_fixup_f16)"
)


def clears_upper(generation: str, mnemonic: str) -> bool:
    """Whether a 16-bit result clears the rest of its register."""
    return generation == "cdna" and _CLEARS_UPPER.fullmatch(mnemonic) is not None


CORRECTIONS: dict[str, Correction] = {
    "v_sin_f32": Correction("D0.f32 = sin_turns(S0.f32)", "the argument is in turns and is not rounded after a product with 2 pi"),
    "v_cos_f32": Correction("D0.f32 = cos_turns(S0.f32)", "the argument is in turns and is not rounded after a product with 2 pi"),
    "v_sin_f16": Correction("D0.f16 = sin_turns(S0.f16)", "the argument is in turns and is not rounded after a product with 2 pi"),
    "v_cos_f16": Correction("D0.f16 = cos_turns(S0.f16)", "the argument is in turns and is not rounded after a product with 2 pi"),
}


def code_of(mnemonic: str, code: str) -> str:
    """The code to compare with."""
    found = CORRECTIONS.get(mnemonic)
    return found.code if found else code


# Results that may differ in the last place, because the hardware's approximation is not documented.
_LAST_PLACE = re.compile(r"v_(s_)?(exp|log|rcp|rcp_iflag|rsq|sqrt|sin|cos)_(f16|f32|f64)")


def tolerance(mnemonic: str) -> int:
    """By how many units in the last place a result may be off."""
    return 1 if _LAST_PLACE.fullmatch(mnemonic) else 0
