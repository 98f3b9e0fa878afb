# SPDX-License-Identifier: MIT
"""Leases: what a living process uses is not evicted.

A process writes the entries that it uses into one file and keeps that file locked. That costs one
open file for any number of kernels, and a process that dies, however it dies, gives all back.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ckdispatch.jit import mark
from ckdispatch.jit.files import inside, read_file
from ckdispatch.jit.locks import FileLock, SharedGate, new_lock, try_lock

_SUFFIX = ".lease"


class Lease:
    """Keeps entries from being evicted as long as it lives. Safe to use from several threads.

    A copy that was pickled, and a lease in a cache that cannot be written, hold nothing.
    """

    def __init__(self, lock: FileLock | None = None, gate: Path | None = None) -> None:
        self._lock = lock
        self._gate = gate

    @classmethod
    def open(cls, folder: Path, gate: Path) -> Lease:
        """A new lease with its file in ``folder``; evictions hold ``gate`` closed."""
        try:
            return cls(new_lock(folder, _SUFFIX), gate)
        except OSError:
            return cls()

    def add(self, item: str) -> None:
        """Keep ``item`` from now on; waits for an eviction that is under way.

        On a full disk nothing can be written down, and a kernel that is there is still worth more
        than the promise that it stays.
        """
        if self._lock is None or self._gate is None:
            return
        with suppress(OSError), SharedGate(self._gate).passing():
            os.write(self._lock.descriptor, f"{item}\n".encode())

    def close(self) -> None:
        """Give everything back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # While the interpreter ends, what this needs may be gone; the lock ends with the process.
        with suppress(Exception):
            self.close()

    def __reduce__(self) -> tuple[type[Lease], tuple[()]]:
        return (Lease, ())


def leased_items(folder: Path) -> frozenset[str]:
    """What living processes use; the files of dead ones are removed. Call with the gate closed."""
    items: set[str] = set()
    for path in inside(folder, mark.LEASE):
        try:
            dead = try_lock(path, create=False)
            if dead is not None:
                dead.release()
            else:
                items.update(read_file(path).decode("ascii", "replace").split())
        except FileNotFoundError:
            continue
    return frozenset(items)
