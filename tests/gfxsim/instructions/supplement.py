# SPDX-License-Identifier: MIT
"""Instructions of which AMD's data has no text, because they are of an older GPU or have another name."""

from __future__ import annotations

from dataclasses import replace

from pcode import source
from pcode.source import Entry

_LEGACY = "if ((64'F(S0.f32) == 0.0) || (64'F(S1.f32) == 0.0)) then D0.f32 = S2.f32 + 0.0F else D0.f32 = S0.f32 * S1.f32 + S2.f32 endif"

# Of gfx908: which instruction has the same operands, and what is computed. A product is rounded before it is added to.
_OLDER = {
    "v_mad_f32": ("v_fma_f32", "D0.f32 = S0.f32 * S1.f32 + S2.f32"),
    "v_mad_legacy_f32": ("v_fma_f32", _LEGACY),
    "v_mac_f32": ("v_fmac_f32", "D0.f32 = S0.f32 * S1.f32 + D0.f32"),
    "v_madmk_f32": ("v_fmamk_f32", "D0.f32 = S0.f32 * SIMM32.f32 + S1.f32"),
    "v_madak_f32": ("v_fmaak_f32", "D0.f32 = S0.f32 * S1.f32 + SIMM32.f32"),
    "v_exp_legacy_f32": ("v_exp_f32", "D0.f32 = flush(pow(2.0F, flush(S0.f32)))"),
    "v_log_legacy_f32": ("v_log_f32", "D0.f32 = log2(flush(S0.f32))"),
}


def entries(mnemonic: str) -> list[Entry]:
    """Entries for an instruction that AMD's data leaves out."""
    if mnemonic not in _OLDER:
        return []
    like, code = _OLDER[mnemonic]
    return [replace(entry, name=mnemonic.upper(), code=code) for entry in source.entries("cdna")[like].values()]
