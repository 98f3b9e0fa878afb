# SPDX-License-Identifier: MIT
"""The matrix instructions of gfx11 and gfx12: every shape and format, in the documented register
layout.
"""

from __future__ import annotations

from matrix.cases import ACCUMULATORS, Instruction, Operand
from matrix.formats import BF8, BF16, F16, FP8, I4, I8, U4, U8, Format
from matrix.layouts import swmmac_a, swmmac_b, wmma_input, wmma_output

_FORMATS = {"f16": F16, "bf16": BF16, "fp8": FP8, "bf8": BF8}
SIGNS = {"iu8": (U8, I8), "iu4": (U4, I4)}
_SMALL = [(f"{a}_{b}", "f32") for a in ("fp8", "bf8") for b in ("fp8", "bf8")]
_HALVES = [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16")]

# (generation, wave, kind, accumulator, depth)
DENSE = [
    *[
        ("gfx11", wave, kind, out, 16)
        for wave in (32, 64)
        for kind, out in [*_HALVES, ("iu8", "i32"), ("iu4", "i32")]
    ],
    *[
        ("gfx12", wave, kind, out, 16)
        for wave in (32, 64)
        for kind, out in [*_HALVES, *_SMALL, ("iu8", "i32"), ("iu4", "i32")]
    ],
    *[("gfx12", wave, "iu4", "i32", 32) for wave in (32, 64)],
]
SPARSE = [
    *[
        ("gfx12", wave, kind, out, 32)
        for wave in (32, 64)
        for kind, out in [*_HALVES, *_SMALL, ("iu8", "i32"), ("iu4", "i32")]
    ],
    *[("gfx12", wave, "iu4", "i32", 64) for wave in (32, 64)],
]
GPUS = {"gfx11": "gfx1100", "gfx12": "gfx1201"}
Case = tuple[str, int, str, str, int]


def _formats(kind: str, signs: tuple[int, int]) -> tuple[Format, Format]:
    if kind in SIGNS:
        return SIGNS[kind][signs[0]], SIGNS[kind][signs[1]]
    parts = kind.split("_") if "_" in kind else [kind, kind]
    return _FORMATS[parts[0]], _FORMATS[parts[1]]


def _accumulator(generation: str, wave: int, out: str) -> Operand:
    slot = 32 if generation == "gfx11" else 0
    return Operand(ACCUMULATORS[out], (1, 16, 16), wmma_output(generation, wave), slot, wave)


def dense(case: Case, signs: tuple[int, int] = (0, 0)) -> Instruction:
    """Of DENSE. `signs`: whether the integers of A and B have one."""
    generation, wave, kind, out, depth = case
    form_a, form_b = _formats(kind, signs)
    layout = wmma_input(generation, wave, form_a.bits, depth)
    lanes = 16 if generation == "gfx11" else wave
    return Instruction(
        GPUS[generation],
        f"v_wmma_{out}_16x16x{depth}_{kind}",
        Operand(form_a, (1, 16, depth), layout, 0, lanes),
        Operand(form_b, (1, 16, depth), layout, 0, lanes),
        _accumulator(generation, wave, out),
    )


def sparse(case: Case, signs: tuple[int, int] = (0, 0)) -> Instruction:
    """Of SPARSE."""
    generation, wave, kind, out, depth = case
    form_a, form_b = _formats(kind, signs)
    return Instruction(
        GPUS[generation],
        f"v_swmmac_{out}_16x16x{depth}_{kind}",
        Operand(form_a, (1, 16, depth // 2), swmmac_a(wave, form_a.bits, depth), 0, wave),
        Operand(form_b, (1, 16, depth), swmmac_b(wave, form_b.bits, depth), 0, wave),
        _accumulator(generation, wave, out),
        sparse=True,
    )
