# SPDX-License-Identifier: MIT
"""The config of batched transposes."""

from __future__ import annotations

from typing import ClassVar

from ckdispatch.config.base import KernelConfig


class BatchedTransposeConfig(KernelConfig):
    """y[i, w, h] = x[i, h, w]. ``dtype`` and ``tile`` must be said; ``waves`` and ``pad`` have
    defaults.
    """

    family: ClassVar[str] = "batched_transpose"
