# SPDX-License-Identifier: MIT
"""Generates AMD CK Tile kernels from declarations: specs, rules, expansion, names, sources."""
