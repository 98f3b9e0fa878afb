# SPDX-License-Identifier: MIT
"""Hearing Ctrl-C while a library computes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from ckdispatch.waiting import awaited

T = TypeVar("T")


def interruptible(work: Callable[[], T]) -> T:
    """``work()``, in a thread of its own.

    Python hears a signal only between its own steps, and a simulated launch is one step that may
    take minutes. After ``KeyboardInterrupt`` the thread still computes: the process must be ended.
    """
    done: queue.SimpleQueue[tuple[bool, object]] = queue.SimpleQueue()

    def body() -> None:
        try:
            done.put((True, work()))
        except BaseException as error:
            done.put((False, error))

    thread = threading.Thread(target=body, name="ckdispatch-work", daemon=True)
    thread.start()
    good, outcome = awaited(done)
    thread.join()
    if not good:
        assert isinstance(outcome, BaseException)
        raise outcome
    return outcome  # type: ignore[return-value]
