# SPDX-License-Identifier: MIT
"""``problems``: lists of problems that people care about, as the other commands take them."""

from __future__ import annotations

import argparse
from typing import Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.listed import add_listed, described, every_list, said, words_of
from ckdispatch.cli.options import Commands, add_command, whole
from ckdispatch.cli.report import Report
from ckdispatch.problem_lists import lists
from ckdispatch.wording import quoted


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "problems",
        run,
        "print lists of problems that people care about, or what lists there are",
        "A list has one problem on each line, which --file - of `bench` reads.\n\n"
        "Example:\n  ckdispatch problems resnet50 --dtype bf16 --batch 1,32 --sample 5 --seed 1",
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="the lists whose problems to print"
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="the lists that there are, which is also what no name prints",
    )
    add_listed(parser)
    parser.add_argument(
        "--sample", type=whole(1), metavar="N", help="print so many of them, chosen at random"
    )
    parser.add_argument("--seed", type=whole(0), metavar="N", help="of the sample; 0 by default")


def run(options: argparse.Namespace) -> Report:
    """The problems of the lists that were named, each once, or a table of all lists."""
    if options.names and options.list:
        raise UsageError(
            f"--list was asked for with {quoted(options.names[0])}; it shows all lists, "
            "so leave out one of the two"
        )
    if options.seed is not None and options.sample is None:
        raise UsageError("--seed was asked for without --sample; it is the sample's")
    if options.names:
        return _problems(options)
    if options.sample is not None or said(options):
        raise UsageError(
            "problems were asked for without the name of a list; "
            "`ckdispatch problems --list` has them"
        )
    return every_list()


def _problems(options: argparse.Namespace) -> Report:
    chosen = [lists.load(name) for name in options.names]
    listed = lists.distinct(
        one for some in chosen for one in some.problems(options.batch, words_of(options))
    )
    seed = options.seed or 0
    document: dict[str, Any] = {"lists": [described(some) for some in chosen]}
    if options.sample is not None:
        listed = lists.sample(listed, options.sample, seed)
        document["seed"] = seed
    document["problems"] = [
        {
            "problem": one.problem.text,
            "family": one.problem.family,
            "layers": list(one.layers),
            "times": one.times,
        }
        for one in listed
    ]
    return Report(document, ("\n".join(one.problem.text for one in listed),))
