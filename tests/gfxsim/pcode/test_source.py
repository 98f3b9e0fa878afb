# SPDX-License-Identifier: MIT
"""AMD's data: all of it is found, and all that is code can be read."""

from __future__ import annotations

import re

import pytest

from pcode import parser, source
from pcode.lexer import NotPseudocode

# Texts that describe and do not compute.
_PROSE = re.compile(
    r"(v_s?mfma|v_sw?mmac|v_smfmac|v_wmma|image|lds_direct|ds_bvh|ds_swizzle|ds_append|ds_consume|ds_(add|sub)_gs|s_wait|s_sleep|s_trap)|s_(delay_alu|setprio|code_end|barrier_|get_barrier_state)"
)


@pytest.mark.parametrize(
    ("generation", "least"), [("cdna", 1200), ("rdna3", 1200), ("rdna4", 1200)]
)
def test_every_generation_is_there(generation: str, least: int) -> None:
    assert len(source.entries(generation)) > least


@pytest.mark.parametrize("generation", source.GENERATIONS)
def test_every_text_that_is_code_is_understood(generation: str) -> None:
    refused = []
    for name, encodings in source.entries(generation).items():
        for entry in encodings.values():
            try:
                parser.parse(entry.code)
            except NotPseudocode as reason:
                if not _PROSE.match(name):
                    refused.append(f"{name}: {reason}")
    assert not refused


def test_operands_are_those_of_the_manual() -> None:
    entry = source.entries("cdna")["v_fma_f32"]["VOP3"]
    assert entry.code == "D0.f32 = fma(S0.f32, S1.f32, S2.f32)"
    assert {name: field.format for name, field in entry.fields.items()} == {
        "src0": "F32",
        "src1": "F32",
        "src2": "F32",
        "vdst": "F32",
    }


def test_names_of_gfx12_are_those_of_the_others() -> None:
    entry = source.entries("rdna4")["global_load_b64"]["GLOBAL"]
    assert set(entry.fields) == {"addr", "saddr", "vdst"}
    assert set(source.entries("rdna4")["buffer_load_b64"]["MUBUF"].fields) == {
        "vaddr",
        "srsrc",
        "soffset",
        "vdata",
    }
