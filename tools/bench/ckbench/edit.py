# SPDX-License-Identifier: MIT
"""Changing one entry of a declaration, and what the build runs because of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from ckarch import ArchSpecs

from ckbench.bazel import Workspace
from ckbench.errors import BenchError
from ckbench.execution_log import Spawn, log_flag, read_spawns
from ckbench.kernel_set import (
    SET_TARGET,
    KernelSet,
    declaration_file,
    load_kernel_set,
    make_kernel_set,
)


@dataclass(frozen=True)
class Edit:
    """A padding that is switched in one entry (counted from 1), and the kernel that it changes."""

    entry: int
    before: Any
    after: tuple[bool, bool, bool]
    old_kernel: str
    new_kernel: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Rebuild:
    """What a build ran after an edit."""

    edit: Edit
    spawns: tuple[Spawn, ...]

    @property
    def unrelated(self) -> tuple[Spawn, ...]:
        """Actions of other targets than the edited kernel and its set, which has the manifest."""
        related = (f"//kernels:{self.edit.new_kernel}", SET_TARGET)
        return tuple(spawn for spawn in self.spawns if spawn.target not in related)


def measure_edit(clone: Workspace, arch: ArchSpecs, folder: Path) -> Rebuild:
    """Edit the declaration of an up-to-date ``clone``, and build it again."""
    path = declaration_file(clone.root)
    edit = choose_edit(load_kernel_set(path, arch, clone.gpu), arch, clone.gpu)
    path.write_text(json.dumps(edit.data, indent=2) + "\n", encoding="utf-8")
    log = folder / "edit.json"
    clone.build(SET_TARGET, log_flag(log))
    return Rebuild(edit, tuple(read_spawns(log)))


def choose_edit(kernels: KernelSet, arch: ArchSpecs, gpu: str) -> Edit:
    """Switch the padding of m in the smallest entry where that gives another legal kernel."""
    entries = kernels.data["kernels"]
    for index in sorted(range(len(entries)), key=lambda i: _size(entries[i])):
        edit = _try_entry(kernels, entries, index, arch, gpu)
        if edit is not None:
            return edit
    raise BenchError("No entry of the declaration can be edited into another legal kernel.")


def _try_entry(
    kernels: KernelSet, entries: Sequence[Mapping[str, Any]], index: int, arch: ArchSpecs, gpu: str
) -> Edit | None:
    before = entries[index].get("pad", kernels.data.get("defaults", {}).get("pad"))
    m, n, k = before or (False, False, False)
    after = (not m, n, k)
    changed = [*entries]
    changed[index] = {**entries[index], "pad": list(after)}
    data = {**kernels.data, "kernels": changed}
    try:
        edited = make_kernel_set(data, arch, gpu)
    except BenchError:
        return None
    old = {spec.name for spec in kernels.specs}
    new = {spec.name for spec in edited.specs}
    if len(old - new) != 1 or len(new - old) != 1:
        return None
    return Edit(index + 1, before, after, (old - new).pop(), (new - old).pop(), data)


def _size(entry: Mapping[str, Any]) -> int:
    # Small tiles compile fastest and are furthest from spilling; wildcards are no single kernel.
    tile: Any = entry.get("tile")
    plain = isinstance(tile, list) and all(isinstance(extent, int) for extent in tile)
    return int(prod(tile)) if plain else sys.maxsize
