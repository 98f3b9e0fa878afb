# SPDX-License-Identifier: MIT
"""The folders of the cache, and its mark: only a folder that has it is written to, and only what a
cache made there is ever removed.

Everything that a cache makes has a name with a hash or a random number of at least 64 bits in it;
whatever is called otherwise is somebody else's, wherever it lies.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ckdispatch.errors import InvalidArgument
from ckdispatch.jit import trust
from ckdispatch.jit.files import inside, read_file, write_file

KERNEL = "kernels"
HEADERS = "headers"
PRECOMPILED = "precompiled"
KINDS = (KERNEL, HEADERS, PRECOMPILED)

MARK = "CACHEDIR.TAG"
"""As backup programs know it, which leave such a folder out."""

_OURS = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of kernels that ckdispatch "
    "compiled just in time. Format "
)
_FORMAT = 1
_TEXT = (
    f"{_OURS}{_FORMAT}.\n# It may be removed as a whole at any time; `ckdispatch cache --help` "
    "tells what else can be done.\n"
).encode()

_KEY, _TOKEN = "[0-9a-f]{64}", "[0-9a-f]{16}"
_GONE = r"\.[0-9a-f]{8}\.gone"

KEY = re.compile(_KEY)
EVICTED = re.compile(_KEY + _GONE)
FIRST_TWO = re.compile("[0-9a-f]{2}")
LOG = re.compile(r"\w{1,180}-[0-9a-f]{32}\.log", re.ASCII)
EVICTED_LOG = re.compile(LOG.pattern + _GONE, re.ASCII)
LOCK = re.compile(rf"{_KEY}\.lock")
LEASE = re.compile(rf"{_TOKEN}\.lease")
MEMO = re.compile(rf"{_KEY}\.json")
WORK = re.compile(_TOKEN)
WORK_LOCK = re.compile(rf"{_TOKEN}\.lock")
_NEW_MARK = re.compile(rf"{re.escape(MARK)}\.{_TOKEN}\.new")
_OLD_LOG = re.compile(r"\w+-[0-9a-f]{12}\.log", re.ASCII)
"""Of caches of before there were marks, which are still read but whose logs stay."""

GATE = "eviction.gate"
MEMBERS: dict[str, tuple[re.Pattern[str], ...]] = {
    "locks": (LOCK,),
    "leases": (LEASE,),
    "work": (WORK, WORK_LOCK),
    "logs": (LOG, EVICTED_LOG, _OLD_LOG),
    "memos": (MEMO,),
}
"""The names in the folders of a cache that are not of entries."""


@dataclass(frozen=True)
class Layout:
    """Where everything is below ``root``."""

    root: Path

    @property
    def locks(self) -> Path:
        """One file for each entry that is being made."""
        return self.root / "locks"

    @property
    def leases(self) -> Path:
        """One file for each process that uses entries."""
        return self.root / "leases"

    @property
    def work(self) -> Path:
        """Folders in which entries are made, each with a lock as long as its maker lives."""
        return self.root / "work"

    @property
    def logs(self) -> Path:
        """The compiler logs of kernels that failed."""
        return self.root / "logs"

    @property
    def memos(self) -> Path:
        """What was found out about files of the machine, with the state they had then."""
        return self.root / "memos"

    @property
    def gate(self) -> Path:
        """Closed while entries are evicted."""
        return self.root / GATE

    def entry(self, kind: str, key: str) -> Path:
        """The folder of an entry."""
        return self.root / kind / key[:2] / key

    def entries(self, kind: str) -> Iterator[Path]:
        """The folders of the entries of a kind, and of nothing that is called otherwise."""
        for first in inside(self.root / kind, FIRST_TWO):
            yield from (path for path in inside(first, KEY) if path.name.startswith(first.name))

    def left_over(self) -> Iterator[Path]:
        """Entries and logs that were put out of sight to be removed, and marks of processes that
        died while they wrote them.
        """
        for kind in KINDS:
            for first in inside(self.root / kind, FIRST_TWO):
                yield from inside(first, EVICTED)
        yield from inside(self.logs, EVICTED_LOG)
        yield from inside(self.root, _NEW_MARK)

    def is_there(self) -> bool:
        """Whether there is a cache; refuses a folder that is none, and one that others can write
        to.
        """
        trust.check_place(self.root)
        try:
            names = os.listdir(self.root)
        except OSError:
            if os.path.isfile(self.root):
                raise InvalidArgument(
                    f"the cache folder {self.root} is a file; set CKDISPATCH_CACHE to a folder."
                ) from None
            return False
        marked = is_marked(self.root)
        for name in (*KINDS, *MEMBERS):
            trust.check_folder(self.root / name)
        return marked or bool(names)

    def make(self) -> None:
        """Make the folders that every process needs, in a folder that is marked before anything
        else is in it.
        """
        trust.check_place(self.root)
        trust.make_folders(self.root)
        # Another may have made it in the meantime.
        if not self.is_there() or not is_marked(self.root):
            _write_mark(self.root)
        trust.restrict(self.root, trust.FOLDER)
        for name in MEMBERS:
            trust.make_folder(self.root / name)

    def make_place(self, kind: str, key: str) -> Path:
        """The folder of an entry, whose parents are there then."""
        place = self.entry(kind, key)
        trust.make_folder(self.root / kind)
        trust.make_folder(place.parent)
        return place


def is_marked(root: Path) -> bool:
    """Whether a folder is marked as a cache; refuses one that is none and holds something.

    A cache of before there were marks is known by its gate, if every name in it is one that a cache
    gives.
    """
    stranger: str | None = MARK
    try:
        text = read_file(root / MARK, own=True, most=len(_TEXT) + 64)
        if text == _TEXT:
            return True
        if text.startswith(_OURS.encode()):
            raise InvalidArgument(
                f"the folder {root} is a cache of another version of ckdispatch; remove it, or set "
                "CKDISPATCH_CACHE to another folder."
            )
    except FileNotFoundError:
        stranger = _stranger(root)
        if stranger == MARK:
            # Another process marked it after it was looked for.
            return is_marked(root)
    except OSError:
        pass
    if stranger is not None:
        raise InvalidArgument(
            f"the folder {root} was to be a cache, and it is neither empty nor one: it holds "
            f"{stranger}. Name a new or an empty "
            "folder, such as by CKDISPATCH_CACHE, since a cache removes what it no longer needs."
        )
    return False


def _write_mark(root: Path) -> None:
    """Marks a folder, in one moment."""
    new = root / f"{MARK}.{secrets.token_hex(8)}.new"
    write_file(new, _TEXT)
    try:
        os.rename(new, root / MARK)
    except FileNotFoundError:
        # Another process found it left over, after it had made the mark itself.
        if not (root / MARK).exists():
            raise


def _stranger(root: Path) -> str | None:
    """The first thing in an unmarked folder that no cache made, if there is any."""
    names = sorted(name for name in os.listdir(root) if not _NEW_MARK.fullmatch(name))
    if not names:
        return None
    if GATE not in names:
        return names[0]
    for name in names:
        if name in KINDS:
            found = _stranger_among_entries(root / name)
        elif name in MEMBERS:
            found = _first_other(root / name, MEMBERS[name])
        else:
            found = None if name == GATE else ""
        if found is not None:
            return os.path.join(name, found) if found else name
    return None


def _stranger_among_entries(folder: Path) -> str | None:
    found = _first_other(folder, (FIRST_TWO,))
    if found is not None:
        return found
    for below in inside(folder, FIRST_TWO):
        found = _first_other(below, (KEY, EVICTED))
        if found is not None:
            return os.path.join(below.name, found)
    return None


def _first_other(folder: Path, known: tuple[re.Pattern[str], ...]) -> str | None:
    if folder.is_symlink() or not folder.is_dir():
        return ""
    for name in sorted(os.listdir(folder)):
        if not any(pattern.fullmatch(name) for pattern in known):
            return name
    return None
