# SPDX-License-Identifier: MIT
"""``evaluate``: what each strategy would have picked for the problems of a table, and what that is worth."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ckdispatch.cli.exits import ExitCode, UsageError
from ckdispatch.cli.judgement import Judgement, blocks, document
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import Commands, add_command, add_kernels, whole
from ckdispatch.cli.progress import Steps
from ckdispatch.cli.report import Report
from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.evaluation import PREDICTING, STRATEGIES
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.evaluation.kernels import Gathered
    from ckdispatch.evaluation.measured import Measured
    from ckdispatch.registry import Registry


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "evaluate",
        run,
        "judge what each strategy would pick by a table of measured times",
        "Kernels of the table that --kernels does not have are compiled, unless the cache has them.\n"
        "docs/measurements.md has the formats of tables, and what the figures mean.\n\n"
        "Example:\n  ckdispatch evaluate --measurements times.csv --gpu gfx950 --strategy rules",
    )
    parser.add_argument("--measurements", required=True, metavar="FILE", help="the table: CSV or Parquet")
    parser.add_argument("--gpu", required=True, help="the GPU that is chosen for, such as gfx950")
    parser.add_argument(
        "--strategy",
        action="append",
        choices=STRATEGIES,
        help="judge this one; repeat for more; all by default",
    )
    add_kernels(parser, required=False)
    parser.add_argument("--jobs", type=whole(1), metavar="N", help="kernels to compile at a time")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> Report:
    """A row of figures for each strategy; nothing found if one that was asked for cannot be judged."""
    from ckdispatch.evaluation.measured import measured_on
    from ckdispatch.measurements.reading import read

    measured = measured_on(read(options.measurements), options.gpu)
    given = load_kernels(options.kernels) if options.kernels else None
    if measured.bounds and given is None:
        raise UsageError(
            f"{options.measurements} has best times without kernels; say whose predicted times are to be compared: --kernels"
        )
    gathered = _gathered(measured, given, options) if measured.cases else None
    found = Judgement(measured, gathered)
    _judge(found, given, options)
    if not found.judged and not any(one.bounded for one in found.bounds.values()):
        why = found.skipped.values() if not found.bounds else ["no kernel of --kernels computes any of its shapes"]
        raise NotFound("; ".join(dict.fromkeys(why)))
    asked = [found.skipped[name] for name in options.strategy or () if name in found.skipped]
    return Report(document(found), blocks(found), ExitCode.NOT_FOUND if asked else ExitCode.OK, "; ".join(asked))


def _gathered(measured: Measured, given: Registry | None, options: argparse.Namespace) -> Gathered:
    """The table's kernels; says first what has to be built."""
    from ckdispatch.evaluation.kernels import gather, missing_from

    names = measured.table.kernels()
    missing = missing_from(names, options.gpu, given)
    if missing and not options.quiet:
        print(f"{len(missing)} of {several(len(names), 'kernel')} are not there: they are built", file=sys.stderr, flush=True)
    gathered = gather(names, options.gpu, given, max_workers=options.jobs, progress=not options.quiet)
    if not len(gathered.registry):
        raise NotFound(f"no kernel of {options.measurements} could be built: {next(iter(gathered.missing.values()))}")
    return gathered


def _judge(found: Judgement, given: Registry | None, options: argparse.Namespace) -> None:
    from ckdispatch.evaluation.strategies import judged, judged_bounds

    measured, gathered = found.measured, found.gathered
    for name in dict.fromkeys(options.strategy or STRATEGIES):
        try:
            if gathered is not None:
                steps = Steps(f"problems served by {name}", len(measured.cases), quiet=options.quiet)
                found.judged[name] = judged(measured, gathered.registry, name, steps)
            if measured.bounds and given is not None and name in PREDICTING:
                steps = Steps(f"shapes served by {name}", len(measured.bounds), quiet=options.quiet)
                found.bounds[name] = judged_bounds(measured, given, name, steps)
        except InvalidArgument as error:
            found.skipped[name] = f"{name} is not judged: {error}".rstrip(".")
