# SPDX-License-Identifier: MIT
"""What the parsers of several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.report import Report
from ckdispatch.families import EXAMPLE, FAMILIES
from ckdispatch.wording import quoted

Commands = Any
"""What argparse's ``add_subparsers`` returns; its class is private."""


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], Report],
    purpose: str,
    epilog: str,
) -> argparse.ArgumentParser:
    """A command that calls ``run`` and has ``--json``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document and no more")
    parser.set_defaults(run=run)
    return parser


def add_kernels(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """``--kernels``."""
    parser.add_argument(
        "--kernels",
        action="append",
        required=required,
        metavar="SET",
        help=f"the kernels: the name of a set, such as {EXAMPLE.example_kernels}, or the path of a"
        " manifest, of what `build --save` wrote, or of a kernel library; repeat for more",
    )


def needed_kernels(given: Sequence[str] | None, program: str) -> Sequence[str]:
    """What ``--kernels`` names, for a command that does not always need any."""
    if not given:
        raise UsageError(
            f"the following arguments are required: --kernels; see ckdispatch {program} --help"
        )
    return given


def add_problem(parser: argparse.ArgumentParser, count: str) -> None:
    """The words of one problem, or of several."""
    several = "problems" if count == "*" else "the problem"
    parser.add_argument(
        "problem",
        nargs=count,
        metavar="PROBLEM",
        help=f"{several}: such as {', or '.join(one.example for one in FAMILIES.values())}, "
        "in quotes or not",
    )


_DIGITS = 18
"""Of the largest number that an option takes."""


def whole(least: int) -> Callable[[str], int]:
    """A parser of whole numbers, of at least ``least``."""

    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > _DIGITS or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"{quoted(text)} is no whole number of at least {least}"
            )
        return int(text)

    return parse
