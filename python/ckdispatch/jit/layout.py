# SPDX-License-Identifier: MIT
"""The folders of the cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ckdispatch.errors import InvalidArgument
from ckdispatch.jit import mark, trust
from ckdispatch.jit.files import inside

KERNEL = "kernels"
HEADERS = "headers"
PRECOMPILED = "precompiled"
KINDS = (KERNEL, HEADERS, PRECOMPILED)


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
        return self.root / mark.GATE

    def entry(self, kind: str, key: str) -> Path:
        """The folder of an entry."""
        return self.root / kind / key[:2] / key

    def entries(self, kind: str) -> Iterator[Path]:
        """The folders of the entries of a kind, and of nothing that is called otherwise."""
        for first in inside(self.root / kind, mark.FIRST_TWO):
            yield from (path for path in inside(first, mark.KEY) if path.name.startswith(first.name))

    def evicted(self) -> Iterator[Path]:
        """Entries and logs that were put out of sight to be removed."""
        for kind in KINDS:
            for first in inside(self.root / kind, mark.FIRST_TWO):
                yield from inside(first, mark.EVICTED)
        yield from inside(self.logs, mark.EVICTED_LOG)

    def is_there(self) -> bool:
        """Whether there is a cache; refuses a folder that is none, and one that others can write to."""
        trust.check_place(self.root)
        try:
            names = os.listdir(self.root)
        except OSError:
            if os.path.isfile(self.root):
                raise InvalidArgument(f"the cache folder {self.root} is a file; set CKDISPATCH_CACHE to a folder.") from None
            return False
        is_marked = mark.check_mark(self.root, KINDS)
        for name in (*KINDS, *mark.MEMBERS):
            trust.check_folder(self.root / name)
        return is_marked or bool(names)

    def make(self) -> None:
        """Make the folders that every process needs, in a folder that is marked before anything else is in it."""
        trust.check_place(self.root)
        trust.make_folders(self.root)
        # Another may have made it in the meantime.
        if not self.is_there() or not mark.check_mark(self.root, KINDS):
            mark.write_mark(self.root)
        trust.restrict(self.root, trust.FOLDER)
        for name in mark.MEMBERS:
            trust.make_folder(self.root / name)

    def make_place(self, kind: str, key: str) -> Path:
        """The folder of an entry, whose parents are there then."""
        place = self.entry(kind, key)
        trust.make_folder(self.root / kind)
        trust.make_folder(place.parent)
        return place
