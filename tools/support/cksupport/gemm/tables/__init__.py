# SPDX-License-Identifier: MIT
"""The tables of the matrix, from nothing but the arch table and the generator's enums."""

from __future__ import annotations

from ckarch import ArchSpecs

from cksupport.gemm.tables.fused import d_dtypes, d_tensors, fused_ops
from cksupport.gemm.tables.outputs import outputs
from cksupport.gemm.tables.pads import pads
from cksupport.gemm.tables.products import products
from cksupport.gemm.tables.variants import variant_dtypes, variant_layouts
from cksupport.questions import Table

_TABLES = (
    products,
    outputs,
    pads,
    variant_dtypes,
    variant_layouts,
    fused_ops,
    d_tensors,
    d_dtypes,
)


def all_tables(arch: ArchSpecs) -> tuple[Table, ...]:
    """Every table, in the order of the page."""
    return tuple(table(arch) for table in _TABLES)


__all__ = ["all_tables"]
