# SPDX-License-Identifier: MIT
"""Hearing Ctrl-C while a library computes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_LOOK_UP = 0.2
"""Seconds. A signal that comes just before Python begins to wait does not end the waiting."""

_Outcome = tuple[bool, object]


def interruptible(work: Callable[[], T]) -> T:
    """``work()``, in a thread of its own.

    Python hears a signal only between its own steps, and a simulated launch is one step that may
    take minutes. After ``KeyboardInterrupt`` the thread still computes: the process must be ended.
    """
    done: queue.SimpleQueue[_Outcome] = queue.SimpleQueue()

    def body() -> None:
        try:
            done.put((True, work()))
        except BaseException as error:
            done.put((False, error))

    thread = threading.Thread(target=body, name="ckdispatch-work", daemon=True)
    thread.start()
    good, outcome = _awaited(done)
    thread.join()
    if not good:
        assert isinstance(outcome, BaseException)
        raise outcome
    return outcome  # type: ignore[return-value]


def _awaited(done: queue.SimpleQueue[_Outcome]) -> _Outcome:
    while True:
        try:
            return done.get(timeout=_LOOK_UP)
        except queue.Empty:
            continue
