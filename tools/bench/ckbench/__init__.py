# SPDX-License-Identifier: MIT
"""The build benchmark: how fast kernels are generated, compiled, rebuilt and shared."""
