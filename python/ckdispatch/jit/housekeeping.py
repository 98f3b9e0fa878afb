# SPDX-License-Identifier: MIT
"""Looking after the cache: what it holds, what is damaged, what goes first when it is too large."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ckdispatch.errors import Damaged
from ckdispatch.jit.entry import RECORD, Entry, check_files, read_entry
from ckdispatch.jit import mark
from ckdispatch.jit.files import files_below, inside, move_away, remove_tree
from ckdispatch.jit.layout import KERNEL, KINDS, Layout
from ckdispatch.jit.leases import leased_items
from ckdispatch.jit.locks import SharedGate, try_lock

if TYPE_CHECKING:
    from ckdispatch.jit.cache import Cache


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


def entries(layout: Layout, kind: str | None) -> list[Entry]:
    """The entries whose record can be read, the last used first."""
    found: list[tuple[float, Entry]] = []
    for wanted in KINDS if kind is None else (kind,):
        for folder in layout.entries(wanted):
            with suppress(Damaged, OSError):
                entry = read_entry(folder, wanted, folder.name)
                found.append((_last_used(folder), entry))
    return [entry for _, entry in sorted(found, key=lambda pair: (-pair[0], pair[1].key))]


def info(layout: Layout, limit: int) -> CacheInfo:
    """How much the cache holds."""
    items = list(_items(layout))
    logs = [item for item in items if item.path.parent == layout.logs]
    return CacheInfo(
        folder=layout.root,
        limit=limit,
        bytes=sum(item.size for item in items),
        kernels=sum(item.name.startswith(f"{KERNEL}/") for item in items),
        entries=len(items) - len(logs),
        logs=len(logs),
    )


def prune(layout: Layout, limit: int) -> Removed:
    """Remove what was not used for longest until ``limit`` bytes are left; not what is in use."""
    count = size = in_use = 0
    if not layout.is_there():
        return Removed(0, 0, 0)
    layout.make()
    sweep(layout)
    gone: list[Path] = []
    with SharedGate(layout.gate).closing():
        leased = leased_items(layout.leases)
        items = sorted(_items(layout), key=lambda item: (item.used, item.name))
        total = sum(item.size for item in items)
        for item in items:
            if total <= limit:
                break
            if item.name in leased:
                in_use += 1
            elif _put_out_of_sight(item.path, gone):
                total -= item.size
                size += item.size
                count += 1
    for path in gone:
        remove_tree(path)
    return Removed(count, size, in_use)


def clear(layout: Layout) -> Removed:
    """Remove everything but what is in use."""
    removed = prune(layout, 0)
    for memo in inside(layout.memos, mark.MEMO):
        remove_tree(memo)
    return removed


def verify(cache: Cache) -> list[Damage]:
    """Check every entry; a damaged one is removed, unless someone is making it anew."""
    layout, damages = cache.layout, []
    for kind in KINDS:
        for folder in layout.entries(kind):
            reason = _what_is_wrong(folder, kind)
            if reason is None:
                continue
            lock = cache.try_lock(folder.name)
            if lock is None:
                continue
            with lock:
                reason = _what_is_wrong(folder, kind)
                if reason is not None:
                    cache.discard(kind, folder.name)
                    damages.append(Damage(kind, folder.name, f"{reason}."))
    return damages


def sweep(layout: Layout) -> None:
    """Remove what processes that died have left: work folders, locks, and what was being removed."""
    for path in (*inside(layout.work, mark.WORK_LOCK), *inside(layout.locks, mark.LOCK)):
        with suppress(OSError):
            lock = try_lock(path, create=False)
            if lock is not None:
                if path.parent == layout.work:
                    remove_tree(path.with_suffix(""))
                lock.release()
    for path in (*layout.evicted(), *mark.unfinished_marks(layout.root)):
        remove_tree(path)
    # A folder is made after its lock, so one without a lock belongs to nobody.
    for folder in inside(layout.work, mark.WORK):
        if not folder.with_suffix(".lock").exists():
            remove_tree(folder)


def _put_out_of_sight(path: Path, gone: list[Path]) -> bool:
    """Rename what is evicted, which takes no time and, on a full disk, no room."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.gone")
    try:
        moved = move_away(path, aside)
    except OSError:
        return False
    gone.append(aside)
    return moved


def _items(layout: Layout) -> Iterator[_Item]:
    for kind in KINDS:
        for folder in layout.entries(kind):
            with suppress(OSError):
                size = _size(folder, kind)
                yield _Item(f"{kind}/{folder.name}", folder, size, _last_used(folder))
    for log in inside(layout.logs, mark.LOG):
        with suppress(OSError):
            state = log.lstat()
            yield _Item(f"logs/{log.name}", log, state.st_size, state.st_mtime)


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
