# SPDX-License-Identifier: MIT
"""Looking into libraries that were just built."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ckdispatch.errors import IoFailed
from ckdispatch.native.structures import DuplicatePolicy
from ckdispatch.registry import Registry

if TYPE_CHECKING:
    from ckdispatch.jit import BuildResult


def save(results: list[BuildResult], path: Path) -> None:
    """Write a list of the libraries, which ``--kernels`` takes."""
    # A file's name may hold bytes that are no text.
    name = os.fsencode(path.name).decode(errors="replace").removesuffix(".json")
    document = _registry(results, name).to_json()
    # Whole or not at all: a list of before stays if the disk is full.
    new = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")
    try:
        new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise IoFailed(f"--save {path} cannot be written: {error.strerror}") from error


def refuse_spills(results: list[BuildResult]) -> list[BuildResult]:
    """The results, with those of kernels that spill registers as failures."""
    found = {kernel.name: kernel.resources for kernel in _registry(results, "built")}
    return [_judged(result, found) for result in results]


def spill_error(name: str, resources: Mapping[str, Mapping[str, int]]) -> str | None:
    """The sentence about a kernel that spills registers on some GPU."""
    for gpu, used in sorted(resources.items()):
        if used["vgpr_spills"] or used["scratch_bytes"]:
            return (
                f"{name} may not spill registers, but on {gpu} it spills {used['vgpr_spills']} "
                f"VGPRs and uses {used['scratch_bytes']} bytes of scratch; choose a smaller tile "
                "or allow spills in the declaration."
            )
    return None


def _judged(
    result: BuildResult, found: Mapping[str, Mapping[str, Mapping[str, int]]]
) -> BuildResult:
    error = spill_error(result.name, found[result.name]) if result.ok else None
    return replace(result, ok=False, error=error) if error else result


def _registry(results: list[BuildResult], name: str) -> Registry:
    registry = Registry(name=name)
    for result in results:
        if result.ok:
            registry.add_library(
                result.check(), sha256=result.sha256, duplicates=DuplicatePolicy.KEEP
            )
    return registry
