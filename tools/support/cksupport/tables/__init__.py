# SPDX-License-Identifier: MIT
"""The tables of the matrix, from nothing but the arch table and the generator's enums."""

from __future__ import annotations

from ckarch import ArchSpecs

from cksupport.cells import Table
from cksupport.tables.outputs import outputs
from cksupport.tables.pads import pads
from cksupport.tables.products import products


def all_tables(arch: ArchSpecs) -> tuple[Table, ...]:
    """Every table, in the order of the page."""
    return (products(arch), outputs(arch), pads(arch))


__all__ = ["all_tables"]
