# SPDX-License-Identifier: MIT
"""The matrix instructions of gfx9: every shape and format, in the documented register layout."""

from __future__ import annotations

from matrix.cases import ACCUMULATORS, Instruction, Operand
from matrix.formats import (
    BF6,
    BF8,
    BF8_FNUZ,
    BF16,
    F16,
    F32,
    F64,
    FP4,
    FP6,
    FP8,
    FP8_FNUZ,
    I8,
    XF32,
    Format,
)
from matrix.layouts import mfma_halves, mfma_input, mfma_output

# Shapes as (rows, columns, depth, blocks) by format, for each spelling.
_OLD = {
    "f32": [(32, 32, 1, 2), (16, 16, 1, 4), (4, 4, 1, 16), (32, 32, 2, 1), (16, 16, 4, 1)],
    "f16": [(32, 32, 4, 2), (16, 16, 4, 4), (4, 4, 4, 16), (32, 32, 8, 1), (16, 16, 16, 1)],
    "bf16": [(32, 32, 2, 2), (16, 16, 2, 4), (4, 4, 2, 16), (32, 32, 4, 1), (16, 16, 8, 1)],
    "i8": [(32, 32, 4, 2), (16, 16, 4, 4), (4, 4, 4, 16), (32, 32, 8, 1), (16, 16, 16, 1)],
}
_GFX90A = {"bf16_1k": _OLD["f16"], "f64": [(16, 16, 4, 1), (4, 4, 4, 4)]}
_GFX942 = {
    "f32": _OLD["f32"],
    "xf32": [(32, 32, 4, 1), (16, 16, 8, 1)],
    "f16": _OLD["f16"],
    "bf16": _OLD["f16"],
    "i8": [*_OLD["i8"][:3], (32, 32, 16, 1), (16, 16, 32, 1)],
    "f64": _GFX90A["f64"],
    **{
        f"{a}_{b}": [(32, 32, 16, 1), (16, 16, 32, 1)]
        for a in ("fp8", "bf8")
        for b in ("fp8", "bf8")
    },
}
_GFX950_ONLY = {
    "f16": [(32, 32, 16, 1), (16, 16, 32, 1)],
    "bf16": [(32, 32, 16, 1), (16, 16, 32, 1)],
    "i8": [(32, 32, 32, 1), (16, 16, 64, 1)],
}
_FORMATS = {
    "f32": F32,
    "xf32": XF32,
    "f64": F64,
    "f16": F16,
    "bf16": BF16,
    "bf16_1k": BF16,
    "i8": I8,
}


def _formats(kind: str, gpu: str) -> tuple[Format, Format]:
    small = {"fp8": FP8_FNUZ, "bf8": BF8_FNUZ} if gpu == "gfx942" else {"fp8": FP8, "bf8": BF8}
    if kind in _FORMATS:
        return _FORMATS[kind], _FORMATS[kind]
    a, b = kind.split("_")
    return small[a], small[b]


def _dense(gpu: str, kind: str, shape: tuple[int, int, int, int]) -> Instruction:
    m, n, k, blocks = shape
    form_a, form_b = _formats(kind, gpu)
    out = "i32" if kind == "i8" else "f64" if kind == "f64" else "f32"
    if gpu in ("gfx908", "gfx90a"):
        name = f"v_mfma_{out}_{m}x{n}x{k}{kind}"
    else:
        name = f"v_mfma_{out}_{m}x{n}x{k}{f'_{blocks}b' if blocks > 1 else ''}_{kind}"
    return Instruction(
        gpu,
        name,
        Operand(form_a, (blocks, m, k), mfma_input(m, k, blocks)),
        Operand(form_b, (blocks, n, k), mfma_input(n, k, blocks)),
        Operand(ACCUMULATORS[out], (blocks, m, n), mfma_output(m, n, out == "f64")),
    )


def _instructions() -> list[Instruction]:
    without_xf32 = {kind: shapes for kind, shapes in _GFX942.items() if kind != "xf32"}
    tables = [
        ("gfx908", _OLD),
        ("gfx90a", _OLD),
        ("gfx90a", _GFX90A),
        ("gfx942", _GFX942),
        ("gfx950", without_xf32),
        ("gfx950", _GFX950_ONLY),
    ]
    return [
        _dense(gpu, kind, shape)
        for gpu, table in tables
        for kind, shapes in table.items()
        for shape in shapes
    ]


DENSE = _instructions()


# Elements of 8 bits and less, which modifiers choose, with and without scales.

SMALL = {0: FP8, 1: BF8, 2: FP6, 3: BF6, 4: FP4}
F8F6F4 = {"16x16x128": (16, 16, 128), "32x32x64": (32, 32, 64)}


def small(shape: str, cbsz: int, blgp: int, scale: bool) -> Instruction:
    """With the formats that CBSZ and BLGP name."""
    m, n, k = F8F6F4[shape]

    def layout(form: Format, along: int) -> Operand:
        return Operand(
            form,
            (1, along, k),
            mfma_halves(along, k, 16) if form.bits == 8 else mfma_input(along, k, 1),
        )

    name = f"v_mfma_{'scale_' if scale else ''}f32_{shape}_f8f6f4"
    return Instruction(
        "gfx950",
        name,
        layout(SMALL[cbsz], m),
        layout(SMALL[blgp], n),
        Operand(F32, (1, m, n), mfma_output(m, n)),
    )


def format_modifiers(cbsz: int, blgp: int) -> str:
    """What names the formats."""
    return f"cbsz:{cbsz} blgp:{blgp}"


# Sparse matrices.

SPARSE = [
    *[
        ("gfx942", kind, shape)
        for kind in ("f16", "bf16")
        for shape in ((16, 16, 32), (32, 32, 16))
    ],
    *[
        ("gfx942", kind, shape)
        for kind in ("i8", "fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8")
        for shape in ((16, 16, 64), (32, 32, 32))
    ],
    *[
        ("gfx950", kind, shape)
        for kind in ("f16", "bf16")
        for shape in ((16, 16, 64), (32, 32, 32))
    ],
    *[
        ("gfx950", kind, shape)
        for kind in ("i8", "fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8")
        for shape in ((16, 16, 128), (32, 32, 64))
    ],
]


def sparse(gpu: str, kind: str, shape: tuple[int, int, int]) -> Instruction:
    """Of SPARSE."""
    m, n, k = shape
    form_a, form_b = _formats(kind, gpu)
    out = "i32" if kind == "i8" else "f32"
    if gpu == "gfx950":
        part = 128 // form_b.bits
        layout_a, layout_b = mfma_halves(m, k // 2, part // 2), mfma_halves(n, k, part)
    else:
        layout_a, layout_b = mfma_input(m, k // 2, 1), mfma_input(n, k, 1)
    return Instruction(
        gpu,
        f"v_smfmac_{out}_{m}x{n}x{k}_{kind}",
        Operand(form_a, (1, m, k // 2), layout_a),
        Operand(form_b, (1, n, k), layout_b),
        Operand(ACCUMULATORS[out], (1, m, n), mfma_output(m, n)),
        sparse=True,
    )
