# SPDX-License-Identifier: MIT
"""The part of a table that is about one GPU, as cases that can be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ckdispatch.config.values import gpu_target
from ckdispatch.errors import InvalidArgument
from ckdispatch.judging.cases import Case, Way, case_of
from ckdispatch.measurements.row import Row
from ckdispatch.measurements.table import Table, problem_of
from ckdispatch.problem import Problem


@dataclass(frozen=True)
class Measured:
    """``cases`` are of the problems at the same places; ``bounds`` have no kernel."""

    table: Table
    gpu: str
    cases: tuple[Case, ...]
    problems: tuple[Problem, ...]
    bounds: tuple[Row, ...]

    @property
    def complete(self) -> bool:
        """Whether there are cases whose picks can be judged."""
        return any(case.complete for case in self.cases)

    def every(self, step: int) -> Measured:
        """The first of so many cases that follow each other, and bounds likewise."""
        return replace(
            self,
            cases=self.cases[::step],
            problems=self.problems[::step],
            bounds=self.bounds[::step],
        )

    def kernels_of(self, case: Case) -> set[str]:
        return {kernel for kernel, _ in case.measured}


def measured_on(table: Table, gpu: str) -> Measured:
    """The rows that are of a GPU, or do not say of which; the others are left out, and counted."""
    units = gpu_target(gpu).gpu.compute_units

    def why_not(row: Row) -> str | None:
        if row.gpu and row.gpu != gpu:
            return f"they are of {row.gpu}"
        if row.compute_units is not None and row.compute_units != units:
            return (
                f"they are of a GPU with {row.compute_units} compute units, "
                f"and {gpu} has {units} here"
            )
        return "their results were not right" if row.checked is False else None

    kept = table.kept(why_not)
    if not kept.rows:
        told = "; ".join(f"{one.count} were left out because {one.why}" for one in kept.left_out)
        raise InvalidArgument(
            f"the measurements {table.path} have no row that can be judged on {gpu}: {told}"
        )
    cases, problems = [], []
    for name, rows in kept.cases().items():
        some = [row for row in rows if row.kernel]
        if some:
            cases.append(_case(name, some))
            problems.append(problem_of(some[0].family, some[0].problem))
    return Measured(
        kept, gpu, tuple(cases), tuple(problems), tuple(row for row in kept.rows if not row.kernel)
    )


def _case(name: str, rows: Sequence[Row]) -> Case:
    ways: list[tuple[Way, float]] = [((row.kernel, row.parts), row.microseconds) for row in rows]
    of = max((row.of_kernels or 0 for row in rows), default=0)
    return case_of(name, ways, complete=of <= len({row.kernel for row in rows}))
