# SPDX-License-Identifier: MIT
"""A table of our own making: times of a formula, of no GPU, for kernels that the tests have."""

from __future__ import annotations

import re
from pathlib import Path

from ckdispatch import GemmProblem, Registry
from ckdispatch.measurements import Row, write
from ckdispatch.selection import Selection

KERNELS = "gemm_fp16_rcr_essential"
GPU = "gfx942"
_LAYERS = [
    (n, k) for n in (256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144) for k in (128, 1024, 4096)
]
PROBLEMS = tuple(
    f"{(128, 512, 2048)[place % 3 - place // 9]}x{n}x{k}" for place, (n, k) in enumerate(_LAYERS)
)
"""Each with an N and K of its own, which folds do not divide."""

CONSTANTS = {"launch": 5.0, "trip": 0.3, "store": 0.2, "matrix": 1.5}
"""Of the formula; the others are 0."""


def slow(kernel: str) -> float:
    """What no constant explains: tiles with 64 rows take longer."""
    return 1.4 if re.search(r"_64x\d+x", kernel) else 1.0


def registry() -> Registry:
    return Registry.load(KERNELS)


def rows(problems: tuple[str, ...] = PROBLEMS, *, corrected: bool = True) -> list[Row]:
    """Each problem with each kernel that takes it."""
    kernels = registry()
    selection = Selection(kernels, GPU)
    found = []
    for text in problems:
        problem = GemmProblem.parse(text)
        costs = selection.costs(problem)
        for one in costs.fit:
            time = sum(
                CONSTANTS.get(term, 0.0) * value
                for term, value in zip(costs.terms, one.terms, strict=True)
            )
            time *= slow(one.kernel) if corrected else 1.0
            found.append(
                Row(
                    "gemm",
                    problem.text.removeprefix("gemm "),
                    one.kernel,
                    time,
                    "simulated",
                    gpu=GPU,
                    checked=True,
                )
            )
    return found


def table(path: Path, problems: tuple[str, ...] = PROBLEMS, *, corrected: bool = True) -> Path:
    """The same as a file."""
    write(rows(problems, corrected=corrected), path)
    return path
