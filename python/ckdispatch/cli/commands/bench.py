# SPDX-License-Identifier: MIT
"""``bench``: times problems, each with its best kernel or with every kernel."""

from __future__ import annotations

import argparse
from pathlib import Path

from ckdispatch.cli.benchmark.selected import measure_selected
from ckdispatch.cli.benchmark.timing import add_timing
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.options import Commands, add_command, add_kernels, add_problem
from ckdispatch.cli.problems import parse_problems
from ckdispatch.cli.report import Report
from ckdispatch.cli.running import add_running
from ckdispatch.families import EXAMPLE


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "bench",
        run,
        "time problems, each with the kernel that is selected for it, or with every kernel",
        "TFLOP/s and GB/s count the problem as it was given, not what padding adds, and each "
        "tensor once.\nOn the simulator times are those of the GPU by a model of it, where facts about its times are known.\n\n"
        f"Example:\n  ckdispatch bench {EXAMPLE.example} --kernels {EXAMPLE.example_kernels} --device sim:gfx942",
    )
    add_problem(parser, "*")
    parser.add_argument("--file", help="more problems, one on each line; - is standard input")
    add_kernels(parser)
    add_running(parser)
    add_timing(parser)
    parser.add_argument(
        "--all-kernels",
        action="store_true",
        help="time every kernel that takes the problem as it is, if its result is right, and write the times to --output",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the table for --all-kernels, .csv or .parquet; what is in it is not measured again",
    )


def run(options: argparse.Namespace) -> Report:
    """The times of the problems."""
    if options.all_kernels and options.output is None:
        raise UsageError("--all-kernels was asked for without --output; name the table for its times, such as times.csv")
    if options.output is not None and not options.all_kernels:
        raise UsageError("--output was asked for without --all-kernels; it is the table of what that measures")
    problems = parse_problems(options.problem, options.file)
    if not options.all_kernels:
        return measure_selected(problems, options)
    # It knows tables and the names of kernels, which no other command waits for.
    from ckdispatch.cli.benchmark.every_kernel import measure_every_kernel

    return measure_every_kernel(problems, options)
