# SPDX-License-Identifier: MIT
"""Threads that all begin in the same moment, to find what is not made for several."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

THREADS = 8
_SWITCH = 1e-6
"""Seconds until Python lets another thread run: as often as it can."""


def at_once(work: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """What ``work`` returns for each thread's number, all begun together; raises what the first of
    them raised.
    """
    together = threading.Barrier(threads)
    results: dict[int, T] = {}
    errors: list[BaseException] = []

    def body(number: int) -> None:
        try:
            together.wait()
            results[number] = work(number)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            errors.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        running = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    if errors:
        raise errors[0]
    return [results[number] for number in range(threads)]
