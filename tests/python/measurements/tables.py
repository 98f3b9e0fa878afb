# SPDX-License-Identifier: MIT
"""Tables of our own making, in the formats of others. Their times are of a formula,
and of no GPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

CONV_KERNELS = [
    (*tile, pipeline)
    for tile in (
        (16, 64, 64),
        (32, 64, 64),
        (64, 64, 64),
        (32, 128, 64),
        (64, 128, 64),
        (128, 128, 64),
        (16, 64, 128),
        (32, 64, 128),
        (64, 64, 128),
        (128, 64, 128),
    )
    for pipeline in ("compv3", "compv4")
]
CONV_COLUMNS = (
    "problem",
    "n",
    "c",
    "k",
    "g",
    "hi",
    "wi",
    "y",
    "x",
    "stride_h",
    "stride_w",
    "pad_h",
    "pad_w",
    "tile_m",
    "tile_n",
    "tile_k",
    "pipeline",
    "latency_us",
    "tflops",
    "non_zero",
    "outputs",
)

Cells = Mapping[str, object]


def conv_rows(problems: int = 6) -> list[dict[str, object]]:
    """Convolutions of 3x3, each with the twenty kernels; one takes the longer, the more of its
    tiles there are.
    """
    rows: list[dict[str, object]] = []
    for number in range(problems):
        sizes = {"n": 1 + number, "c": 64, "k": 128, "g": 1, "hi": 14, "wi": 14, "y": 3, "x": 3}
        steps = {"stride_h": 1, "stride_w": 1, "pad_h": 1, "pad_w": 1}
        outputs = (1 + number) * 14 * 14 * 128
        for m, n, k, pipeline in CONV_KERNELS:
            # As the real ones do it: a compv4 kernel is what its m says, whatever the rest of its
            # name.
            m, n = (min(m, 64), 64) if pipeline == "compv4" else (m, n)
            tiles = -(-outputs // 128 // m) * (128 // n)
            kernel = {"tile_m": m, "tile_n": n, "tile_k": k, "pipeline": pipeline}
            time = {
                "latency_us": 5 + tiles * m * n / 8192,
                "tflops": 1,
                "non_zero": outputs,
                "outputs": outputs,
            }
            rows.append({"problem": number, **sizes, **steps, **kernel, **time})
    for row, (m, n, k, pipeline) in zip(rows, CONV_KERNELS * problems, strict=True):
        row |= {"tile_m": m, "tile_n": n, "tile_k": k, "pipeline": pipeline}
    return rows


def fp8_rows() -> list[dict[str, object]]:
    def kernel(pipeline: str, tile: str) -> str:
        flags = "False_False_False_False"
        return f"gemm_universal_fp8_rcr_{pipeline}_default_intrawave_{flags}_{tile}_2x2x1_32x32x32"

    shape = {"m": 256, "n": 512, "k": 1024, "num_kernels": 3744}
    best, other = kernel("compv3", "64x64x256"), kernel("compv4", "64x64x128")
    both = {"oracle_best_kernel": best, "oracle_best_tflops": 100.0}
    return [
        {**shape, **both, "ml_selected_kernel": other, "ml_actual_tflops": 80.0},
        {**shape, "m": 512, **both, "ml_selected_kernel": best, "ml_actual_tflops": 100.0},
    ]


def best_rows() -> list[dict[str, object]]:
    shape = {"m": 16, "n": 512, "k": 256, "best_us": 7.5, "library": "ck"}
    gpus = (
        ("bf16", "gfx950", 256),
        ("blockscale", "gfx942", 304),
        ("a8w8", "gfx942", 80),
        ("bf16", "gfx1250", 96),
    )
    return [
        {"kind": kind, "gpu": gpu, "compute_units": units, **shape} for kind, gpu, units in gpus
    ]


def written(path: Path, rows: Sequence[Cells], columns: Iterable[str] | None = None) -> Path:
    """The rows as CSV."""
    names = list(columns or rows[0])
    lines = [",".join(names), *(",".join(str(row.get(name, "")) for name in names) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path
