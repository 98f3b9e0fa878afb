# SPDX-License-Identifier: MIT
"""Locks between processes, which the operating system releases when their holder dies, and leases
that are made of them.

What a living process uses is not evicted: it writes the entries that it uses into one file and
keeps that file locked. That costs one open file for any number of kernels, and a process that dies,
however it dies, gives all back.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from ckdispatch.errors import IoFailed
from ckdispatch.jit.files import inside, read_file
from ckdispatch.jit.layout import LEASE
from ckdispatch.jit.trust import open_own

_BUSY = (errno.EWOULDBLOCK, errno.EACCES)


class FileLock(AbstractContextManager["FileLock"]):
    """A held lock on a file of its own. Made by ``try_lock``; released by hand or at the end.

    The file is removed on release. Whoever waited for it notices that it locked a file that is no
    longer there and begins again, so that no lock files pile up.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor
        self._owner = os.getpid()

    def release(self) -> None:
        """Give the lock back; once more does no harm."""
        if self.descriptor < 0:
            return
        descriptor, self.descriptor = self.descriptor, -1
        # A forked child has the same lock, and only the process that took it may give it back.
        # There, closing is not enough, for the child's descriptor would keep it.
        if os.getpid() == self._owner:
            with suppress(OSError):
                self.path.unlink()
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)

    def __exit__(self, *_: object) -> None:
        self.release()


def try_lock(path: Path, *, create: bool = True) -> FileLock | None:
    """The exclusive lock on ``path``, or None while another holds it.

    Without ``create`` a file that does not exist raises ``FileNotFoundError``.
    """
    flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0)
    while True:
        descriptor = open_own(path, flags)
        try:
            if not _flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, path):
                os.close(descriptor)
                return None
            if _is_still(path, descriptor):
                return FileLock(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def new_lock(folder: Path, suffix: str) -> FileLock:
    """A lock on a new file in ``folder`` that nobody else knows."""
    while True:
        # Whoever sweeps up after the dead may lock the file for a moment before we do.
        lock = try_lock(folder / f"{secrets.token_hex(8)}{suffix}")
        if lock is not None:
            return lock


@contextmanager
def at_gate(path: Path, *, closing: bool = False) -> Iterator[None]:
    """At a gate that many may pass at once, and one may close. Its file stays where it is.

    Waits until the gate is open, which it then is until this is exited; with ``closing``, until
    nobody passes, and closes it.
    """
    descriptor = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        _flock(descriptor, fcntl.LOCK_EX if closing else fcntl.LOCK_SH, path)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


class Lease(AbstractContextManager["Lease"]):
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
            return cls(new_lock(folder, ".lease"), gate)
        except OSError:
            return cls()

    def add(self, item: str) -> None:
        """Keep ``item`` from now on; waits for an eviction that is under way.

        On a full disk nothing can be written down, and a kernel that is there is still worth more
        than the promise that it stays.
        """
        if self._lock is None or self._gate is None:
            return
        with suppress(OSError), at_gate(self._gate):
            os.write(self._lock.descriptor, f"{item}\n".encode())

    def close(self) -> None:
        """Give everything back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

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
    for path in inside(folder, LEASE):
        try:
            dead = try_lock(path, create=False)
            if dead is not None:
                dead.release()
            else:
                items.update(read_file(path).decode("ascii", "replace").split())
        except FileNotFoundError:
            continue
    return frozenset(items)


def _flock(descriptor: int, operation: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, operation)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise IoFailed(
            f"the file {path} cannot be locked ({error.strerror}); set CKDISPATCH_CACHE to a "
            "folder on a file system with locks."
        ) from error
    return True


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether ``path`` still names the file that was locked."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    locked = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (locked.st_dev, locked.st_ino)
