# SPDX-License-Identifier: MIT
"""Figures as people read them."""

from __future__ import annotations

import time
from collections.abc import Iterable


def size(count: int) -> str:
    """Bytes in the largest unit that leaves a figure before the point."""
    figure = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if figure < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{figure:.1f} {unit}"
        figure /= 1024
    return f"{figure:.1f} TiB"


def moment(seconds: float) -> str:
    """A time since 1970 on the clock of this place."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def extents(values: Iterable[int]) -> str:
    """Extents as names of kernels have them: 64x64x32."""
    return "x".join(str(value) for value in values)
