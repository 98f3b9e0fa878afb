# SPDX-License-Identifier: MIT
"""Programs of AMD's pages about convolutions, and what to type in their place."""

from __future__ import annotations

from types import MappingProxyType

FILES = MappingProxyType(
    {
        "grouped_conv_full_benchmark.py": "write `ckdispatch bench 'n8 g1 c64 k128 56x56 3x3 "
        "pad=1 fp16' --kernels SET --all-kernels --output times.csv`"
    }
)
