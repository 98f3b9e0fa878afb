# SPDX-License-Identifier: MIT
"""A second clone of the repository, and what building it takes when the first one is built."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ckbench.bazel import Workspace
from ckbench.execution_log import Spawn, log_flag, read_spawns
from ckbench.kernel_set import SET_TARGET
from ckbench.scratch import undisturbed

_NOT_COPIED = ("bazel-*", ".git", "__pycache__", ".pytest_cache", ".hypothesis")


@dataclass(frozen=True)
class CloneBuild:
    """What the clone's first build ran, and how its libraries compare with the first clone's."""

    spawns: tuple[Spawn, ...]
    libraries: int
    different: tuple[str, ...]

    @property
    def compiles(self) -> int:
        """Kernels that were compiled and not found in the cache."""
        return sum(spawn.mnemonic == "CkCompile" and not spawn.cached for spawn in self.spawns)


@contextmanager
def second_clone(original: Workspace, folder: Path) -> Iterator[Workspace]:
    """A copy of the workspace in ``folder``, with a Bazel server and an output base of its own."""
    root = folder / "clone"
    copy_workspace(original.root, root)
    clone = Workspace(root, original.gpu, folder / "output_base")
    try:
        yield clone
    finally:
        undisturbed(clone.shut_down)


def copy_workspace(source: Path, destination: Path) -> None:
    """Copy what a clone has: no outputs, no history, no caches. Links stay links."""
    shutil.copytree(source, destination, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))


def measure_clone(original: Workspace, clone: Workspace, folder: Path) -> CloneBuild:
    """Build a fresh ``clone`` and compare it with the ``original``, which is up to date."""
    log = folder / "clone.json"
    clone.build(SET_TARGET, log_flag(log))
    first, second = (_hashes(workspace) for workspace in (original, clone))
    different = tuple(sorted(n for n in first | second if first.get(n) != second.get(n)))
    return CloneBuild(tuple(read_spawns(log)), len(second), different)


def _hashes(workspace: Workspace) -> dict[str, str]:
    files = [file for file in workspace.files_of(SET_TARGET) if file.suffix == ".so"]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
