# SPDX-License-Identifier: MIT
"""What ``--kernels`` names: sets, manifests, saved builds and single libraries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import NotFound
from ckdispatch.native import places
from ckdispatch.user_files import read_bytes

if TYPE_CHECKING:
    from ckdispatch.registry import Registry

_DEEPEST = 4
"""Folders of Bazel's output that are searched; sets of other modules are in external/MODULE."""


def load_kernels(sources: Sequence[str]) -> Registry:
    """The kernels of all ``sources``; one that is in two of them is taken once."""
    # Every command knows of --kernels, and some load none.
    from ckdispatch.registry import Registry

    names = (Path(source).name.removesuffix(".manifest.json") for source in sources)
    registry = Registry(name="+".join(names))
    for source in sources:
        _add(registry, source)
    return registry


def only_kernel(registry: Registry, name_or_key: str) -> Registry:
    """A registry with nothing but that kernel."""
    name = registry[name_or_key].name
    return registry.filter(predicate=lambda kernel: kernel.name == name)


def find_set(name: str) -> Path:
    """The manifest of a set, among the program's own files or in the clone that runs it."""
    try:
        return places.find_manifest(name)
    except NotFound:
        clone = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
        for manifest in _built(Path(clone), name) if clone else ():
            return manifest
        where = f"neither in this program nor built in {clone}" if clone else "not in this program"
        raise NotFound(
            f"the kernel set {name} was asked for and is {where}; build it, such as with "
            f"`./bazelw build //kernels:{name}`, or give the path of its manifest"
        ) from None


def _built(clone: Path, name: str) -> Iterator[Path]:
    """What Bazel built last in a clone, the manifest nearest to the top first."""
    for depth in range(_DEEPEST):
        yield from sorted((clone / "bazel-bin").glob("*/" * depth + f"{name}.manifest.json"))
    if scoped := places.find_in_repositories(clone / "bazel-bin" / "external", name):
        yield scoped


def _add(registry: Registry, source: str) -> None:
    from ckdispatch.native.structures import DuplicatePolicy
    from ckdispatch.registry import Registry

    path = Path(source)
    if path.suffix == ".so":
        if not path.is_file():
            raise NotFound(f"the kernel library {path} was asked for, and there is no such file")
        registry.add_library(os.path.abspath(path), duplicates=DuplicatePolicy.KEEP)
        return
    if path.suffix != ".json" and len(path.parts) == 1:
        path = find_set(source)
    elif not path.is_file():
        raise NotFound(f"the manifest {path} was asked for, and there is no such file")
    saved = _saved(path)
    if saved is None:
        registry.load_manifest(os.path.abspath(path), duplicates=DuplicatePolicy.KEEP)
    else:
        registry.merge(Registry.from_json(saved), duplicates=DuplicatePolicy.KEEP)


def _saved(path: Path) -> dict[str, Any] | None:
    """The document of a saved registry, or None for anything else, such as a manifest."""
    content = read_bytes(path, "the manifest")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and "registry" in document else None
