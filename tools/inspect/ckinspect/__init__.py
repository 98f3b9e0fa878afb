# SPDX-License-Identifier: MIT
"""Reads what compiled kernels use from AMD GPU code objects, and writes kernel-set manifests."""
