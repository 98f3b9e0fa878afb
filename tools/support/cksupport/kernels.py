# SPDX-License-Identifier: MIT
"""A kernel for a GPU: what is tried, and what results are found by."""

from __future__ import annotations

from dataclasses import dataclass

from ckgen.core.spec import KernelSpec

Key = tuple[str, str]
"""A GPU and the name of a kernel."""


@dataclass(frozen=True)
class Kernel:
    """A kernel, legal or not, for a GPU."""

    gpu: str
    spec: KernelSpec

    @property
    def key(self) -> Key:
        return self.gpu, self.spec.name

    def __str__(self) -> str:
        return f"{self.gpu} {self.spec.name}"
