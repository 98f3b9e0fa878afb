# SPDX-License-Identifier: MIT
"""Tables of times that kernels took: our own, and those of others.

``read`` takes a file in any format that is known, and gives a ``Table`` of ``Row``; ``write``
writes ours. docs/measurements.md has the formats, and the rules by which rows of others are left
out.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ckdispatch.measurements.reading import read as read
    from ckdispatch.measurements.row import Row as Row
    from ckdispatch.measurements.table import LeftOut as LeftOut
    from ckdispatch.measurements.table import Table as Table
    from ckdispatch.measurements.writing import write as write

_HOMES = {"LeftOut": "table", "Row": "row", "Table": "table", "read": "reading", "write": "writing"}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
