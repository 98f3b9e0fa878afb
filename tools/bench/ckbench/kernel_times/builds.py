# SPDX-License-Identifier: MIT
"""A build's kernels on problems, each with its simulated time; or the table of one that is gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckdispatch import Registry
from ckdispatch.cli.benchmark.simulating import Simulator
from ckdispatch.cli.problems import parse_problems
from ckdispatch.errors import InvalidArgument
from ckdispatch.measurements.reading import read
from ckdispatch.measurements.row import SIMULATED, Row
from ckdispatch.problem import Problem
from ckdispatch.wording import several

TABLES = (".csv", ".parquet")

_TYPICAL = {
    "gemm": "512x512x1024 {dtype_a} {layout} dtype_b={dtype_b}",
    "grouped_conv": "n8 g1 c64 k64 28x28 3x3 pad=1 {dtype_x} {direction}",
}
"""For whoever names no problems. An attention has too many kinds for one to be typical."""


@dataclass(frozen=True)
class Build:
    """A registry of kernels, or rows that were saved."""

    name: str
    registry: Registry | None = None
    saved: Sequence[Row] = ()


def build_of(given: str) -> Build:
    """A set by its name, its manifest, or a table of times that ``--save`` wrote."""
    # A relative path is the caller's, who is not where `bazel run` runs the program.
    path = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), given)
    if path.suffix in TABLES:
        rows = read(path).rows
        if any(row.provenance != SIMULATED for row in rows):
            raise InvalidArgument(
                f"the times of {given} are not all simulated; "
                "they cannot stand beside simulated ones"
            )
        return Build(given, saved=rows)
    return Build(given, Registry.load(path if path.suffix == ".json" else given))


def problems_of(build: Build, asked: Sequence[str]) -> list[Problem]:
    """The problems that were asked for, those of saved rows, or one for each kind of kernel."""
    if asked:
        return parse_problems(list(asked), None)
    if build.registry is None:
        return parse_problems([f"{row.family}: {row.problem}" for row in build.saved], None)
    texts = dict.fromkeys(
        _TYPICAL[kernel.spec["family"]].format(**kernel.spec)
        for kernel in build.registry
        if kernel.spec["family"] in _TYPICAL
    )
    if not texts:
        raise InvalidArgument(
            f"no problem is typical of the kernels of {build.name}; "
            "say on which they are to be timed: --problem"
        )
    return parse_problems(list(texts), None)


def timed(
    build: Build,
    problems: Sequence[Problem],
    gpu: str,
    known: dict[tuple[str, str, str], Row],
    say: Callable[[str], None],
) -> dict[tuple[str, str], Row]:
    """A row for each problem and kernel that takes it as it is, by their names.

    ``known`` has rows of kernels whose library is the same to the bit, by its hash, the kernel and
    the problem, and gets these.
    """
    if build.registry is None:
        texts = {problem.text for problem in problems}
        return {
            (row.problem, row.kernel): row
            for row in build.saved
            if row.gpu == gpu and row.problem in texts
        }
    simulator = Simulator(build.registry, gpu)
    found: dict[tuple[str, str], Row] = {}
    for number, problem in enumerate(problems, 1):
        kernels = [way.kernel for way in build.registry.rank(problem, gpu=gpu).fit]
        say(
            f"{build.name}: [{number}/{len(problems)}] {problem.text}, "
            f"{several(len(set(kernels)), 'kernel')}"
        )
        for kernel in dict.fromkeys(kernels):
            key = (build.registry[kernel].sha256, kernel, problem.text)
            row = known.get(key)
            if row is None:
                time = simulator.time(problem, kernel)
                if time is None:
                    continue
                plan, microseconds = time
                row = Row(
                    problem.family,
                    problem.text,
                    kernel,
                    microseconds,
                    SIMULATED,
                    parts=plan.parts,
                    gpu=gpu,
                    device=f"sim:{gpu}",
                )
            known[key] = found[problem.text, kernel] = row
    return found
