# SPDX-License-Identifier: MIT
"""The config of attention kernels."""

from __future__ import annotations

from typing import ClassVar

from ckdispatch.config.base import KernelConfig


class FmhaConfig(KernelConfig):
    """A kernel of ``variant`` fwd, splitkv, combine, pagedkv, appendkv, batch_prefill, dot_do_o,
    dq_dk_dv, convert_dq, sum or sink.

    What it computes is said by ``dtype``, ``mode``, ``hdim_q``, ``hdim_v`` and the features
    (``mask``, ``lse``, ``bias``, ``dropout`` and so on), how by ``pipeline``, ``tile``, ``waves``,
    ``warp_tile``, ``pads`` and ``occupancy``. ``field_names()`` lists them all.
    """

    family: ClassVar[str] = "fmha"
