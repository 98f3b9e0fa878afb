# SPDX-License-Identifier: MIT
"""The recorded bits, whatever the host: NaNs have the sign and the payload that are recorded, not
those of the host's arithmetic.
"""

from __future__ import annotations

import re

import pytest
from probe import Probe, definitions, generation_of

from recorded import case
from recorded.case import Recorded

TEXT = case.FILE.read_text(encoding="utf-8")
RECORDED = case.read(TEXT)
TARGETS = list(dict.fromkeys(target for one in RECORDED for target in one.targets))

# Real arithmetic that is not recorded, and why.
ELSEWHERE = {
    r"v_dual_.*": "each half runs the definition of the single instruction, which is recorded",
    r"v_cmpx?_.*|s_cmp_.*": "a comparison makes no number",
    r"v_dot2acc_f32_b?f16": (
        "no assembler here writes it alone for gfx12, nor that of bf16 for "
        "gfx11; test_dual.py has both"
    ),
}


@pytest.mark.parametrize(("gpu", "wave"), TARGETS)
def test_every_bit_is_as_recorded(gpu: str, wave: int) -> None:
    found = [one for one in RECORDED if (gpu, wave) in one.targets]
    codes = Probe(gpu).assemble([one.case.text for one in found], wave)
    wrong = [
        problem
        for one, code in zip(found, codes, strict=False)
        for problem in _problems(one, code, gpu, wave)
    ]
    assert not wrong, f"{len(wrong)} of {len(found)} cases:\n" + "\n".join(wrong[:20])


def _problems(one: Recorded, code: bytes | str, gpu: str, wave: int) -> list[str]:
    if isinstance(code, str):
        return [f"{one.case.text}: {code}"]
    states = one.case.states(gpu, wave)
    for state in states:
        state.run(gpu, code)
    bits = case.shown(one.case.words(states))
    if bits == one.bits:
        return []
    pairs = enumerate(zip(bits.split(), one.bits.split(), strict=False))
    return [
        f"{one.case.text}: "
        + "; ".join(
            f"word {at} is {got}, not {wanted}" for at, (got, wanted) in pairs if got != wanted
        )[:300]
    ]


def test_the_file_is_as_it_would_be_written() -> None:
    assert case.write(RECORDED) == TEXT
    assert {one.by for one in RECORDED} == {case.PSEUDOCODE, case.NEARLY, case.RULE, case.NOBODY}


def _names() -> set[tuple[str, str]]:
    """The generations and mnemonics of all cases."""
    names = ((re.sub(r"_e(32|64)$", "", one.case.text.split()[0]), one.targets) for one in RECORDED)
    return {(generation_of(gpu), name) for name, targets in names for gpu, _ in targets}


def test_every_instruction_with_real_numbers_is_recorded() -> None:
    real = re.compile(
        r".*_(b?f16|x?f32|f64|fp8|bf8|fp6|bf6|fp4|f8f6f4)(_.*)?|v_s?mfmac?_f.*|v_s?wmma_b?f.*|v_swmmac_b?f.*"
    )
    arithmetic = re.compile(r"v_.*|s_(?!load|buffer|store).*|.*atomic.*|ds_.*")
    known = [
        found
        for found in definitions()
        if real.fullmatch(found.name) and arithmetic.fullmatch(found.name)
    ]
    wanted = {(generation, found.name) for found in known for generation in found.generations}
    missing = wanted - _names()
    assert not {
        (generation, name)
        for generation, name in missing
        if not any(re.fullmatch(rule, name) for rule in ELSEWHERE)
    }


@pytest.mark.parametrize("rule", ELSEWHERE)
def test_every_reason_is_needed(rule: str) -> None:
    named = {
        (generation, found.name)
        for found in definitions()
        if re.fullmatch(rule, found.name)
        for generation in found.generations
    }
    assert named - _names()
