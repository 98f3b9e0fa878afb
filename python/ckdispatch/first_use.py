# SPDX-License-Identifier: MIT
"""What is made at its first use: once, whichever threads come first, and in a forked child too."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TypeVar

T = TypeVar("T")

_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


class Guard:
    """A lock that its holder may take again, and that a forked child finds free: no other thread is in there."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _guards.add(self)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Alone, until this is exited."""
        with self._lock:
            yield

    def renew(self) -> None:
        """Free again, whoever held it; whoever forked while it held the lock gives back the old one."""
        self._lock = threading.RLock()


def _after_fork() -> None:
    for guard in list(_guards):
        guard.renew()


os.register_at_fork(after_in_child=_after_fork)


def made_once(make: Callable[[], T]) -> Callable[[], T]:
    """A function that returns what ``make`` returned at its first call; one that fails is tried again."""
    guard = Guard()
    made: list[T] = []

    @wraps(make)
    def get() -> T:
        if not made:
            with guard.held():
                if not made:
                    made.append(make())
        return made[0]

    return get
