# SPDX-License-Identifier: MIT
"""Sources for many kernels at once, over several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import islice
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
    parts = _batches(specs, _PER_TASK)
    jobs = min(jobs, len(parts))
    done: list[GeneratedKernel] = []
    for batch in _run(family, parts, arch, output_dir, jobs, keep_going):
        for kernel in batch:
            done.append(kernel)
            progress(len(done), len(specs), kernel)
    return done


def _run(
    family: Family,
    parts: Sequence[Sequence[KernelSpec]],
    arch: ArchSpecs,
    output_dir: Path,
    jobs: int,
    keep_going: bool,
) -> Iterator[list[GeneratedKernel]]:
    if jobs <= 1:
        for part in parts:
            yield _generate_batch(family, part, arch, output_dir, keep_going)
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        waiting = [
            pool.submit(_generate_batch, family, part, arch, output_dir, keep_going)
            for part in parts
        ]
        try:
            for future in waiting:
                yield future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _generate_batch(
    family: Family,
    specs: Sequence[KernelSpec],
    arch: ArchSpecs,
    output_dir: Path,
    keep_going: bool,
) -> list[GeneratedKernel]:
    result = []
    for spec in specs:
        path = output_dir / f"{spec.name}.cpp"
        written, error = False, ""
        try:
            written = write_if_changed(path, render_kernel(family, spec, arch))
        except (CkgenError, OSError) as failure:
            if not keep_going:
                raise
            error = f"{spec.name} was not generated: {failure}"
        result.append(GeneratedKernel(spec.name, path, written, error))
    return result


@cache
def _renderer(template: Path) -> Renderer:
    return Renderer(template)


def _batches(specs: Sequence[KernelSpec], size: int) -> list[list[KernelSpec]]:
    remaining = iter(specs)
    return list(iter(lambda: list(islice(remaining, size)), []))
