# SPDX-License-Identifier: MIT
"""How many compilers run at once, and the threads that run them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ckdispatch.errors import InvalidArgument
from ckdispatch.threads import processors
from ckdispatch.wording import quoted

MEMORY_PER_COMPILE = 800_000_000
"""Bytes; the largest tile takes 0.58 GB at its peak."""

_RETRY = 0.05


def worker_count(wanted: int | None, tasks: int) -> int:
    """How many threads for ``tasks``: what is wanted, or what processors and memory allow."""
    if wanted is None:
        wanted = min(processors(), available_memory() // MEMORY_PER_COMPILE)
    elif isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise InvalidArgument(f"max_workers is {quoted(wanted)}; it must be at least 1, or None.")
    return max(1, min(wanted, tasks))


def available_memory() -> int:
    """Bytes that new processes can use: what is free, within the limit of our control group."""
    found: list[int | None] = [_meminfo()]
    with suppress(OSError, ValueError, IndexError):
        # The unified hierarchy has one line, 0::/path; a limit of any folder above counts too.
        inside = Path("/proc/self/cgroup").read_text().strip().splitlines()[-1].split("::")[1]
        group = Path("/sys/fs/cgroup") / inside.lstrip("/")
        for folder in (group, *group.parents):
            found.append(_group_memory(folder))
    return min(value for value in found if value is not None)


def _meminfo() -> int:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return MEMORY_PER_COMPILE


def _group_memory(folder: Path) -> int | None:
    try:
        limit = int((folder / "memory.max").read_text())
        used = int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return None
    return max(0, limit - used)


@dataclass
class Task:
    """Something to do. ``run`` returns False if it must be tried again, for others are at it.

    An ``optional`` task only helps the others: nobody waits for it.
    """

    run: Callable[[], bool]
    optional: bool = False
    not_before: float = field(default=0.0, init=False)


class Pool:
    """Threads that work off tasks in order, and a task that must wait lets others pass."""

    def __init__(self, tasks: Sequence[Task], workers: int) -> None:
        self._waiting = deque(tasks)
        self._required = sum(not task.optional for task in tasks)
        self._change = threading.Condition()
        self._stopped = False
        self._threads = [
            threading.Thread(target=self._work, name=f"ckdispatch-jit-{number}", daemon=True)
            for number in range(workers)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Begin no further task."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def join(self) -> None:
        """Wait until every thread has ended."""
        for thread in self._threads:
            # Ctrl-C may come while threads are started; one that is not will find nothing to do.
            with suppress(RuntimeError):
                thread.join()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            finished = task.run()
            with self._change:
                if not finished:
                    task.not_before = time.monotonic() + _RETRY
                    self._waiting.append(task)
                elif not task.optional:
                    self._required -= 1
                self._change.notify_all()

    def _next(self) -> Task | None:
        with self._change:
            while not self._stopped and self._required > 0:
                now = time.monotonic()
                for task in self._waiting:
                    if task.not_before <= now:
                        self._waiting.remove(task)
                        return task
                self._change.wait(_RETRY)
        return None
