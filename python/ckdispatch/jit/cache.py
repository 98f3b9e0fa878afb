# SPDX-License-Identifier: MIT
"""The content-addressed cache that all processes of a user share.

An entry appears whole or not at all: it is filled in a folder of its own, sealed with the hash of
every file, and renamed into place. Whoever reads it checks those hashes first. What is damaged
counts as absent, and whoever holds the entry's lock replaces it. When the cache is too large, what
was not used for longest goes first.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckdispatch.arguments import checked_path, size
from ckdispatch.errors import Damaged, InvalidArgument, IoFailed
from ckdispatch.jit.entry import RECORD, Entry, check_files, key_of, read_entry, seal
from ckdispatch.jit.files import (
    explain,
    files_below,
    inside,
    move_away,
    remove_tree,
    sync,
    write_file,
)
from ckdispatch.jit.layout import KERNEL, KINDS, LOCK, LOG, MEMO, WORK, WORK_LOCK, Layout
from ckdispatch.jit.locks import FileLock, Lease, at_gate, leased_items, new_lock, try_lock
from ckdispatch.jit.places import cache_folder, cache_limit
from ckdispatch.jit.trust import check_folder, make_folder
from ckdispatch.wording import quoted

_LONGEST_NAME = 180
"""Characters of a kernel's name in that of its log."""


@dataclass(frozen=True)
class CacheInfo:
    """How much the cache holds; ``bytes`` is everything, also headers and logs."""

    folder: Path
    limit: int
    bytes: int
    kernels: int
    entries: int
    logs: int


@dataclass(frozen=True)
class Damage:
    """A damaged entry, and the sentence that says what is wrong with it."""

    kind: str
    key: str
    reason: str


@dataclass(frozen=True)
class Removed:
    """What was removed, and what was left because it is in use."""

    entries: int
    bytes: int
    in_use: int


@dataclass(frozen=True)
class _Item:
    """An entry, or the log of a failed compile."""

    name: str
    path: Path
    size: int
    used: float


