# SPDX-License-Identifier: MIT
"""The kernels of a table: those that are there, and the rest built just in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ckdispatch.config.base import KernelConfig
from ckdispatch.native.structures import DuplicatePolicy
from ckdispatch.registry import Registry

if TYPE_CHECKING:
    from ckdispatch.jit import BuildResult


@dataclass(frozen=True)
class Gathered:
    """Kernels of a table; ``missing`` says why others are not there."""

    registry: Registry
    given: int
    built: int
    cached: int
    missing: dict[str, str]
    results: list[BuildResult] = field(repr=False)
    """Hold the cache's entries as long as their libraries may be opened."""


def missing_from(names: Sequence[str], gpu: str, given: Registry | None) -> list[str]:
    """The kernels that are not among those given, or hold no code for the GPU there."""
    there = set() if given is None else {kernel.name for kernel in given.filter(gpu=gpu)}
    return [name for name in names if name not in there]


def gather(
    names: Sequence[str],
    gpu: str,
    given: Registry | None = None,
    *,
    max_workers: int | None = None,
    progress: bool = False,
) -> Gathered:
    """A registry of the kernels of these names and no other. One that cannot be built does not lose
    the rest.
    """
    from ckdispatch import jit

    wanted = set(names)
    if given is None:
        registry = Registry(name="measured")
    else:
        registry = given.filter(gpu=gpu, predicate=lambda kernel: kernel.name in wanted)
    there = len(registry)
    lacking = missing_from(names, gpu, given)
    specs = [KernelConfig.parse(name).spec for name in lacking]
    results = jit.build(specs, [gpu], max_workers=max_workers, progress=progress) if specs else []
    for result in results:
        if result.ok:
            registry.add_library(
                result.check(), sha256=result.sha256, duplicates=DuplicatePolicy.REPLACE
            )
    return Gathered(
        registry,
        there,
        sum(result.ok and not result.cached for result in results),
        sum(result.ok and result.cached for result in results),
        {result.name: result.error or "" for result in results if not result.ok},
        results,
    )
