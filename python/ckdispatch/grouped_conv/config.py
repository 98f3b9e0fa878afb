# SPDX-License-Identifier: MIT
"""The config of grouped convolution kernels."""

from __future__ import annotations

from typing import ClassVar

from ckdispatch.config.base import KernelConfig


class GroupedConvConfig(KernelConfig):
    """y = x * w for each group, or the gradient of x or of w.

    ``ndim_spatial``, ``dtype``, ``tile``, ``waves``, ``warp_tile`` and ``pipeline`` must be said;
    the others, such as ``variant`` (``forward``), ``vector``, ``merged_groups``,
    ``specialization`` and ``split_k``, have defaults. ``field_names()`` lists them all::

        GroupedConvConfig(
            variant="backward_weight", ndim_spatial=2, dtype="bf16", tile=(64, 64, 64),
            waves=(2, 2, 1), warp_tile=(32, 32, 16), pipeline="compv3", split_k="*",
        ).expand(arch)
    """

    family: ClassVar[str] = "grouped_conv"
