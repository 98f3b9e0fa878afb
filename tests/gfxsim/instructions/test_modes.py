# SPDX-License-Identifier: MIT
"""Arithmetic in every rounding mode, and with denormals flushed on the way in, on the way out, or
both.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from instructions import suite
from instructions.vector import VectorCase

NAMES = (
    "v_add_f32",
    "v_sub_f32",
    "v_mul_f32",
    "v_fma_f32",
    "v_fmac_f32",
    "v_ldexp_f32",
    "v_add_f16",
    "v_mul_f16",
    "v_fma_f16",
    "v_add_f64",
    "v_mul_f64",
    "v_fma_f64",
    "v_ldexp_f64",
    "v_pk_add_f16",
    "v_pk_mul_f16",
    "v_pk_fma_f16",
    "v_pk_add_f32",
    "v_pk_mul_f32",
    "v_pk_fma_f32",
    "v_fma_mix_f32",
    "v_fma_mixlo_f16",
    "v_max_f32",
    "v_cmp_lt_f32",
    "v_cvt_f16_f32",
    "v_cvt_f32_f16",
    "v_cvt_f32_f64",
    "v_cvt_f64_f32",
    "v_cvt_f32_i32",
    "v_cvt_f32_u32",
    "v_cvt_f64_u32",
    "v_cvt_pkrtz_f16_f32",
    "v_cvt_pk_rtz_f16_f32",
)
_KEEP = 0x3F0  # all denormals, IEEE, DX10_CLAMP
MODES = {
    "up": _KEEP | 0b0101,
    "down": _KEEP | 0b1010,
    "to zero": _KEEP | 0b1111,
    "f32 up, others down": _KEEP | 0b1001,
    "no denormals": 0x300,
    "no f32 denormals": 0x3C0,
    "no f16 and f64 denormals": 0x330,
    "no denormal inputs": 0x3A0,
    "no denormal results": 0x350,
    "no denormals, to zero": 0x30F,
}


def _kind(name: str) -> str:
    return "convert" if "cvt" in name else "compare" if "cmp" in name else "vector"


def _parameters() -> list[tuple[suite.Target, str, str]]:
    targets = [target for target in suite.TARGETS if target.thorough]
    return [
        (target, name, mode)
        for target in targets
        for name in NAMES
        if name in suite.covered(_kind(name), target)
        for mode in MODES
    ]


@pytest.mark.parametrize(("target", "name", "mode"), _parameters(), ids=str)
def test_mode_register_rules_rounding_and_denormals(
    target: suite.Target, name: str, mode: str
) -> None:
    problems: list[str] = []
    for case, code in suite.cases(_kind(name), target)[name]:
        assert isinstance(case, VectorCase)
        if case.form.label == "vector":
            problems += suite.run(
                replace(case, form=replace(case.form, mode=MODES[mode], label=mode)), code, 0
            )
    assert not problems, "\n" + "\n".join(problems[:6])
