# SPDX-License-Identifier: MIT
"""Building kernels: what the cache has, and the rest by the compiler, several at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from ckarch import ArchSpecs, GpuSpec, load_specs
from ckgen.core.spec import KernelSpec

from ckdispatch.errors import (
    CkDispatchError,
    IllegalConfig,
    InvalidArgument,
    IoFailed,
    JitForbidden,
    NotFound,
)
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.compilation import Compilation
from ckdispatch.jit.compiler import Compiler, find_compiler
from ckdispatch.jit.entry import Entry
from ckdispatch.jit.headers import composable_kernel
from ckdispatch.jit.job import FamilyJob, KernelJob, kernel_job, request_of
from ckdispatch.jit.layout import KERNEL
from ckdispatch.jit.locks import Lease
from ckdispatch.jit.progress import BuildProgress, Listener, Stage, listening
from ckdispatch.jit.result import BuildResult
from ckdispatch.jit.sources import family_of, parse_gpus, why_illegal
from ckdispatch.jit.workers import worker_count
from ckdispatch.wording import kind_of

_OFF = frozenset({"0", "false", "no", "off"})

Jobs = dict[KernelSpec, KernelJob]


def build(
    specs: Sequence[KernelSpec],
    gpus: str | Sequence[str],
    *,
    max_workers: int | None = None,
    progress: bool | Listener = False,
    cache: Cache | None = None,
    even_illegal: bool = False,
) -> list[BuildResult]:
    """A kernel library for each of ``specs``, in their order, with code for all of ``gpus``.

    What the cache has is taken from there; the rest is compiled, ``max_workers`` kernels at a time
    (by default as many as processors and memory allow). A kernel that fails does not keep the
    others: its result has the error. Only arguments that make no sense raise. ``progress`` shows
    bars on a terminal and lines elsewhere, or is a function that is called with each
    ``ProgressEvent``. With CKDISPATCH_JIT=0 nothing is compiled. Ctrl-C kills the compilers and
    leaves nothing half done. What the rules refuse is built only if ``even_illegal``, which is for
    finding out whether a rule is right: such a kernel may compute anything.
    """
    if not isinstance(specs, Sequence) or isinstance(specs, (str, bytes)):
        raise InvalidArgument(f"build was given {kind_of(specs)}; it takes a list of kernel specs")
    if cache is not None and not isinstance(cache, Cache):
        raise InvalidArgument(
            f"build was given {kind_of(cache)} as its cache; it takes a jit.Cache, "
            "or None for the user's"
        )
    arch = load_specs()
    wanted = parse_gpus(gpus, arch)
    worker_count(max_workers, 1)
    for spec in specs:
        family_of(spec)
    store = Cache() if cache is None else cache
    lease = store.lease()
    with listening(progress) as listener:
        building = BuildProgress(specs, listener)
        compiler, why_not = _compiler(store)
        jobs = _jobs(building, arch, wanted, store, even_illegal)
        if compiler is not None:
            _take_from_cache(building, jobs, compiler, store, lease)
        missing = {spec: jobs[spec] for spec in building.open}
        if why_not is not None:
            _refuse(building, missing, why_not, store, lease)
        elif missing and compiler is not None:
            Compilation(building, missing, wanted, compiler, store, lease).run(max_workers)
            with suppress(IoFailed):
                store.prune()
        building.tell(Stage.END)
    return [building.results[spec] for spec in specs]


def _compiler(store: Cache) -> tuple[Compiler | None, CkDispatchError | None]:
    """The compiler, if there is one, and why it may not or cannot be used."""
    forbidden = os.environ.get("CKDISPATCH_JIT", "").strip().lower() in _OFF
    why_not: CkDispatchError | None = None
    if forbidden:
        why_not = JitForbidden(
            f"is not in the cache {store.folder}, and CKDISPATCH_JIT=0 forbids compiling it; build "
            "it where compiling is allowed, or unset CKDISPATCH_JIT."
        )
    try:
        return find_compiler(store.layout.memos), why_not
    except NotFound as error:
        return None, why_not or error


def _jobs(
    progress: BuildProgress,
    arch: ArchSpecs,
    gpus: tuple[GpuSpec, ...],
    store: Cache,
    even_illegal: bool,
) -> Jobs:
    """A job for every spec that can be built; the others get their result."""
    jobs: Jobs = {}
    families: dict[str, FamilyJob] = {}
    for spec in progress.specs:
        family = family_of(spec)
        try:
            illegal = None if even_illegal else why_illegal(family, spec, arch, gpus)
            if illegal is not None:
                raise IllegalConfig(illegal)
            if family.name not in families:
                families[family.name] = FamilyJob.of(family, composable_kernel(store.layout.memos))
            jobs[spec] = kernel_job(spec, families[family.name], arch, gpus)
        except CkDispatchError as error:
            progress.finish(spec, BuildResult.failed(spec.name, error))
    return jobs


def _take_from_cache(
    progress: BuildProgress, jobs: Jobs, compiler: Compiler, store: Cache, lease: Lease
) -> None:
    for spec, job in jobs.items():
        entry = store.find(KERNEL, job.key(compiler.identity), lease)
        if entry is not None:
            progress.finish(spec, BuildResult.of(job.name, entry, lease, 0.0, True))


def _refuse(
    progress: BuildProgress, missing: Jobs, why_not: CkDispatchError, store: Cache, lease: Lease
) -> None:
    """Nothing can be compiled: another compiler's library will do, or else the kernel has none."""
    others: Mapping[str, list[Entry]] = _by_request(store) if missing else {}
    for spec, job in missing.items():
        for other in others.get(request_of(job.request), ()):
            entry = store.find(KERNEL, other.key, lease)
            if entry is not None:
                progress.finish(spec, BuildResult.of(job.name, entry, lease, 0.0, True))
                break
        else:
            sentence = f"{job.name} {why_not}" if isinstance(why_not, JitForbidden) else why_not
            progress.finish(spec, BuildResult.failed(job.name, type(why_not)(str(sentence))))


def _by_request(store: Cache) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in store.list(KERNEL):
        found.setdefault(request_of(entry.inputs), []).append(entry)
    return found
