# SPDX-License-Identifier: MIT
"""Specs for tests of pages: some of those that ship, of two families, and of those all that are
products.
"""

from __future__ import annotations

from pathlib import Path

from made_up import Spec, declared

KERNELS = Path("kernels")

SETS = declared([KERNELS / "gemm_16bit.json", KERNELS / "gemm_8bit.json"])
SPECS: list[tuple[Spec, tuple[str, ...]]] = SETS["gemm_fp16_rcr_all"]


def shipped() -> dict[str, list[tuple[Spec, tuple[str, ...]]]]:
    """Every set of products that ships."""
    return declared(sorted(KERNELS.glob("gemm_*.json")))
