# SPDX-License-Identifier: MIT
"""The GPU that a spec is judged for, together with the facts that all GPUs share."""

from __future__ import annotations

from dataclasses import dataclass

from ckarch import ArchSpecs, GpuSpec

DEFAULT_GPU = "gfx942"
"""The GPU that sources are generated for where none is named; builds without one take it too."""


@dataclass(frozen=True)
class Target:
    """One GPU of an arch table."""

    arch: ArchSpecs
    gpu: GpuSpec

    @property
    def name(self) -> str:
        """The GPU's name, such as ``gfx942``."""
        return self.gpu.name

    @classmethod
    def of(cls, arch: ArchSpecs, gpu: str) -> Target:
        """The GPU called ``gpu``; raises ``ckarch.UnknownNameError`` if there is none."""
        return cls(arch, arch.gpu(gpu))
