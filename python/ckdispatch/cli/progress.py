# SPDX-License-Identifier: MIT
"""Telling how long work goes on."""

from __future__ import annotations

import sys
import threading
import time

_EVERY = 2.0
"""Seconds between two lines."""


class Steps:
    """Says on stderr how many of ``total`` steps are done, now and then; nothing if it is ``quiet``
    or done soon. Threads may share it.
    """

    def __init__(self, what: str, total: int, *, quiet: bool = False) -> None:
        self._what = what
        self._total = total
        self._quiet = quiet
        self._done = 0
        self._lock = threading.Lock()
        self._began = self._told = time.monotonic()

    def __call__(self) -> None:
        """One more is done."""
        now = time.monotonic()
        with self._lock:
            self._done += 1
            if self._quiet or now - self._told < _EVERY:
                return
            self._told = now
            left = (now - self._began) / self._done * (self._total - self._done)
        print(
            f"[{self._done}/{self._total}] {self._what}, about {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )
