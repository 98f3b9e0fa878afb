# SPDX-License-Identifier: MIT
"""What became of each kernel of a build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ckdispatch.errors import BuildFailed, CkDispatchError
from ckdispatch.jit.entry import Entry
from ckdispatch.jit.locks import Lease

LOG = "compile.log"
"""What the compiler printed, in the entry of a kernel."""


def library_name(kernel: str) -> str:
    """The file name of a kernel's library."""
    return f"lib{kernel}.so"


@dataclass(frozen=True)
class Step:
    """A program that was run for a kernel, or for headers that several share: what for, seconds by
    the clock, of processors, and most bytes of memory.
    """

    name: str
    seconds: float
    processor_seconds: float
    memory: int


@dataclass(frozen=True)
class BuildResult:
    """One kernel. Either ``ok`` with a ``library``, or not and with an ``error``, one sentence.

    ``seconds`` is what the kernel took in this build, and ``cached`` says that it was there
    already. ``steps`` are the programs that were run for it, ``log`` is what the compiler printed.
    As long as the result, or a copy of it, lives in this process, no process evicts the library
    from the cache.
    """

    name: str
    ok: bool
    library: Path | None = None
    sha256: str | None = None
    seconds: float = 0.0
    cached: bool = False
    log: Path | None = None
    error: str | None = None
    error_type: type[CkDispatchError] = field(default=BuildFailed, repr=False, compare=False)
    lease: Lease | None = field(default=None, repr=False, compare=False)
    steps: tuple[Step, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def failed(
        cls,
        name: str,
        error: CkDispatchError,
        seconds: float = 0.0,
        log: Path | None = None,
        steps: Sequence[Step] = (),
    ) -> BuildResult:
        """The result of a kernel that was not built because of ``error``."""
        told = str(error)
        return cls(
            name,
            False,
            seconds=seconds,
            log=log,
            error=told,
            error_type=type(error),
            steps=tuple(steps),
        )

    @classmethod
    def of(
        cls,
        name: str,
        entry: Entry,
        lease: Lease,
        seconds: float,
        cached: bool,
        steps: Sequence[Step] = (),
    ) -> BuildResult:
        """The result of a kernel whose library is in ``entry``, which ``lease`` keeps."""
        library = library_name(name)
        return cls(
            name=name,
            ok=True,
            library=entry.path(library),
            sha256=entry.files[library].sha256,
            seconds=seconds,
            cached=cached,
            log=entry.path(LOG),
            lease=lease,
            steps=tuple(steps),
        )

    def check(self) -> Path:
        """The library; raises the error if there is none."""
        if self.library is None:
            raise self.error_type(self.error or f"{self.name} was not built.")
        return self.library
