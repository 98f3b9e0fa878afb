# SPDX-License-Identifier: MIT
"""The kernel families there are; a new one is added here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ckgen.core.family import Family
from ckgen.gemm.family import GemmFamily
from ckgen.grouped_conv.family import GroupedConvFamily

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {family.name: family for family in (GemmFamily(), GroupedConvFamily())}
)
