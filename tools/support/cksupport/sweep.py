# SPDX-License-Identifier: MIT
"""Builds and runs what the results do not know yet."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ckdispatch import Registry
from ckdispatch.errors import BuildFailed, GenerationFailed
from ckdispatch.jit import BuildResult, build
from ckgen.core.spec import KernelSpec

from cksupport.digests import Digests
from cksupport.family import support_of
from cksupport.kernels import Kernel
from cksupport.results import Result, Results
from cksupport.runner import Runner
from cksupport.verdicts import Outcome, Verdict


class Again(Enum):
    """Which known results are to be made again, although nothing has changed."""

    NONE = "none"
    BAD = "bad"
    ALL = "all"


_COMPILED_FOR_A_RUN = 4

MOST_IN_A_BATCH = 32
"""Kernels whose results would have to be made again after an interruption, if the cache is lost."""


@dataclass(frozen=True)
class Machine:
    """``jobs``: compilers at once, and threads of the simulator. ``timeout``: seconds for a run.

    After ``end``, by the monotonic clock, nothing is begun. With ``only_compile`` no kernel is run.
    """

    jobs: int
    timeout: float
    end: float | None = None
    only_compile: bool = False

    @property
    def batch(self) -> int:
        """The most kernels that are built together: few where time is short, because a batch is not
        left half done. What is not run takes less time.
        """
        if self.end is None:
            return MOST_IN_A_BATCH
        return self.jobs * (_COMPILED_FOR_A_RUN if self.only_compile else 1)

    @property
    def enough(self) -> Verdict:
        """How far a kernel has to come."""
        return Verdict.COMPILED if self.only_compile else Verdict.RIGHT

    @property
    def has_time(self) -> bool:
        """Whether a batch may be begun."""
        return self.end is None or time.monotonic() < self.end


Told = Callable[[str, KernelSpec, Outcome], None]
"""Is called with the GPU, the kernel and what became of it."""


def pending(
    kernels: Iterable[Kernel],
    results: Results,
    digests: Digests,
    again: Again = Again.NONE,
    *,
    only_compile: bool = False,
) -> list[Kernel]:
    """Every kernel that was not tried yet, or was made of something else then, once."""

    def wanted(kernel: Kernel) -> bool:
        known = results.known.get(kernel.key)
        if known is None or again is Again.ALL:
            return True
        if known.outcome.verdict is Verdict.COMPILED:
            unfinished = not only_compile
        else:
            unfinished = again is Again.BAD and known.outcome.verdict is not Verdict.RIGHT
        return unfinished or known.digest != digests.of(kernel.spec, kernel.gpu)

    return [one for one in {kernel.key: kernel for kernel in kernels}.values() if wanted(one)]


def sweep(
    kernels: Sequence[Kernel], results: Results, digests: Digests, machine: Machine, told: Told
) -> None:
    """Try the kernels, legal or not; each result is on the disk before the next begins."""
    for gpu, specs in batches(kernels, machine.batch):
        if not machine.has_time:
            return
        built = build(specs, [gpu], max_workers=machine.jobs, even_illegal=True)
        with Runner(gpu, machine.jobs, machine.timeout) as runner:
            for spec, made in zip(specs, built, strict=False):
                outcome = _outcome(spec, gpu, made, None if machine.only_compile else runner)
                results.record((gpu, spec.name), Result(outcome, digests.of(spec, gpu)))
                told(gpu, spec, outcome)


def batches(
    kernels: Iterable[Kernel], size: int = MOST_IN_A_BATCH
) -> Iterator[tuple[str, list[KernelSpec]]]:
    """The kernels in batches of one GPU.

    What operates on the same dtypes on a GPU comes with one kernel first, then with two more, then
    with four more, and so on: what is wrong with a dtype or a GPU as a whole is seen early.
    """
    turns: dict[tuple[str, str], int] = defaultdict(int)
    tiers: dict[tuple[int, str], list[KernelSpec]] = defaultdict(list)
    gpus: dict[str, int] = {}
    for kernel in kernels:
        gpu, spec = kernel.gpu, kernel.spec
        group = (gpu, support_of(spec).operands_of(spec))
        gpus.setdefault(gpu, len(gpus))
        turns[group] += 1
        tiers[turns[group].bit_length(), gpu].append(spec)
    for (_, gpu), specs in sorted(tiers.items(), key=lambda item: (item[0][0], gpus[item[0][1]])):
        for start in range(0, len(specs), size):
            yield gpu, specs[start : start + size]


def _outcome(spec: KernelSpec, gpu: str, made: BuildResult, runner: Runner | None) -> Outcome:
    if made.library is not None:
        return runner.run(spec, made.library) if runner else _compiled(made.library, gpu)
    if made.error_type is GenerationFailed:
        return Outcome(Verdict.NOT_GENERATED, made.error or "")
    if made.error_type is not BuildFailed:
        # Not the kernel's fault: no compiler, no space, no headers.
        made.check()
    return Outcome(Verdict.NOT_COMPILED, _in_short(made.error or "", spec))


def _compiled(library: Path, gpu: str) -> Outcome:
    registry = Registry(name="support")
    registry.add_library(library)
    (kernel,) = registry
    return Outcome(Verdict.COMPILED, resources=kernel.resources[gpu])


def _in_short(error: str, spec: KernelSpec) -> str:
    """Without where the log is, so that results are the same everywhere, and without the name."""
    said = error.partition("; the compiler's log is ")[0]
    return said.removeprefix(f"{spec.name} could not be built: ")