class Cache:
    """A cache in ``folder``, by default the user's, that holds at most ``limit`` bytes.

    Nothing is read or written before it is needed. All methods may be called from any thread and
    while other processes use the same folder.
    """

    def __init__(self, folder: Path | str | None = None, limit: int | None = None) -> None:
        where = (
            cache_folder()
            if folder is None
            else Path(os.path.abspath(checked_path("a cache folder", folder)))
        )
        self.layout = Layout(where)
        self.limit = cache_limit() if limit is None else size("the limit of a cache", limit)

    @property
    def folder(self) -> Path:
        """Where the cache is."""
        return self.layout.root

    def lease(self) -> Lease:
        """A new lease; what is found or stored with it stays as long as it lives."""
        # In a cache that cannot be written, such as one on a full disk, what is there can still be
        # found.
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
            self._sweep()
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
        items = list(self._items())
        logs = [item for item in items if item.path.parent == self.layout.logs]
        return CacheInfo(
            folder=self.folder,
            limit=self.limit,
            bytes=sum(item.size for item in items),
            kernels=sum(item.name.startswith(f"{KERNEL}/") for item in items),
            entries=len(items) - len(logs),
            logs=len(logs),
        )

    def list(self, kind: str | None = None) -> Sequence[Entry]:
        """The entries whose record can be read, the last used first;
        their files are not checked.
        """
        if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
            raise InvalidArgument(
                f"entries of the kind {quoted(kind)} were asked for; there are {', '.join(KINDS)}"
            )
        self.layout.is_there()
        found: list[tuple[float, Entry]] = []
        for wanted in KINDS if kind is None else (kind,):
            for folder in self.layout.entries(wanted):
                with suppress(Damaged, OSError):
                    entry = read_entry(folder, wanted, folder.name)
                    found.append((_last_used(folder), entry))
        return [entry for _, entry in sorted(found, key=lambda pair: (-pair[0], pair[1].key))]

    def verify(self) -> Sequence[Damage]:
        """Check every file of every entry; what is damaged is removed, unless someone is making it
        anew, and returned.
        """
        self.layout.is_there()
        damages = []
        for kind in KINDS:
            for folder in self.layout.entries(kind):
                if (
                    _what_is_wrong(folder, kind) is None
                    or (lock := self.try_lock(folder.name)) is None
                ):
                    continue
                with lock:
                    reason = _what_is_wrong(folder, kind)
                    if reason is not None:
                        self.discard(kind, folder.name)
                        damages.append(Damage(kind, folder.name, f"{reason}."))
        return damages

    def prune(self, limit: int | None = None) -> Removed:
        """Evict what was not used for longest until the cache holds at most ``limit`` bytes.

        What a living process uses stays, even if that is more.
        """
        most = self.limit if limit is None else size("the limit of a cache", limit)
        with self.explaining("evicting entries"):
            return self._evict(most)

    def clear(self) -> Removed:
        """Remove everything that no living process uses."""
        with self.explaining("clearing the cache"):
            removed = self._evict(0)
            for memo in inside(self.layout.memos, MEMO):
                remove_tree(memo)
            return removed

    def _evict(self, limit: int) -> Removed:
        layout = self.layout
        if not layout.is_there():
            return Removed(0, 0, 0)
        layout.make()
        self._sweep()
        gone: dict[Path, int] = {}
        in_use = 0
        with at_gate(layout.gate, closing=True):
            leased = leased_items(layout.leases)
            items = sorted(self._items(), key=lambda item: (item.used, item.name))
            total = sum(item.size for item in items)
            for item in items:
                if total <= limit:
                    break
                if item.name in leased:
                    in_use += 1
                elif (aside := _put_out_of_sight(item.path)) is not None:
                    total -= item.size
                    gone[aside] = item.size
        for path in gone:
            remove_tree(path)
        return Removed(len(gone), sum(gone.values()), in_use)

    def _sweep(self) -> None:
        """Remove what processes that died have left: work folders, locks, and what was being
        removed.
        """
        layout = self.layout
        for path in (*inside(layout.work, WORK_LOCK), *inside(layout.locks, LOCK)):
            with suppress(OSError):
                lock = try_lock(path, create=False)
                if lock is not None:
                    if path.parent == layout.work:
                        remove_tree(path.with_suffix(""))
                    lock.release()
        for path in layout.left_over():
            remove_tree(path)
        # A folder is made after its lock, so one without a lock belongs to nobody.
        for folder in inside(layout.work, WORK):
            if not folder.with_suffix(".lock").exists():
                remove_tree(folder)

    def _items(self) -> Iterator[_Item]:
        for kind in KINDS:
            for folder in self.layout.entries(kind):
                with suppress(OSError):
                    yield _Item(
                        f"{kind}/{folder.name}", folder, _size(folder, kind), _last_used(folder)
                    )
        for log in inside(self.layout.logs, LOG):
            with suppress(OSError):
                state = log.lstat()
                yield _Item(f"logs/{log.name}", log, state.st_size, state.st_mtime)

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


def _put_out_of_sight(path: Path) -> Path | None:
    """Rename what is evicted, which takes no time and, on a full disk, no room; returns where it is
    then.
    """
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.gone")
    try:
        return aside if move_away(path, aside) else None
    except OSError:
        return None


def _size(folder: Path, kind: str) -> int:
    try:
        return read_entry(folder, kind, folder.name).size + (folder / RECORD).stat().st_size
    except Damaged:
        return sum((folder / name).lstat().st_size for name in files_below(folder))


def _last_used(folder: Path) -> float:
    """When an entry was last used; one without a record goes first."""
    try:
        return os.stat(folder / RECORD).st_mtime
    except OSError:
        return 0.0


def _what_is_wrong(folder: Path, kind: str) -> str | None:
    try:
        check_files(read_entry(folder, kind, folder.name))
    except FileNotFoundError:
        return None
    except Damaged as error:
        return str(error)
    return None
