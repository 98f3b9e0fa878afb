# SPDX-License-Identifier: MIT
"""The kernels of the sets that ship, for every GPU that they are legal on."""

from __future__ import annotations

from collections.abc import Mapping

from ckarch import ArchSpecs
from ckgen.cli.selection import preselected_sets
from ckgen.core.expand import Refusals, expand

from cksupport.family import SupportFamily
from cksupport.kernels import Kernel

Sets = Mapping[str, tuple[Kernel, ...]]
"""Kernels by the name of their set; most are in more than one."""


def shipped_sets(family: SupportFamily, arch: ArchSpecs) -> Sets:
    """The sets of ``//kernels``, in the order of their declarations."""
    refusals = Refusals(nearest=False)
    return {
        name: tuple(
            Kernel(gpu, kernel.spec)
            for kernel in expand(declaration, arch, refusals).kernels
            for gpu in kernel.gpus
        )
        for name, declaration in preselected_sets(family.kernels, arch).items()
    }
