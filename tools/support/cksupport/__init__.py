# SPDX-License-Identifier: MIT
"""The support matrix of GEMM: which cells there are, what became of each, and the page of it."""
