# SPDX-License-Identifier: MIT
"""Just-in-time building of kernels, and the cache that keeps them.

``build`` compiles kernel specs into kernel libraries; ``Cache`` is where they stay. Importing this
package loads neither the generator nor anything that draws progress.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ckdispatch.jit.builder import build
    from ckdispatch.jit.cache import Cache, CacheInfo, Damage, Removed
    from ckdispatch.jit.entry import Entry
    from ckdispatch.jit.progress import ProgressEvent, Stage
    from ckdispatch.jit.result import BuildResult

_HOMES = {
    "BuildResult": "result",
    "Cache": "cache",
    "CacheInfo": "cache",
    "Damage": "cache",
    "Entry": "entry",
    "ProgressEvent": "progress",
    "Removed": "cache",
    "Stage": "progress",
    "build": "builder",
}

__all__ = [
    "BuildResult",
    "Cache",
    "CacheInfo",
    "Damage",
    "Entry",
    "ProgressEvent",
    "Removed",
    "Stage",
    "build",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
