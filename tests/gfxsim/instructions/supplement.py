# SPDX-License-Identifier: MIT
"""Instructions of which AMD's data has no text, because they are of an older GPU or have another
name.
"""

from __future__ import annotations

from dataclasses import replace

from pcode import source
from pcode.source import Entry


def _multiply_add(a: str, b: str, c: str) -> str:
    """The older unit rounds the product before it adds, and has no denormals."""
    return f"D0.f32 = flush(flush(flush({a}.f32) * flush({b}.f32)) + flush({c}.f32))"


# Of gfx908 and gfx90a: which instruction has the same operands, and what is computed.
_OLDER = {
    "v_mad_f32": ("v_fma_f32", _multiply_add("S0", "S1", "S2")),
    "v_mad_legacy_f32": (
        "v_fma_f32",
        "if ((flush(S0.f32) == 0.0F) || (flush(S1.f32) == 0.0F)) then D0.f32 = flush(S2.f32) + 0.0F"
        f" else {_multiply_add('S0', 'S1', 'S2')} endif",
    ),
    "v_mac_f32": ("v_fmac_f32", _multiply_add("S0", "S1", "D0")),
    "v_madmk_f32": ("v_fmamk_f32", _multiply_add("S0", "SIMM32", "S1")),
    "v_madak_f32": ("v_fmaak_f32", _multiply_add("S0", "S1", "SIMM32")),
    "v_exp_legacy_f32": ("v_exp_f32", "D0.f32 = flush(pow(2.0F, flush(S0.f32)))"),
    "v_log_legacy_f32": ("v_log_f32", "D0.f32 = log2(flush(S0.f32))"),
}


def entries(mnemonic: str) -> list[Entry]:
    """Entries for an instruction that AMD's data leaves out."""
    if mnemonic not in _OLDER:
        return []
    like, code = _OLDER[mnemonic]
    return [
        replace(entry, name=mnemonic.upper(), code=code)
        for entry in source.entries("cdna")[like].values()
    ]
