# SPDX-License-Identifier: MIT
"""``bench``: times problems, each with its best kernel or with every kernel."""

from __future__ import annotations

import argparse
from pathlib import Path

from ckdispatch.cli.benchmark.selected import measure_selected
from ckdispatch.cli.benchmark.suite import HELP, Suite, measure_suite
from ckdispatch.cli.benchmark.timing import add_timing
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.listed import add_listed, every_list, said
from ckdispatch.cli.options import Commands, add_command, add_kernels, add_problem, needed_kernels
from ckdispatch.cli.problems import parse_problems
from ckdispatch.cli.report import Report
from ckdispatch.cli.running import add_reference, add_running
from ckdispatch.families import EXAMPLE
from ckdispatch.problem_lists import lists
from ckdispatch.wording import quoted


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "bench",
        run,
        "time problems, each with the kernel that is selected for it, or with every kernel",
        "TFLOP/s and GB/s count the problem as it was given, not what padding adds, and each "
        "tensor once.\nOn the simulator times are those of the GPU by a model of it, where facts "
        "about its times are known.\n\n"
        f"Example:\n  ckdispatch bench {EXAMPLE.example} --kernels {EXAMPLE.example_kernels} "
        "--device sim:gfx942\n"
        "  ckdispatch bench --suite resnet50 --gpu gfx942",
    )
    add_problem(parser, "*")
    parser.add_argument("--file", help="more problems, one on each line; - is standard input")
    parser.add_argument(
        "--suite",
        metavar="NAME",
        help=f"the problems of a list, and the time of all its layers together; `{HELP}` shows the "
        f"lists: {', '.join(lists.names())}",
    )
    add_listed(parser)
    parser.add_argument(
        "--gpu",
        help="predict the times of a suite on this GPU, and run nothing; "
        "without a GPU they are predicted too",
    )
    add_kernels(parser, required=False)
    add_running(parser)
    add_timing(parser)
    parser.add_argument(
        "--validate",
        action="store_true",
        help="a time counts only if the result is right; always so with --all-kernels",
    )
    add_reference(parser, None)
    parser.add_argument(
        "--all-kernels",
        action="store_true",
        help="time every kernel that takes the problem as it is, if its result is right, "
        "and write the times to --output",
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
        raise UsageError(
            "--all-kernels was asked for without --output; name the table for its times, "
            "such as times.csv"
        )
    if options.output is not None and not options.all_kernels:
        raise UsageError(
            "--output was asked for without --all-kernels; it is the table of what that measures"
        )
    if options.suite == HELP:
        return every_list()
    suite = _suite(options)
    if suite is None:
        options.kernels = needed_kernels(options.kernels, "bench")
        problems = parse_problems(options.problem, options.file)
    else:
        options.kernels = options.kernels or suite.kernel_sets()
        problems = suite.problems
    if not options.all_kernels:
        return (
            measure_selected(problems, options) if suite is None else measure_suite(suite, options)
        )
    # It knows tables and the names of kernels, which no other command waits for.
    from ckdispatch.cli.benchmark.every_kernel import measure_every_kernel

    return measure_every_kernel(problems, options)


def _suite(options: argparse.Namespace) -> Suite | None:
    """The suite that was asked for; None if problems were."""
    if options.suite is None:
        if said(options) or options.gpu is not None:
            raise UsageError(
                "--dtype, --batch, --words or --gpu was asked for without --suite; "
                "they are about the problems of a list"
            )
        return None
    if options.problem or options.file is not None:
        also = quoted(options.problem[0]) if options.problem else f"--file {options.file}"
        raise UsageError(
            f"--suite {options.suite} was asked for with {also}; it has problems of its own, so "
            "leave out one of the two"
        )
    if options.all_kernels and options.gpu is not None:
        raise UsageError(
            "--all-kernels was asked for with --gpu, which runs nothing; "
            "name a device with --device"
        )
    return Suite.of(options)
