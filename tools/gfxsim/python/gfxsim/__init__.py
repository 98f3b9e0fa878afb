# SPDX-License-Identifier: MIT
"""The simulator's HIP runtime, for Python programs."""

from gfxsim.runtime import Buffer, HipError, Runtime

__all__ = ["Buffer", "HipError", "Runtime"]
