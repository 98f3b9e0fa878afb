# SPDX-License-Identifier: MIT
"""The config of GEMM kernels."""

from __future__ import annotations

from typing import ClassVar

from ckdispatch.config.base import KernelConfig


class GemmConfig(KernelConfig):
    """C[m,n] = A[m,k] * B[k,n].

    ``dtype``, ``layout``, ``tile``, ``waves``, ``warp_tile`` and ``pipeline`` must be said; the
    others, such as ``epilogue``, ``scheduler``, ``pad``, ``persistent`` and ``split_k``, have
    defaults. ``field_names()`` lists them all::

        GemmConfig(
            dtype="fp16", layout="rcr", tile=(128, 128, 32), waves=(2, 2, 1),
            warp_tile=(32, 32, 16), pipeline=["compv3", "compv4"], pad="*",
        ).expand(arch)
    """

    family: ClassVar[str] = "gemm"
