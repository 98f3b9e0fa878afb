# SPDX-License-Identifier: MIT
"""Sources for many kernels at once, over several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from math import ceil
from pathlib import Path

from ckarch import ArchSpecs

from ckgen.core.errors import CkgenError
from ckgen.core.family import Family
from ckgen.core.render import Renderer
from ckgen.core.spec import KernelSpec
from ckgen.core.writer import write_if_changed

_PER_TASK = 32
"""Kernels handed to a process at a time; with fewer, passing them on costs more than it saves."""


@dataclass(frozen=True)
class GeneratedKernel:
    """A source file, and whether it had to be written, or the sentence why there is none."""

    name: str
    path: Path
    written: bool
    error: str = ""


Progress = Callable[[int, int, GeneratedKernel], None]


def render_kernel(family: Family, spec: KernelSpec, arch: ArchSpecs) -> str:
    """The source text of one kernel."""
    return _renderer(family.template).render({"family": family.row, **family.context(spec, arch)})


def generate(
    family: Family,
    specs: Sequence[KernelSpec],
    arch: ArchSpecs,
    output_dir: Path,
    jobs: int,
    progress: Progress,
    keep_going: bool = False,
) -> list[GeneratedKernel]:
    """Write ``<name>.cpp`` for each spec into ``output_dir``, in ``jobs`` processes.

    ``progress`` is told about each kernel, in the order of ``specs``, with its number from 1. The
    first failure is raised, or with ``keep_going`` each one is the ``error`` of its kernel.
    """
    make = partial(_generate_kernel, family, arch, output_dir, keep_going)
    done: list[GeneratedKernel] = []
    for kernel in _run(make, specs, min(jobs, ceil(len(specs) / _PER_TASK))):
        done.append(kernel)
        progress(len(done), len(specs), kernel)
    return done


def _run(
    make: Callable[[KernelSpec], GeneratedKernel], specs: Sequence[KernelSpec], jobs: int
) -> Iterator[GeneratedKernel]:
    if jobs <= 1:
        yield from map(make, specs)
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        try:
            yield from pool.map(make, specs, chunksize=_PER_TASK)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _generate_kernel(
    family: Family, arch: ArchSpecs, output_dir: Path, keep_going: bool, spec: KernelSpec
) -> GeneratedKernel:
    path = output_dir / f"{spec.name}.cpp"
    try:
        written = write_if_changed(path, render_kernel(family, spec, arch))
    except (CkgenError, OSError) as failure:
        if not keep_going:
            raise
        error = f"{spec.name} was not generated: {failure}"
        return GeneratedKernel(spec.name, path, written=False, error=error)
    return GeneratedKernel(spec.name, path, written)


_renderer = cache(Renderer)
