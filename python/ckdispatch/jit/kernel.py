# SPDX-License-Identifier: MIT
"""Compiling one kernel, step by step, in a work folder."""

from __future__ import annotations

import errno
import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ckarch import GpuSpec

from ckdispatch.jit.command import EXPORTS, SAMPLE, Command, Commands, precompiled_name
from ckdispatch.jit.files import write_file
from ckdispatch.jit.job import KernelJob
from ckdispatch.jit.library import check_library
from ckdispatch.jit.process import Processes
from ckdispatch.jit.result import LOG, Step
from ckdispatch.jit.trust import make_folder, open_own

Report = Callable[[str], None]

_ERROR = re.compile(r"^.*\b(?:fatal )?error: (.+)$", re.MULTILINE)
_LONGEST = 200
"""Characters of a compiler's error in a sentence."""


class CompileFailed(Exception):
    """A step failed; says which, and how it ended."""


@dataclass(frozen=True)
class Workplace:
    """A work folder with everything that the commands name in it."""

    folder: Path
    commands: Commands
    processes: Processes
    steps: list[Step] = field(default_factory=list)
    """What was run so far, in its order."""

    @classmethod
    def furnish(
        cls, folder: Path, commands: Commands, processes: Processes, links: Mapping[str, Path]
    ) -> Workplace:
        """Put links to what lies elsewhere into ``folder``."""
        for name, target in links.items():
            os.symlink(target, folder / name)
        return cls(folder, commands, processes)

    def run(self, command: Command, what: str) -> None:
        """Run one command with its output in the log; raises ``CompileFailed``."""
        with os.fdopen(
            open_own(self.folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab"
        ) as log:
            self._run(command, what, log)

    def _run(self, command: Command, what: str, log: IO[bytes]) -> None:
        log.write(f"$ {shlex.join(command)}\n".encode())
        log.flush()
        try:
            ended = self.processes.run(command, self.folder, log)
        except OSError as error:
            if error.filename != command[0]:
                raise
            raise CompileFailed(f"{what}: {command[0]} cannot be run ({error.strerror})") from error
        self.steps.append(Step(what, ended.seconds, ended.processor_seconds, ended.memory))
        if ended.code != 0:
            how = (
                f"was killed by signal {-ended.code}"
                if ended.code < 0
                else f"ended with exit code {ended.code}"
            )
            raise CompileFailed(f"{what}: {Path(command[0]).name} {how}")


def compile_kernel(
    job: KernelJob,
    place: Workplace,
    precompiled: Callable[[GpuSpec], Path | None],
    reject: Callable[[GpuSpec], None],
    report: Report,
) -> Path:
    """Make the library of ``job``; returns the folder that is to become its entry.

    ``precompiled`` gives the precompiled header of a GPU, if there is one at this moment, and
    ``reject`` is told about one that turned out to be of no use.
    """
    commands, folder = place.commands, place.folder
    write_file(folder / job.source_name, job.source, durable=False)
    write_file(folder / EXPORTS, job.shared.files.exports, durable=False)
    if job.shared.files.precompiled is not None:
        # A precompiled header wants to see what it was made of.
        write_file(folder / SAMPLE, job.shared.files.precompiled, durable=False)
    for gpu in commands.gpus:
        report(f"device code for {gpu.name}")
        _device_pass(job, place, gpu, precompiled(gpu), reject)
    report("host code")
    place.run(commands.bundle(), "bundling the code objects")
    place.run(
        commands.host(job.source_name, job.shared.family.row.host_needs_ck),
        "compiling the host side",
    )
    report("linking")
    place.run(commands.link(job.library), "linking")
    check_library(folder / job.library, job.name)
    return gather(folder, job.library, LOG)


def _device_pass(
    job: KernelJob,
    place: Workplace,
    gpu: GpuSpec,
    header: Path | None,
    reject: Callable[[GpuSpec], None],
) -> None:
    what = f"compiling for {gpu.name}"
    if header is not None:
        os.symlink(header, place.folder / precompiled_name(gpu))
        try:
            return place.run(place.commands.device(gpu, job.source_name, True), what)
        except CompileFailed:
            # Most likely the kernel is at fault; without the header that becomes certain.
            pass
    place.run(place.commands.device(gpu, job.source_name, False), what)
    if header is not None:
        reject(gpu)


def gather(folder: Path, *names: str) -> Path:
    """A folder of its own for these files, which is to become an entry."""
    filled = folder / "entry"
    make_folder(filled)
    for name in names:
        os.rename(folder / name, filled / name)
    return filled


def first_error(log: bytes) -> str:
    """The first error in a log, as the end of a clause, or nothing if the compiler named none."""
    found = _ERROR.search(log.decode("utf-8", "replace"))
    if found is None:
        return ""
    text = found[1].strip().rstrip(".")
    return f" ({text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'})"


def ran_out_of_space(log: bytes, folder: Path) -> bool:
    """Whether a compiler that wrote to ``folder`` failed because its disk is full."""
    if os.strerror(errno.ENOSPC).encode() in log:
        return True
    try:
        state = os.statvfs(folder)
    except OSError:
        return False
    # Some file systems do not count files; then there is nothing to run out of.
    return state.f_bavail == 0 or (state.f_files > 0 and state.f_favail == 0)
