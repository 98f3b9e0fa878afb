# SPDX-License-Identifier: MIT
"""``evaluate``: what each strategy would have picked for the problems of a table, and what that is
worth.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ckdispatch.cli.exits import ExitCode, UsageError
from ckdispatch.cli.gathering import add_gathering, gathered_kernels
from ckdispatch.cli.judgement import WITH_MORE, Judgement, blocks, document
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import Commands, add_command, whole
from ckdispatch.cli.progress import Steps
from ckdispatch.cli.report import Report
from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.evaluation import PREDICTING, QUICK, RULES, SIMULATED, STRATEGIES

if TYPE_CHECKING:
    from ckdispatch.evaluation.serving import Serving
    from ckdispatch.registry import Registry


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "evaluate",
        run,
        "judge what each strategy would pick by a table of measured times",
        "Kernels of the table that --kernels does not have are compiled, unless the cache has "
        "them.\n"
        "docs/measurements.md has the formats of tables, and what the figures mean.\n\n"
        "Example:\n  ckdispatch evaluate --measurements times.csv --gpu gfx950 --strategy rules",
    )
    add_gathering(parser)
    parser.add_argument(
        "--strategy",
        action="append",
        choices=STRATEGIES,
        help=f"judge this one; repeat for more; by default all but {SIMULATED}, which takes a "
        "second or more for each kernel and problem",
    )
    parser.add_argument(
        "--every",
        type=whole(1),
        default=1,
        metavar="N",
        help="judge by each N-th problem of the table alone, beginning with the first",
    )
    parser.add_argument("--model", metavar="FILE", help="judge this model as the strategy `model`")


def run(options: argparse.Namespace) -> Report:
    """A row of figures for each strategy; nothing found if one that was asked
    for cannot be judged.
    """
    from ckdispatch.evaluation.measured import measured_on
    from ckdispatch.measurements.reading import read

    measured = measured_on(read(options.measurements), options.gpu).every(options.every)
    given = load_kernels(options.kernels) if options.kernels else None
    if measured.bounds and given is None:
        raise UsageError(
            f"{options.measurements} has best times without kernels; say whose predicted times are "
            "to be compared: --kernels"
        )
    gathered = gathered_kernels(measured, given, options) if measured.cases else None
    found = Judgement(measured, gathered)
    _judge(found, given, options)
    if not found.judged and not any(one.bounded for one in found.bounds.values()):
        why = (
            found.skipped.values()
            if not found.bounds
            else ["no kernel of --kernels computes any of its shapes"]
        )
        raise NotFound("; ".join(dict.fromkeys(why)))
    asked = [found.skipped[name] for name in options.strategy or () if name in found.skipped]
    return Report(
        document(found),
        blocks(found),
        ExitCode.NOT_FOUND if asked else ExitCode.OK,
        "; ".join(asked),
    )


def _judge(found: Judgement, given: Registry | None, options: argparse.Namespace) -> None:
    from ckdispatch.evaluation.strategies import any_more, judged, judged_bounds

    measured, gathered = found.measured, found.gathered
    for name in dict.fromkeys(options.strategy or QUICK):
        try:
            if gathered is not None:
                simulator = (
                    _simulator(gathered.registry, measured.gpu) if name == SIMULATED else None
                )
                steps = Steps(
                    f"problems served by {name}", len(measured.cases), quiet=options.quiet
                )
                found.judged[name] = judged(
                    measured,
                    gathered.registry,
                    name,
                    steps,
                    model=options.model,
                    simulator=simulator,
                )
            if measured.bounds and given is not None and name in PREDICTING:
                steps = Steps(f"shapes served by {name}", len(measured.bounds), quiet=options.quiet)
                found.bounds[name] = judged_bounds(
                    measured, given, name, steps, model=options.model
                )
                if name == RULES and any_more(measured):
                    steps = Steps(
                        "the same shapes with what their kernels do besides ours",
                        len(measured.bounds),
                        quiet=options.quiet,
                    )
                    found.bounds[WITH_MORE] = judged_bounds(
                        measured, given, name, steps, with_more=True
                    )
        except InvalidArgument as error:
            found.skipped[name] = f"{name} is not judged: {error}".rstrip(".")


def _simulator(registry: Registry, gpu: str) -> Serving:
    # What runs kernels is loaded for nothing else.
    from ckdispatch.cli.benchmark.simulating import Simulator

    return Simulator(registry, gpu)
