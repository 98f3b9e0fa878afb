# SPDX-License-Identifier: MIT
"""Compiling the kernels that the cache lacks, in worker threads."""

from __future__ import annotations

import errno
import os
import queue
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ckarch import GpuSpec
from ckgen.core.spec import KernelSpec

from ckdispatch.errors import BuildFailed, CkDispatchError, Damaged, IoFailed
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.command import Commands, links
from ckdispatch.jit.compiler import Compiler
from ckdispatch.jit.entry import Entry
from ckdispatch.jit.files import explain
from ckdispatch.jit.headers import unpack
from ckdispatch.jit.job import KernelJob
from ckdispatch.jit.kernel import (
    CompileFailed,
    Workplace,
    compile_kernel,
    first_error,
    ran_out_of_space,
)
from ckdispatch.jit.layout import KERNEL
from ckdispatch.jit.locks import Lease
from ckdispatch.jit.precompiled import PrecompiledHeader
from ckdispatch.jit.process import Cancelled, Processes
from ckdispatch.jit.progress import BuildProgress, Stage
from ckdispatch.jit.result import LOG, BuildResult, Step
from ckdispatch.jit.workers import Pool, Task, worker_count
from ckdispatch.threads import awaited

_POLL = 0.05


class Compilation:
    """Compiles the missing kernels of one build and reports each to ``progress``.

    Worker threads only put calls into a queue; the thread that called ``build`` makes them.
    """

    def __init__(
        self,
        progress: BuildProgress,
        missing: Mapping[KernelSpec, KernelJob],
        gpus: tuple[GpuSpec, ...],
        compiler: Compiler,
        cache: Cache,
        lease: Lease,
    ) -> None:
        self._progress = progress
        self._missing = missing
        self._compiler = compiler
        self._commands = Commands.by(compiler, gpus)
        self._cache = cache
        self._lease = lease
        self._processes = Processes()
        self._calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self._links: dict[str, Mapping[str, Path]] = {}
        self._headers: dict[tuple[str, str], PrecompiledHeader] = {}
        self._begun: set[str] = set()

    def run(self, max_workers: int | None) -> None:
        """Give every missing kernel its result."""
        # Headers are needed until the end of this build, the libraries longer.
        with self._cache.lease() as lease:
            try:
                self._prepare(lease)
            except CkDispatchError as error:
                for spec, job in self._missing.items():
                    self._progress.finish(spec, BuildResult.failed(job.name, error))
                return
            kernels = [Task(partial(self._kernel, *item)) for item in self._missing.items()]
            headers = self._precompile_tasks(lease)
            workers = worker_count(max_workers, len(kernels) + len(headers))
            self._work(Pool(in_good_order(kernels, headers, workers), workers))

    def _prepare(self, lease: Lease) -> None:
        wait = partial(time.sleep, _POLL)
        families = {job.shared.family.name: job.shared for job in self._missing.values()}
        for shared in families.values():
            ck = unpack(shared.ck, self._cache, lease, wait)
            own = unpack(shared.own, self._cache, lease, wait)
            self._links[shared.family.name] = links(self._compiler, ck, own)
            for gpu in self._commands.gpus:
                header = PrecompiledHeader(
                    shared, gpu, self._commands, self._compiler.identity, self._cache
                )
                if header.possible:
                    header.find(lease)
                    self._headers[shared.family.name, gpu.name] = header

    def _precompile_tasks(self, lease: Lease) -> list[Task]:
        wanted = [item for item in self._headers.items() if item[1].path is None]
        return [
            Task(partial(self._precompile, family, header, lease), optional=True)
            for (family, _), header in wanted
        ]

    def _work(self, pool: Pool) -> None:
        try:
            pool.start()
            while any(spec not in self._progress.results for spec in self._missing):
                awaited(self._calls)()
        finally:
            self._processes.stop()
            pool.stop()
            pool.join()

    def _precompile(self, family: str, header: PrecompiledHeader, lease: Lease) -> bool:
        """A task: make a precompiled header. Whatever goes wrong, the kernels do without."""
        try:
            lock = self._cache.try_lock(header.key)
            if lock is None:
                return header.find(lease)
            with lock, self._workplace(family) as place:
                header.make(place, lease, partial(self._check_compiler, "a precompiled header"))
                for step in place.steps:
                    self._calls.put(
                        partial(self._progress.tell, Stage.PRECOMPILED, family, step=step)
                    )
        except (CompileFailed, CkDispatchError, OSError, Cancelled):
            pass
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            self._calls.put(partial(_raise, error))
        return True

    def _kernel(self, spec: KernelSpec, job: KernelJob) -> bool:
        """A task: build one kernel, unless another process is at it."""
        try:
            result = self._attempt(job)
            if result is not None:
                self._calls.put(partial(self._progress.finish, spec, result))
            return result is not None
        except Cancelled:
            return True
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            self._calls.put(partial(_raise, error))
            return True

    def _attempt(self, job: KernelJob) -> BuildResult | None:
        """The result, or None if it is to be tried again because another process is at it."""
        key = job.key(self._compiler.identity)
        begin = time.monotonic()
        try:
            lock = self._cache.try_lock(key)
        except CkDispatchError as error:
            return BuildResult.failed(job.name, error)
        if lock is None:
            self._report(job, "waiting for another process")
            return None
        with lock:
            # Another process may have finished it between the first look and now.
            entry = self._cache.find(KERNEL, key, self._lease)
            if entry is not None:
                return self._success(job, entry, begin, cached=True)
            return self._compile(job, begin)

    def _compile(self, job: KernelJob, begin: float) -> BuildResult:
        try:
            with self._workplace(job.shared.family.name) as place:
                return self._compile_in(place, job, begin)
        except CkDispatchError as error:
            return BuildResult.failed(job.name, error, time.monotonic() - begin)
        except OSError as error:
            told = explain(error, self._cache.folder, f"compiling {job.name}")
            return BuildResult.failed(job.name, told, time.monotonic() - begin)

    def _compile_in(self, place: Workplace, job: KernelJob, begin: float) -> BuildResult:
        family = job.shared.family.name
        try:
            filled = compile_kernel(
                job,
                place,
                lambda gpu: self._precompiled(family, gpu),
                lambda gpu: self._headers[family, gpu.name].reject(),
                partial(self._report, job),
            )
        except (CompileFailed, Damaged) as failure:
            return self._failure(place, job, failure, begin)
        seconds = time.monotonic() - begin
        self._check_compiler(job.name)
        facts = {"name": job.name, "seconds": round(seconds, 3), "compiler": self._compiler.version}
        inputs = job.inputs(self._compiler.identity)
        entry = self._cache.store(KERNEL, inputs, facts, filled, self._lease)
        return self._success(job, entry, begin, cached=False, steps=place.steps)

    def _check_compiler(self, name: str) -> None:
        """What another compiler made than the one that the key tells is not kept."""
        if not self._compiler.is_as_before():
            raise BuildFailed(
                f"{name} was compiled while the compiler {self._compiler.clang} was replaced, so "
                "that nobody knows by which; "
                "build once more."
            )

    def _success(
        self, job: KernelJob, entry: Entry, begin: float, cached: bool, steps: Sequence[Step] = ()
    ) -> BuildResult:
        seconds = time.monotonic() - begin
        return BuildResult.of(job.name, entry, self._lease, seconds, cached, steps)

    def _failure(
        self, place: Workplace, job: KernelJob, failure: Exception, begin: float
    ) -> BuildResult:
        seconds = time.monotonic() - begin
        text = (place.folder / LOG).read_bytes()
        if ran_out_of_space(text, place.folder):
            full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            space = explain(full, self._cache.folder, f"compiling {job.name}")
            return BuildResult.failed(job.name, space, seconds)
        why = f"{job.name} could not be built: {failure}{first_error(text)}"
        try:
            log = self._cache.keep_log(job.name, job.key(self._compiler.identity), text)
        except IoFailed as error:
            return BuildResult.failed(job.name, BuildFailed(f"{why}; {error}"), seconds)
        told = BuildFailed(f"{why}; the compiler's log is {log}.")
        return BuildResult.failed(job.name, told, seconds, log, place.steps)

    def _precompiled(self, family: str, gpu: GpuSpec) -> Path | None:
        header = self._headers.get((family, gpu.name))
        return header.path if header is not None else None

    @contextmanager
    def _workplace(self, family: str) -> Iterator[Workplace]:
        with self._cache.work_folder() as folder:
            yield Workplace.furnish(folder, self._commands, self._processes, self._links[family])

    def _report(self, job: KernelJob, detail: str) -> None:
        stage = Stage.STEP if job.name in self._begun else Stage.STARTED
        self._begun.add(job.name)
        self._calls.put(partial(self._progress.tell, stage, job.name, detail))


def in_good_order(kernels: list[Task], headers: list[Task], workers: int) -> list[Task]:
    """When to precompile headers, which takes as long as it saves on two kernels in a row.

    It comes first if some worker has two kernels to compile, is left to the workers that have none,
    and left out if each has one: nothing would be won now, and much time lost.
    """
    if len(kernels) > workers:
        return [*headers, *kernels]
    return [*kernels, *headers] if len(kernels) < workers else kernels


def _raise(error: BaseException) -> None:
    raise error
