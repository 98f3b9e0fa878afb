# SPDX-License-Identifier: MIT
"""Threads: what is made at its first use, once, also in a forked child; waiting so that Ctrl-C is
heard; and work for all processors.
"""

from __future__ import annotations

import os
import queue
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")

_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


class Guard:
    """A lock that its holder may take again, and that a forked child finds free: no other thread is
    in there.
    """

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
        """Free again, whoever held it; whoever forked while it held the lock gives back the old
        one.
        """
        self._lock = threading.RLock()


def _after_fork() -> None:
    for guard in list(_guards):
        guard.renew()


os.register_at_fork(after_in_child=_after_fork)


def made_once(make: Callable[[], T]) -> Callable[[], T]:
    """A function that returns what ``make`` returned at its first call; one that fails is tried
    again.
    """
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


_LOOK_UP = 0.2
"""Seconds. A signal that comes just before Python begins to wait does not end the waiting."""


def awaited(items: queue.Queue[T] | queue.SimpleQueue[T]) -> T:
    """The next item of a queue."""
    while True:
        try:
            return items.get(timeout=_LOOK_UP)
        except queue.Empty:
            continue


def interruptible(work: Callable[[], T]) -> T:
    """``work()``, in a thread of its own.

    Python hears a signal only between its own steps, and a simulated launch is one step that may
    take minutes. After ``KeyboardInterrupt`` the thread still computes: the process must be ended.
    """
    done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    outcome: list[T] = []

    def body() -> None:
        try:
            outcome.append(work())
            done.put(None)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            done.put(error)

    thread = threading.Thread(target=body, name="ckdispatch-work", daemon=True)
    thread.start()
    error = awaited(done)
    thread.join()
    if error is not None:
        raise error
    return outcome[0]


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except OSError:
        return os.cpu_count() or 1


def spread(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """``work`` of each item, in their order, by a thread for each processor. Where the iterator is
    left, items that have not begun are left out.
    """
    # It takes longer to load than all else here, which every command needs.
    from concurrent.futures import ThreadPoolExecutor

    threads = ThreadPoolExecutor(processors(), "ckdispatch-spread")
    try:
        yield from threads.map(work, items)
    finally:
        threads.shutdown(cancel_futures=True)
