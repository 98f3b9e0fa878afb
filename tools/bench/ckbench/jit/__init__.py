# SPDX-License-Identifier: MIT
"""How building just in time scales with kernels and workers."""
