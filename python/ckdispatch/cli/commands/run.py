# SPDX-License-Identifier: MIT
"""``run``: computes a problem on random inputs and compares the result with the reference."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.families import changed, commands_of
from ckdispatch.cli.options import Commands, add_command, add_kernels, add_problem
from ckdispatch.cli.problems import parse_problem
from ckdispatch.cli.report import Facts, Report
from ckdispatch.cli.running import (
    NUMPY,
    add_reference,
    add_running,
    make_dispatcher,
    planned,
    seed_of,
    sums_on_device,
)
from ckdispatch.families import EXAMPLE
from ckdispatch.threads import interruptible
from ckdispatch.wording import PARTS

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.problem import Problem


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "run",
        run,
        "compute a problem on random inputs and compare the result with the reference",
        "The same --seed gives the same inputs.\n\n"
        f"Example:\n  ckdispatch run {EXAMPLE.example} --kernels {EXAMPLE.example_kernels}"
        " --device sim:gfx942",
    )
    add_problem(parser, "+")
    add_kernels(parser)
    add_running(parser)
    parser.add_argument(
        "--validate",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compare the result with the reference",
    )
    add_reference(parser, NUMPY)


def run(options: argparse.Namespace) -> Report:
    """What ran where, and whether its result is right."""
    problem = parse_problem(options.problem)
    dispatcher = make_dispatcher(options)
    return interruptible(lambda: _run(dispatcher, problem, options))


def _run(dispatcher: Dispatcher, problem: Problem, options: argparse.Namespace) -> Report:
    family, seed = commands_of(problem.family), seed_of(options)
    problem = changed(problem, options, dispatcher.registry, dispatcher.selection)
    plan, changes = planned(dispatcher.plan, problem, options)
    workload = family.workload(dispatcher, problem, plan, seed)
    workload.launch()
    on_device = sums_on_device(options, dispatcher)
    comparison = workload.compare(on_device) if options.validate else None
    device = dispatcher.device
    document = {
        "problem": problem.to_json(),
        "kernel": plan.kernel,
        "device": device.name,
        "gpu": device.gpu,
        "simulated": device.simulated,
        "parts": plan.parts,
        "launches": plan.launches,
        "workspace_bytes": plan.workspace_bytes,
        "seed": seed,
        "changes": list(changes),
        "comparison": None if comparison is None else comparison.to_json(),
    }
    facts = Facts(
        (
            ("problem", problem.text),
            ("kernel", plan.kernel),
            ("device", f"{device.name}, {'simulated' if device.simulated else 'an AMD GPU'}"),
            (PARTS, str(plan.parts)),
            ("launches", str(plan.launches)),
            ("workspace", f"{plan.workspace_bytes} bytes"),
            ("seed", str(seed)),
            *(("changed", change) for change in changes or ("nothing",)),
            ("result", "not compared" if comparison is None else _verdict(comparison)),
        )
    )
    if comparison is None or comparison.ok:
        return Report(document, (facts,))
    return Report(document, (facts,), ExitCode.FAILED, f"the result is wrong: {comparison}")


def _verdict(comparison: Comparison) -> str:
    return f"{'right' if comparison.ok else 'wrong'}: {comparison}"
