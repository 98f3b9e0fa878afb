# SPDX-License-Identifier: MIT
"""Precompiled headers: what all kernels of a family parse alike, once for each GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ckarch import GpuSpec

from ckdispatch.jit.cache import Cache
from ckdispatch.jit.command import PRECOMPILED as FILE
from ckdispatch.jit.command import SAMPLE, Commands
from ckdispatch.jit.entry import FORMAT, key_of
from ckdispatch.jit.files import sha256_bytes, write_file
from ckdispatch.jit.job import FamilyJob
from ckdispatch.jit.kernel import Workplace, gather
from ckdispatch.jit.layout import PRECOMPILED
from ckdispatch.jit.locks import Lease
from ckdispatch.jit.result import LOG


class PrecompiledHeader:
    """The precompiled header of one family for one GPU, once it is there.

    A kernel compiles to the same code with it and without it, so nobody waits for it.
    """

    def __init__(
        self, shared: FamilyJob, gpu: GpuSpec, commands: Commands, identity: str, cache: Cache
    ) -> None:
        self.gpu = gpu
        self._sample = shared.files.precompiled
        self._cache = cache
        self._commands = commands
        self._rejected = False
        self._path: Path | None = None
        neutral = Commands.of_any_compiler(commands.gpus)
        self._inputs: dict[str, Any] = {
            "command": list(neutral.precompile(gpu)),
            "compiler": identity,
            "family": shared.family.name,
            "format": FORMAT,
            "headers": {"composable_kernel": shared.ck.digest, "own": shared.own.digest},
            "sample": sha256_bytes(self._sample or b""),
        }

    @property
    def key(self) -> str:
        """Its key in the cache."""
        return key_of(self._inputs)

    @property
    def possible(self) -> bool:
        """Whether there is something to precompile."""
        return self._sample is not None

    @property
    def path(self) -> Path | None:
        """Where it is, or None as long as it is not there."""
        return None if self._rejected else self._path

    def find(self, lease: Lease) -> bool:
        """Look into the cache; returns whether it is there."""
        found = self._cache.find(PRECOMPILED, self.key, lease)
        if found is not None:
            self._path = found.path(FILE)
        return found is not None

    def make(self, place: Workplace, lease: Lease, check: Callable[[], None]) -> None:
        """Make it, and keep it unless ``check`` raises; the caller holds the lock of its key.
        Raises ``CompileFailed``.
        """
        if self._sample is None or self.find(lease):
            return
        write_file(place.folder / SAMPLE, self._sample, durable=False)
        place.run(self._commands.precompile(self.gpu), f"precompiling for {self.gpu.name}")
        check()
        filled = gather(place.folder, FILE, LOG)
        facts = {"family": self._inputs["family"], "gpu": self.gpu.name}
        entry = self._cache.store(PRECOMPILED, self._inputs, facts, filled, lease, durable=False)
        self._path = entry.path(FILE)

    def reject(self) -> None:
        """A kernel failed with it and compiled without it: use it no more, and remove it."""
        self._rejected = True
        lock = self._cache.try_lock(self.key)
        if lock is not None:
            with lock:
                self._cache.discard(PRECOMPILED, self.key)
