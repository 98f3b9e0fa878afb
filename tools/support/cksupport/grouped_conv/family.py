# SPDX-License-Identifier: MIT
"""Grouped convolution, as the support matrix asks."""

from __future__ import annotations

from collections.abc import Iterable

from ckarch import ArchSpecs
from ckgen.grouped_conv.spec import GroupedConvSpec, Specialization
from ckgen.product.pipelines import loop_variants
from ckgen.product.spec import SplitK

from cksupport.family import SupportFamily
from cksupport.grouped_conv.placed import PlacedConvolution
from cksupport.grouped_conv.problems import Launch, launches
from cksupport.grouped_conv.tables import all_tables, cells


class GroupedConvSupport(SupportFamily[GroupedConvSpec, Launch]):
    """The matrix of grouped convolution."""

    name = "grouped_conv"
    about_kernels = """\
There are too many combinations of choices to try each. A cell stands for two of them, and its
kernel, which it shares with many others, has both: a few kernels meet every pair that the rules
allow together. Where no kernel made of the choices of this page has both, the cell has the rule
that refuses most of those that would. What says untested was not tried yet. A kernel is run with
every number of turns of the main loop that leads to another loop or tail, with remainders of its
tile, with strides, dilations and pads where it takes them, and with guards around all tensors.
Loads and stores are as wide as is said, or an element where that is wider. Kernels for filters of 3
have sums of at most 27 products, which do not reach every loop.
"""

    tables = staticmethod(all_tables)
    cells = staticmethod(cells)
    launches = staticmethod(launches)
    place = staticmethod(PlacedConvolution.of)

    def operands_of(self, spec: GroupedConvSpec) -> str:
        return f"{spec.dtype_a} {spec.dtype_b}"

    def variant(self, spec: GroupedConvSpec) -> str:
        return str(spec.variant)

    def functions(self, spec: GroupedConvSpec, arch: ArchSpecs) -> Iterable[str]:
        if spec.specialization is Specialization.FILTER_3X3:
            return ()
        loops = tuple(variant.suffix for variant in loop_variants(spec, arch))
        return (*loops, "add_parts") if spec.split_k is SplitK.WORKSPACE else loops


FAMILY = GroupedConvSupport()
