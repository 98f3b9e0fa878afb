# SPDX-License-Identifier: MIT
"""Times of problems with every kernel that takes them as they are; each counts only if its result
is right.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ckdispatch import device_list
from ckdispatch.cli.benchmark.ledger import Key, Ledger
from ckdispatch.cli.benchmark.time_left import TimeLeft
from ckdispatch.cli.benchmark.timing import (
    SIMULATOR,
    THOROUGH,
    Timing,
    ask_for_times,
    check_results_count,
    check_thorough,
    head,
    timing_of,
)
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.families import Workload, changed, commands_of
from ckdispatch.cli.report import Block, Facts, Report
from ckdispatch.cli.running import make_dispatcher, seed_of, sums_on_device
from ckdispatch.errors import DeviceFailed, OutOfMemory
from ckdispatch.measurements.row import MEASURED, RESOURCES, SIMULATED, Row
from ckdispatch.threads import interruptible
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.problem import Problem


@dataclass(frozen=True)
class Job:
    """A kernel that takes a problem, and the row about it as far as it is known before it runs."""

    problem: Problem
    row: Row


@dataclass
class Outcome:
    """What there was to do, and what came of it."""

    jobs: list[Job] = field(default_factory=list)
    without_kernel: list[str] = field(default_factory=list)
    """Problems."""
    before: int = 0
    """Rows that were there."""
    too_large: list[str] = field(default_factory=list)
    """Sentences about what found no memory."""
    wrong: list[Row] = field(default_factory=list)


def measure_every_kernel(problems: Sequence[Problem], options: argparse.Namespace) -> Report:
    """Writes the table; a wrong result, too little memory or a problem without a kernel are told at
    the end.
    """
    dispatcher = make_dispatcher(options)
    timing = timing_of(options, dispatcher.device_name, THOROUGH)
    if dispatcher.device_name.startswith("sim:"):
        check_results_count("--all-kernels")
        ask_for_times(dispatcher.device_name, of_all=True)
    else:
        check_thorough(timing)
    ledger = Ledger(options.output)
    seed = seed_of(options)
    try:
        outcome = interruptible(
            lambda: _measure_all(dispatcher, problems, ledger, timing, seed, options)
        )
    except KeyboardInterrupt:
        print(
            f"The table has {several(len(ledger.rows), 'row')}; "
            "the same command goes on from there.",
            file=sys.stderr,
            flush=True,
        )
        raise
    except BaseException:
        ledger.close()
        raise
    ledger.finish()
    return _report(outcome, dispatcher, ledger, seed)


def _measure_all(
    dispatcher: Dispatcher,
    problems: Sequence[Problem],
    ledger: Ledger,
    timing: Timing,
    seed: int,
    options: argparse.Namespace,
) -> Outcome:
    outcome, where = Outcome(), _where(dispatcher)
    for problem in dict.fromkeys(problems):
        problem = changed(problem, options, dispatcher.registry, dispatcher.selection)
        jobs = list(_jobs(dispatcher, problem, where))
        outcome.jobs += jobs
        if not jobs:
            outcome.without_kernel.append(problem.text)
    waiting = [job for job in outcome.jobs if Key.of(job.row) not in ledger.rows]
    outcome.before = len(outcome.jobs) - len(waiting)
    left = TimeLeft([job.problem.flops for job in waiting])
    last: tuple[Problem, Workload] | None = None
    for job in waiting:
        try:
            # Without the tensors of another problem, for which there may be no room beside its own.
            last = last if last is not None and last[0] == job.problem else None
            on_device = sums_on_device(options, dispatcher)
            last = _tried(dispatcher, job, last, seed, ledger, timing, on_device)
            told = _told(ledger.rows[Key.of(job.row)])
        except (OutOfMemory, MemoryError) as error:
            last = None
            told = f"too little memory: {error}"
            outcome.too_large.append(f"{job.row.problem}, {job.row.kernel}: {told}")
        left.tell(job.problem.flops, f"{job.row.problem}, {job.row.kernel}: {told}")
    rows = (ledger.rows.get(Key.of(job.row)) for job in outcome.jobs)
    outcome.wrong = [row for row in rows if row is not None and row.checked is False]
    return outcome


def _jobs(dispatcher: Dispatcher, problem: Problem, where: Mapping[str, Any]) -> Iterator[Job]:
    """Each kernel that takes the problem, with the parts that are its best; those with the same
    parts follow each other.
    """
    parts: dict[str, int] = {}
    for way in dispatcher.selection.rank(problem).fit:
        parts.setdefault(way.kernel, way.parts)
    for kernel in sorted(parts, key=parts.__getitem__):
        used = dispatcher.registry[kernel].resources.get(where["gpu"], {})
        resources: dict[str, Any] = {name: used[name] for name in RESOURCES if name in used}
        # A manifest does not say it; a library, once it was opened, does.
        resources["workgroup_size"] = resources.get("workgroup_size") or None
        row = Row(
            problem.family,
            problem.text,
            kernel,
            microseconds=0.0,
            parts=parts[kernel],
            **where,
            **resources,
        )
        yield Job(problem, row)


def _where(dispatcher: Dispatcher) -> dict[str, Any]:
    """The columns about the device. What a simulator gives is simulated, whatever else is so."""
    name, gpu = dispatcher.device_name, dispatcher.selection.gpu
    simulated = name.startswith("sim:")
    found: dict[str, Any] = {
        "gpu": gpu,
        "device": name,
        "provenance": SIMULATED if simulated else MEASURED,
    }
    for known in device_list.devices():
        if (known.name, known.gpu) == (name, gpu):
            product = name if simulated else known.product
            found |= {
                "device": product,
                "compute_units": known.compute_units,
                "clock_mhz": known.clock_mhz,
            }
    return found


def _tried(
    dispatcher: Dispatcher,
    job: Job,
    last: tuple[Problem, Workload] | None,
    seed: int,
    ledger: Ledger,
    timing: Timing,
    on_device: bool,
) -> tuple[Problem, Workload]:
    """Runs a kernel, times it if its result is right, and writes the row."""
    plan = dispatcher.plan(job.problem, kernel=job.row.kernel)
    workload = last[1].with_plan(plan) if last is not None else None
    if workload is None:
        last = None
        workload = commands_of(job.problem.family).workload(dispatcher, job.problem, plan, seed)
    try:
        workload.launch()
        comparison = workload.compare(on_device)
        if comparison.ok:
            times = timing.measure(dispatcher, plan, workload.tensors)
            ledger.append(_timed(job.row, times))
        else:
            ledger.append(_without_time(job.row, str(comparison)))
    except DeviceFailed as error:
        # Whoever goes on from here would else fail at the same kernel again.
        ledger.append(_without_time(job.row, str(error)))
        raise
    return job.problem, workload


def _timed(row: Row, times: dict[str, Any]) -> Row:
    microseconds, minimum = 1000 * times["median"], 1000 * times["minimum"]
    if minimum <= 0:
        return _without_time(row, "its time is below what the clock can tell", checked=True)
    note = _OWN if times["times"] == SIMULATOR else row.note
    return replace(
        row,
        microseconds=microseconds,
        minimum=minimum,
        repeats=len(times["milliseconds"]),
        checked=True,
        note=note,
    )


def _without_time(row: Row, why: str, checked: bool = False) -> Row:
    nothing: Any = None
    return replace(row, microseconds=nothing, checked=checked, note=" ".join(why.split()))


_OWN = "the simulator's own time, which says nothing about a GPU"


def _told(row: Row) -> str:
    return (
        f"wrong: {row.note}"
        if row.checked is False
        else row.note
        if row.microseconds is None
        else f"{row.microseconds:.1f} us"
    )


def _report(outcome: Outcome, dispatcher: Dispatcher, ledger: Ledger, seed: int) -> Report:
    device, count = dispatcher.device_name, len(outcome.jobs)
    simulated = device.startswith("sim:")
    measured = count - outcome.before - len(outcome.too_large)
    document = {
        "device": device,
        "gpu": dispatcher.selection.gpu,
        "simulated": simulated,
        "seed": seed,
        "output": str(ledger.path),
        "kernels": count,
        "measured": measured,
        "there_before": outcome.before,
        "wrong": [
            {"problem": row.problem, "kernel": row.kernel, "why": row.note} for row in outcome.wrong
        ],
        "without_kernel": outcome.without_kernel,
        "too_large": outcome.too_large,
    }
    facts = Facts(
        (
            ("table", f"{ledger.path}, {several(len(ledger.rows), 'row')}"),
            ("measured", str(measured)),
            ("there before", str(outcome.before)),
            ("wrong", str(len(outcome.wrong))),
            ("no kernel for", several(len(outcome.without_kernel), "problem")),
        )
    )
    notes = [
        f"{row.problem}, {row.kernel} is wrong: {row.note}" for row in outcome.wrong
    ] + outcome.too_large
    notes += [f"{text}: no kernel takes it as it is" for text in outcome.without_kernel]
    times = {
        SIMULATOR if row.note == _OWN else row.provenance
        for row in ledger.rows.values()
        if row.checked
    }
    heads: list[Block] = [head(device, kind) for kind in sorted(times)]
    return Report(document, (*heads, facts, *notes), *_ending(outcome))


def _ending(outcome: Outcome) -> tuple[ExitCode, str]:
    """The exit code of the worst that came of it, with its sentence."""
    if outcome.wrong:
        return ExitCode.FAILED, f"wrong results: {len(outcome.wrong)} of {len(outcome.jobs)}"
    if outcome.too_large:
        return (
            ExitCode.DEVICE_FAILED,
            f"too little memory for {len(outcome.too_large)} of {len(outcome.jobs)}",
        )
    if outcome.without_kernel:
        return (
            ExitCode.NOT_FOUND,
            f"without a kernel: {several(len(outcome.without_kernel), 'problem')}",
        )
    return ExitCode.OK, ""
