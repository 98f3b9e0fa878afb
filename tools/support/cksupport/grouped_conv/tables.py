# SPDX-License-Identifier: MIT
"""The tables of the matrix: every pair of choices."""

from __future__ import annotations

from cksupport.grouped_conv.axes import axes_of, checks, label, spec_of
from cksupport.pair_tables import PairTables

TABLES = PairTables(axes_of, label, checks, spec_of)
all_tables, cells, covered, kernel_of = TABLES.all, TABLES.cells, TABLES.covered, TABLES.kernel_of
