# SPDX-License-Identifier: MIT
"""Waiting for another thread so that Ctrl-C is heard."""

from __future__ import annotations

import queue
from typing import Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)

_LOOK_UP = 0.2
"""Seconds. A signal that comes just before Python begins to wait does not end the waiting."""


class _Queue(Protocol[T_co]):
    def get(self, block: bool = ..., timeout: float | None = ...) -> T_co: ...


def awaited(items: _Queue[T_co]) -> T_co:
    """The next item of a queue."""
    while True:
        try:
            return items.get(timeout=_LOOK_UP)
        except queue.Empty:
            continue
