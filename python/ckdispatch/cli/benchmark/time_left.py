# SPDX-License-Identifier: MIT
"""How far a long measurement is, and how long it will still take."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

_ALIKE = 1e9
"""Operations that take as long as what does not depend on a problem's size. It only has to be
roughly right.
"""


class TimeLeft:
    """Some pieces of work, done one after another; each is as long as its operations are many."""

    def __init__(self, flops: Sequence[float]) -> None:
        self._count = len(flops)
        self._all = sum(one + _ALIKE for one in flops)
        self._done = 0.0
        self._number = 0
        self._begin = time.monotonic()

    def tell(self, flops: float, what: str) -> None:
        """Says on standard error that one more is done, and what became of it."""
        self._number += 1
        self._done += flops + _ALIKE
        left = (time.monotonic() - self._begin) * max(self._all / self._done - 1, 0)
        ahead = f"; {duration(left)} left" if self._number < self._count else ""
        print(f"[{self._number}/{self._count}] {what}{ahead}", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A time in the unit that people would take."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"
