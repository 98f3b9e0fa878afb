# SPDX-License-Identifier: MIT
"""Just-in-time building of kernels, and the cache that keeps them.

``build`` compiles kernel specs into kernel libraries; ``Cache`` is where they stay. Importing this
package loads neither the generator nor anything that draws progress.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ckdispatch.jit.builder import build as build
    from ckdispatch.jit.cache import Cache as Cache
    from ckdispatch.jit.cache import CacheInfo as CacheInfo
    from ckdispatch.jit.cache import Damage as Damage
    from ckdispatch.jit.cache import Removed as Removed
    from ckdispatch.jit.entry import Entry as Entry
    from ckdispatch.jit.progress import ProgressEvent as ProgressEvent
    from ckdispatch.jit.progress import Stage as Stage
    from ckdispatch.jit.result import BuildResult as BuildResult

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

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
