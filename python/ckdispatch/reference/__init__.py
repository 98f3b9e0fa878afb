# SPDX-License-Identifier: MIT
"""NumPy references: what kernels should compute, and how far a right result may be from it."""
