# SPDX-License-Identifier: MIT
"""The manifest of a kernel set: its kernels, where their libraries are and what they use."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ckinspect import description, files
from ckinspect.description import Description
from ckinspect.errors import InspectError

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Entry:
    """A kernel of a set: its description, its library, and where the manifest's reader finds that.

    `relative_path` starts at the manifest's folder.
    """

    description: Path
    library: Path
    relative_path: PurePosixPath

    @staticmethod
    def parse(text: str, folder: Path) -> Entry:
        """Reads DESCRIPTION=LIBRARY[=RELATIVE_PATH] for a manifest in `folder`."""
        parts = text.split("=")
        if len(parts) not in (2, 3) or not all(parts):
            raise InspectError(
                f"the entry {text!r} is not DESCRIPTION=LIBRARY or DESCRIPTION=LIBRARY=PATH;"
                f" write it like x.json=libx.so."
            )
        relative_path = parts[2] if len(parts) == 3 else os.path.relpath(parts[1], folder)
        entry = Entry(Path(parts[0]), Path(parts[1]), PurePosixPath(relative_path))
        if entry.relative_path.is_absolute() or entry.relative_path.name != entry.library.name:
            raise InspectError(
                f"the entry {text!r} must end in a relative path to {entry.library.name};"
                f" give the library's path as seen from the manifest's folder."
            )
        return entry


def compose(set_name: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """The manifest document; raises InspectError for an empty set or a kernel given twice."""
    if not set_name:
        raise InspectError("a kernel set without a name was asked for; give one with --set.")
    if not entries:
        raise InspectError(
            f"the kernel set {set_name} has no kernels; give at least one with --entry."
        )
    kernels: dict[str, dict[str, Any]] = {}
    paths: dict[str, str] = {}
    for entry in entries:
        kernel = _kernel(entry)
        name, path = kernel["name"], kernel["path"]
        if name in kernels:
            raise InspectError(
                f"the kernel set {set_name} has two kernels named {name};"
                f" give each kernel of a set once."
            )
        if path in paths:
            raise InspectError(
                f"the kernel set {set_name} has the library {path} for both {paths[path]} and"
                f" {name}; give each kernel its own library."
            )
        kernels[name] = kernel
        paths[path] = name
    ordered = [kernels[name] for name in sorted(kernels)]
    return {
        "kernels": ordered,
        "schema_version": SCHEMA_VERSION,
        "set": set_name,
        "spilling": [kernel["name"] for kernel in ordered if kernel["spills"]],
    }


def _kernel(entry: Entry) -> dict[str, Any]:
    described_bytes = files.read_bytes(entry.description)
    described = description.parse(
        files.parse_json(described_bytes, entry.description), entry.description
    )
    return {
        "description_sha256": files.sha256(described_bytes),
        "gpus": sorted(described.summaries),
        "library": entry.relative_path.name,
        "library_sha256": files.sha256(files.read_bytes(entry.library)),
        "name": described.name,
        "path": str(entry.relative_path),
        "spec": dict(described.spec),
        "spills": described.spills,
        "summary": {gpu: dict(summary) for gpu, summary in described.summaries.items()},
    }


def parse(document: Mapping[str, Any], path: Path) -> tuple[Description, ...]:
    """What the manifest at `path` says of its kernels; raises InspectError when it is not one."""
    kernels = document.get("kernels")
    if document.get("schema_version") != SCHEMA_VERSION or not isinstance(kernels, list):
        raise InspectError(
            f"{path} is not a manifest of schema version {SCHEMA_VERSION};"
            f" make it with the manifest command of this version."
        )
    return tuple(_described(kernel, path) for kernel in kernels)


def _described(kernel: Any, path: Path) -> Description:
    fields = kernel if isinstance(kernel, dict) else {}
    name, spec, summary = (fields.get(key) for key in ("name", "spec", "summary"))
    if not (isinstance(name, str) and isinstance(spec, dict) and isinstance(summary, dict)):
        raise InspectError(
            f"{path} has a kernel without name, spec or summary; make it with the manifest command."
        )
    summaries = {
        gpu: description.check_summary(path, gpu, figures) for gpu, figures in summary.items()
    }
    return Description(name=name, spec=spec, summaries=summaries)
