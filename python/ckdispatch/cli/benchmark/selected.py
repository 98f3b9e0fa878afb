# SPDX-License-Identifier: MIT
"""Times of problems, each with the kernel that is selected for it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.benchmark.simulating import waits_for_others
from ckdispatch.cli.benchmark.timing import (
    QUICK,
    SIMULATOR,
    ask_for_times,
    check_results_count,
    head,
    seed_for,
    timing_of,
)
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.families import changed, commands_of
from ckdispatch.cli.report import Block, Column, Report, Table
from ckdispatch.cli.running import make_dispatcher, planned, seed_of, sums_on_device
from ckdispatch.errors import NoKernel, Unsupported
from ckdispatch.threads import interruptible
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.problem import Problem

_TIMES = tuple(Column(f"{name} ms", right=True) for name in ("median", "min", "mean"))
_RATES = (Column("TFLOP/s", right=True), Column("GB/s", right=True))


@dataclass(frozen=True)
class Measured:
    """One problem: its times, or the sentence why no kernel computes it."""

    text: str
    document: dict[str, Any]

    @property
    def refusal(self) -> str | None:
        """Why there are no times."""
        error: str | None = self.document.get("error")
        return error


def measure_selected(problems: list[Problem], options: argparse.Namespace) -> Report:
    """A row of times for each problem; failed if a result is wrong, and nothing found if one of
    them has no kernel.
    """
    dispatcher, seed = make_dispatcher(options), seed_of(options)
    found = measure_all(dispatcher, problems, seed, options)
    device = dispatcher.device_name
    simulated = device.startswith("sim:")
    document = {
        "device": device,
        "gpu": dispatcher.selection.gpu,
        "simulated": simulated,
        "seed": seed,
        "results": [one.document for one in found],
    }
    return Report(document, blocks(found, device), *ending(found))


def ending(found: list[Measured]) -> tuple[ExitCode, str]:
    """The exit code, and a sentence if something is wrong or has no kernel."""
    wrong = sum("wrong" in one.document for one in found)
    without = sum(one.refusal is not None for one in found) - wrong
    of_all = f"of {several(len(found), 'problem')}"
    if wrong:
        return ExitCode.FAILED, f"wrong results: {wrong} {of_all}"
    if without:
        return ExitCode.NOT_FOUND, f"without a kernel: {without} {of_all}"
    return ExitCode.OK, ""


def measure_all(
    dispatcher: Dispatcher, problems: list[Problem], seed: int, options: argparse.Namespace
) -> list[Measured]:
    """The times of each problem, or why there are none."""
    of_all = options.validate or options.cpu_timer or waits_for_others(dispatcher.registry)
    ask_for_times(dispatcher.device_name, of_all=of_all)
    if options.validate:
        check_results_count("--validate")
    return interruptible(lambda: _measure_all(dispatcher, problems, seed, options))


def _measure_all(
    dispatcher: Dispatcher, problems: list[Problem], seed: int, options: argparse.Namespace
) -> list[Measured]:
    found = []
    for number, problem in enumerate(problems, 1):
        text = problem.text
        if len(problems) > 1:
            print(f"[{number}/{len(problems)}] {text}", file=sys.stderr, flush=True)
        try:
            document = _measure(dispatcher, problem, seed, options)
        except (NoKernel, Unsupported) as refusal:
            document = {"error": str(refusal)}
        found.append(Measured(text, {"problem": problem.to_json(), **document}))
    return found


def _measure(
    dispatcher: Dispatcher, problem: Problem, seed: int, options: argparse.Namespace
) -> dict[str, Any]:
    family = commands_of(problem.family)
    problem = changed(problem, options, dispatcher.registry, dispatcher.selection)
    plan, changes = planned(dispatcher.plan, problem, options)
    workload = family.workload(dispatcher, problem, plan, seed_for(dispatcher.device_name, seed))
    if options.validate:
        workload.launch()
        comparison = workload.compare(sums_on_device(options, dispatcher))
        if not comparison.ok:
            return {
                "kernel": plan.kernel,
                "wrong": str(comparison),
                "error": f"wrong: {comparison}",
            }
    times = timing_of(options, dispatcher.device_name, QUICK).measure(
        dispatcher, plan, workload.tensors
    )
    measured = ("times", "milliseconds", "median", "minimum", "mean")
    document = {
        "kernel": plan.kernel,
        "parts": plan.parts,
        "changes": list(changes),
        **{name: times[name] for name in measured},
    }
    if times["times"] != SIMULATOR:
        document |= rates(problem.flops, workload.bytes, times["median"])
    return document


def rates(flops: float, size: int, milliseconds: float) -> dict[str, float]:
    """What a GPU did in a second; nothing if it took no time that its clock could tell."""
    if milliseconds <= 0:
        return {}
    return {"tflops": flops / milliseconds / 1e9, "gb_per_s": size / milliseconds / 1e6}


def blocks(found: list[Measured], device: str) -> tuple[Block, ...]:
    """What people read: where it was, the times, and what else there is to say."""
    kinds = sorted({one.document["times"] for one in found if not one.refusal})
    without_rates = kinds == [SIMULATOR]
    columns = (
        Column("problem"),
        *_TIMES,
        *(() if without_rates else _RATES),
        Column("kernel", whole=False),
    )
    rows = tuple(_row(one, without_rates) for one in found if not one.refusal)
    notes = [f"{one.text}: {one.refusal}" for one in found if one.refusal]
    notes += [f"{one.text}: {say}" for one in found for say in one.document.get("changes", ())]
    return (
        *(head(device, kind) for kind in kinds),
        *((Table(columns, rows),) if rows else ()),
        *notes,
    )


def _row(one: Measured, without_rates: bool) -> tuple[str, ...]:
    times = tuple(f"{one.document[name]:.4g}" for name in ("median", "minimum", "mean"))
    rates = tuple(
        f"{one.document[name]:.1f}" if name in one.document else "-"
        for name in ("tflops", "gb_per_s")
    )
    return (one.text, *times, *(() if without_rates else rates), one.document["kernel"])
