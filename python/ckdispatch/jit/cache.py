# SPDX-License-Identifier: MIT
"""The content-addressed cache that all processes of a user share.

An entry appears whole or not at all: it is filled in a folder of its own, sealed with the hash of
every file, and renamed into place. Whoever reads it checks those hashes first. What is damaged
counts as absent, and whoever holds the entry's lock replaces it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ckdispatch.errors import Damaged, InvalidArgument, IoFailed
from ckdispatch.jit import housekeeping
from ckdispatch.jit.entry import RECORD, Entry, check_files, key_of, read_entry, seal
from ckdispatch.jit.files import explain, move_away, remove_tree, sync, write_file
from ckdispatch.jit.housekeeping import CacheInfo, Damage, Removed
from ckdispatch.jit.layout import KINDS, Layout
from ckdispatch.jit.leases import Lease
from ckdispatch.jit.locks import FileLock, new_lock, try_lock
from ckdispatch.jit.places import cache_folder, cache_limit
from ckdispatch.jit.trust import check_folder, make_folder
from ckdispatch.native.arguments import checked_path, size
from ckdispatch.wording import quoted

_LONGEST_NAME = 180
"""Characters of a kernel's name in that of its log."""


class Cache:
    """A cache in ``folder``, by default the user's, that holds at most ``limit`` bytes.

    Nothing is read or written before it is needed. All methods may be called from any thread and
    while other processes use the same folder.
    """

    def __init__(self, folder: Path | str | None = None, limit: int | None = None) -> None:
        where = cache_folder() if folder is None else Path(os.path.abspath(checked_path("a cache folder", folder)))
        self.layout = Layout(where)
        self.limit = cache_limit() if limit is None else size("the limit of a cache", limit)

    @property
    def folder(self) -> Path:
        """Where the cache is."""
        return self.layout.root

    def lease(self) -> Lease:
        """A new lease; what is found or stored with it stays as long as it lives."""
        # In a cache that cannot be written, such as one on a full disk, what is there can still be found.
        self.layout.is_there()
        with suppress(OSError):
            self.layout.make()
        return Lease.open(self.layout.leases, self.layout.gate)

    def find(self, kind: str, key: str, lease: Lease) -> Entry | None:
        """The entry if it is there and whole; its files were just hashed."""
        if not self.layout.is_there():
            return None
        lease.add(f"{kind}/{key}")
        place = self.layout.entry(kind, key)
        check_folder(place.parent)
        try:
            entry = read_entry(place, kind, key)
            check_files(entry)
        except (OSError, Damaged):
            return None
        # The time of its record is when an entry was last used; in a cache of others it stays.
        with suppress(OSError):
            os.utime(entry.folder / RECORD)
        return entry

    def try_lock(self, key: str) -> FileLock | None:
        """The right to make the entry ``key``, or None while another process makes it."""
        with self.explaining("locking an entry"):
            self.layout.make()
            return try_lock(self.layout.locks / f"{key}.lock")

    @contextmanager
    def work_folder(self) -> Iterator[Path]:
        """An empty folder to make something in; it goes away at the end, also after a crash."""
        with self.explaining("making a work folder"):
            self.layout.make()
            housekeeping.sweep(self.layout)
            lock = new_lock(self.layout.work, ".lock")
        folder = lock.path.with_suffix("")
        try:
            with self.explaining("making a work folder"):
                make_folder(folder)
            yield folder
        finally:
            remove_tree(folder)
            lock.release()

    def store(
        self,
        kind: str,
        inputs: Mapping[str, Any],
        facts: Mapping[str, Any],
        filled: Path,
        lease: Lease,
        *,
        durable: bool = True,
    ) -> Entry:
        """Make the folder ``filled`` an entry; the caller holds the lock of its key.

        ``filled`` lies in a work folder and is no longer there afterwards. What can be made again
        in a moment need not be ``durable``: its hashes tell whether a power failure spoilt it.
        """
        key = key_of(inputs)
        lease.add(f"{kind}/{key}")
        with self.explaining("storing an entry"):
            seal(filled, kind, inputs, facts, durable=durable)
            final = self.layout.make_place(kind, key)
            self._discard(final, filled.parent)
            os.rename(filled, final)
            if durable:
                sync(final.parent)
        return read_entry(final, kind, key)

    def keep_log(self, name: str, key: str, text: bytes) -> Path:
        """Keep the log of a failed compile, in place of an older one; the caller holds the lock."""
        path = self.layout.logs / f"{name[:_LONGEST_NAME]}-{key[:32]}.log"
        with self.explaining("keeping a compiler log"):
            self.layout.make()
            path.unlink(missing_ok=True)
            try:
                write_file(path, text, durable=False)
            except OSError:
                path.unlink(missing_ok=True)
                raise
        return path

    def discard(self, kind: str, key: str) -> None:
        """Remove an entry that turned out to be of no use; the caller holds its lock."""
        with self.work_folder() as work:
            self._discard(self.layout.entry(kind, key), work)

    def info(self) -> CacheInfo:
        """How much the cache holds."""
        self.layout.is_there()
        return housekeeping.info(self.layout, self.limit)

    def list(self, kind: str | None = None) -> Sequence[Entry]:
        """The entries, the last used first; their files are not checked."""
        if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
            raise InvalidArgument(f"entries of the kind {quoted(kind)} were asked for; there are {', '.join(KINDS)}")
        self.layout.is_there()
        return housekeeping.entries(self.layout, kind)

    def verify(self) -> Sequence[Damage]:
        """Check every file of every entry; what is damaged is removed and returned."""
        self.layout.is_there()
        return housekeeping.verify(self)

    def prune(self, limit: int | None = None) -> Removed:
        """Evict what was not used for longest until the cache holds at most ``limit`` bytes.

        What a living process uses stays, even if that is more.
        """
        with self.explaining("evicting entries"):
            return housekeeping.prune(self.layout, self.limit if limit is None else size("the limit of a cache", limit))

    def clear(self) -> Removed:
        """Remove everything that no living process uses."""
        with self.explaining("clearing the cache"):
            return housekeeping.clear(self.layout)

    def _discard(self, folder: Path, work: Path) -> None:
        aside = work / f"old-{secrets.token_hex(8)}"
        if move_away(folder, aside):
            remove_tree(aside)

    @contextmanager
    def explaining(self, doing: str) -> Iterator[None]:
        try:
            yield
        except IoFailed:
            raise
        except OSError as error:
            raise explain(error, self.folder, doing) from error
