# SPDX-License-Identifier: MIT
"""What the caller of a friendly call says about how its result is computed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wishes:
    """``dtype`` is that of the result; the others are those of ``Dispatcher.gemm``."""

    dtype: str | None = None
    split_k: int = 1
    deterministic: bool = False
    pad: bool = True
    timing: bool = False
    validate: bool = False
