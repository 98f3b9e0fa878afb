# SPDX-License-Identifier: MIT
"""What families share because their kernels compute products: parts of a sum, fused operations, the
errors of both.
"""
