# SPDX-License-Identifier: MIT
"""Conversions of a tile."""

from __future__ import annotations

from ckfetch.edit import Edit, Insertion

_PATH = "include/ck_tile/core/tensor/tile_elementwise.hpp"

# CK rounds a tile to bf8 with the instruction for fp8, where the GPU has it, and stores numbers of
# the wrong format. Kernels that store bf8 ask for the macro, so that headers without this edit do
# not compile to wrong results.
EDITS = (
    Edit(
        path=_PATH,
        why="tiles of bf8 are not converted to fp8",
        old="(std::is_same_v<DstType, fp8_t> || std::is_same_v<DstType, bf8_t>) &&",
        new="std::is_same_v<DstType, fp8_t> &&",
    ),
    Insertion(
        path=_PATH,
        why="a sign that tiles of bf8 are converted to bf8",
        before="CK_TILE_DEVICE auto cast_tile(const SrcTensor& src_tensor)",
        text="#define CK_KERNEL_CASTS_BF8\n",
    ),
)
