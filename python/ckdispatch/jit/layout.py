# SPDX-License-Identifier: MIT
"""The folders of the cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
        return self.root / "eviction.gate"

    def entry(self, kind: str, key: str) -> Path:
        """The folder of an entry."""
        return self.root / kind / key[:2] / key

    def make(self) -> None:
        """Make the folders that every process needs."""
        for folder in (self.locks, self.leases, self.work, self.logs, self.memos):
            folder.mkdir(parents=True, exist_ok=True)
