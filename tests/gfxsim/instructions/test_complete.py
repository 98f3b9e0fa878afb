# SPDX-License-Identifier: MIT
"""No instruction is simulated without a test of what it does."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from probe import definitions

from instructions import differences, suite

# Instructions whose names the tests put together from parts, and where.
TESTED = {
    r"v_dual_.*": "test_dual.py",
    r"(global|scratch)_load_lds_([us]byte|[us]short|dword(x3|x4)?)": "test_special.py",
    r"ds_read_b\d+_tr_b\d+": "test_special.py",
}

# Instructions without a test, and why there is none.
UNTESTED = {
    r"s_memtime|s_memrealtime|s_sendmsg_rtn_b64": "the result is the time",
    r"s_sendmsg": "its effect is outside the wave; the tests of whole programs see it",
    r"s_endpgm|s_endpgm_saved|s_code_end": (
        "every test ends with the first, and the others differ in nothing"
    ),
    r"v_dot2acc_f32_bf16|flat_atomic_csub_u32": "no assembler here writes it alone",
}


@cache
def _words() -> frozenset[str]:
    """Every name in the text of the tests beside this one."""
    texts = [
        path.read_text()
        for path in Path(__file__).parent.glob("test_*.py")
        if path.name != Path(__file__).name
    ]
    return frozenset(re.findall(r"[a-z]+_[a-z0-9_]+", " ".join(texts).replace("\\n", " ")))


@cache
def _covered() -> frozenset[str]:
    return frozenset(
        name
        for kind in suite.KINDS
        for target in suite.TARGETS
        for name in suite.covered(kind, target)
    )


def _tested(name: str) -> bool:
    return (
        name in _covered()
        or name in _words()
        or any(re.fullmatch(pattern, name) for pattern in TESTED)
    )


def test_every_instruction_has_a_test_or_a_reason() -> None:
    names = {found.name for found in definitions() if found.klass != "matrix"}
    without = {name for name in names if not _tested(name)}
    assert not {
        name for name in without if not any(re.fullmatch(pattern, name) for pattern in UNTESTED)
    }


@pytest.mark.parametrize("pattern", UNTESTED)
def test_every_reason_is_needed(pattern: str) -> None:
    names = {found.name for found in definitions()}
    assert any(re.fullmatch(pattern, name) and not _tested(name) for name in names)


@pytest.mark.parametrize("name", differences.CORRECTIONS)
def test_every_correction_is_of_an_instruction_that_is_tested(name: str) -> None:
    assert name in _covered()


def test_results_that_are_not_exact_are_known() -> None:
    """The simulator's own word and the tests' tolerance agree."""
    said = {found.name for found in definitions() if not found.exact and found.klass == "valu"}
    tolerated = {found.name for found in definitions() if differences.tolerance(found.name)}
    assert tolerated <= said
    assert not [
        name
        for name in said - tolerated
        if not any(re.fullmatch(rule, name) for rule in differences.NOT_DOCUMENTED)
    ]
