# SPDX-License-Identifier: MIT
"""What the matrices of families share whose kernels compute products."""
