# SPDX-License-Identifier: MIT
"""What the benchmark can measure."""

from __future__ import annotations

from enum import Enum


class Part(Enum):
    """One measurement; the value is its name on the command line."""

    GENERATE = "generate"
    COMPILE = "compile"
    NOOP = "noop"
    EDIT = "edit"
    CLONE = "clone"
