# SPDX-License-Identifier: MIT
"""Grouped convolution, as the support matrix asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from ckarch import ArchSpecs
from ckdispatch.device import Device
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.grouped_conv.spec import GroupedConvSpec, Specialization
from ckgen.product.pipelines import loop_variants
from ckgen.product.spec import SplitK

from cksupport.cells import Cell
from cksupport.family import Launch, SupportFamily
from cksupport.grouped_conv.placed import PlacedConvolution
from cksupport.grouped_conv.problems import launches
from cksupport.grouped_conv.tables import all_tables, cells
from cksupport.questions import Table


class GroupedConvSupport(SupportFamily):
    """The matrix of grouped convolution."""

    name = "grouped_conv"
    about_kernels = """\
There are too many combinations of choices to try each. A cell stands for two of them, and its kernel,
which it shares with many others, has both: a few kernels meet every pair that the rules allow
together. Where no kernel made of the choices of this page has both, the cell has the rule that
refuses most of those that would. What says untested was not tried yet. A kernel is run with every
number of turns of the main loop that leads to another loop or tail, with remainders of its tile, with
strides, dilations and pads where it takes them, and with guards around all tensors. Loads and stores
are as wide as is said, or an element where that is wider. Kernels for filters of 3 have sums of at
most 27 products, which do not reach every loop.
"""

    def tables(self, arch: ArchSpecs) -> tuple[Table, ...]:
        return all_tables(arch)

    def cells(self, tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
        return cells(tables, arch)

    def operands_of(self, spec: KernelSpec) -> str:
        conv = cast(GroupedConvSpec, spec)
        return f"{conv.dtype_a} {conv.dtype_b}"

    def variant(self, spec: KernelSpec) -> str:
        return str(cast(GroupedConvSpec, spec).variant)

    def wants_one_multiprocessor(self, spec: KernelSpec) -> bool:
        return False

    def functions(self, spec: KernelSpec, arch: ArchSpecs) -> Iterable[str]:
        conv = cast(GroupedConvSpec, spec)
        if conv.specialization is Specialization.FILTER_3X3:
            return ()
        loops = tuple(variant.suffix for variant in loop_variants(conv, arch))
        return (*loops, "add_parts") if conv.split_k is SplitK.WORKSPACE else loops

    def launches(self, spec: KernelSpec, target: Target) -> Sequence[Launch]:
        return launches(cast(GroupedConvSpec, spec), target)

    def place(self, spec: KernelSpec, launch: Launch, device: Device, seed: int) -> PlacedConvolution:
        (asked,) = launch
        return PlacedConvolution.of(cast(GroupedConvSpec, spec), asked.problem, device, seed)


FAMILY = GroupedConvSupport()
