# SPDX-License-Identifier: MIT
"""Parts of the patterns that read kernel names."""

from __future__ import annotations

import re
from enum import Enum

EXTENTS = r"[1-9]\d*x[1-9]\d*x[1-9]\d*"
"""Three extents as ``Dim3`` prints them."""

ROW = r"\d+(?:x\d+)*"
"""``Extents`` as they print, at least one."""


def one_of(choices: type[Enum]) -> str:
    """Any of the words of ``choices``."""
    return "|".join(re.escape(str(member.value)) for member in choices)
