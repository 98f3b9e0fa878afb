# SPDX-License-Identifier: MIT
"""The support matrix of GEMM."""
