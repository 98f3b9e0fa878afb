# SPDX-License-Identifier: MIT
"""What the command line understands."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cksupport.family import families

Command = Callable[..., int]


def parser(runs: Mapping[str, Command]) -> argparse.ArgumentParser:
    """A parser that leaves the family in ``family`` and the command's function in ``run``."""
    whole = argparse.ArgumentParser(
        prog="support", description="What a family supports, and whether its rules are right."
    )
    names = whole.add_subparsers(required=True, metavar="FAMILY", dest="family")
    for row in families():
        what = f"What {row.title} supports, and whether its rules are right"
        one = names.add_parser(row.name, help=what, description=f"{what}.")
        _add_commands(one.add_subparsers(required=True, metavar="COMMAND"), row.name, runs)
    return whole


def _add_commands(commands: Any, family: str, runs: Mapping[str, Command]) -> None:
    def add(name: str, description: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name, help=description, description=f"{description}."
        )
        added.set_defaults(run=runs[name])
        return added

    def results(command: argparse.ArgumentParser, option: str, name: str) -> None:
        command.add_argument(
            option,
            type=Path,
            default=_workspace() / "evidence" / family / f"{name}.json",
            help="the file of results (default: %(default)s)",
        )

    listing = add("cells", "List the cells: the kernel of each, or its refusal")
    _choose_cells(listing)
    telling = add("status", "Say what is known; exit code 1 if a cell is bad or unknown")
    _choose_cells(telling)
    results(telling, "--results", "results")
    sweeping = add("sweep", "Try what was not tried yet; exit code 1 if a cell stays bad")
    _choose_cells(sweeping)
    results(sweeping, "--results", "results")
    sweeping.add_argument(
        "--with-sets",
        action="store_true",
        help="then try the kernels of the sets that ship too, in the time that is left",
    )
    results(sweeping, "--sets", "sets")
    _trying(sweeping)
    sweeping.set_defaults(only_compile=False)

    _choose_samples(add("draw", "Print kernels drawn at random"), 20)
    sampling = add(
        "samples",
        "Try kernels drawn at random; exit code 1 if a legal one is not right or an illegal one is",
    )
    _choose_samples(sampling, 200)
    instead = sampling.add_mutually_exclusive_group()
    instead.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="GPU:NAME",
        help="draw none: try this one, legal or not; repeatable",
    )
    instead.add_argument(
        "--known",
        action="store_true",
        help="draw none: try those of the file again that were made of other sources",
    )
    results(sampling, "--results", "samples")
    _trying(sampling)
    sampling.set_defaults(only_compile=False)

    setting = add(
        "sets", "Try the kernels of the sets that ship; exit code 1 if one is not right, or spills"
    )
    _choose_gpus(setting)
    setting.add_argument("--set", action="append", default=[], help="only this one; repeatable")
    results(setting, "--results", "sets")
    results(setting, "--matrix", "results")
    setting.add_argument(
        "--only-compile",
        action="store_true",
        help="run nothing: tell which spill, in a fraction of the time; exit code 1 if one does",
    )
    _trying(setting)

    rendering = add("render", "Write the pages from the results")
    results(rendering, "--results", "results")
    results(rendering, "--samples", "samples")
    results(rendering, "--sets", "sets")
    pages = {
        "--page": f"{family}.md",
        "--samples-page": f"{family}_samples.md",
        "--sets-page": f"{family}_sets.md",
    }
    for name, page in pages.items():
        rendering.add_argument(
            name,
            type=Path,
            default=_workspace() / "docs" / "support" / page,
            help="default: %(default)s",
        )
    rendering.add_argument(
        "--check", action="store_true", help="write nothing; exit code 1 if a page is stale"
    )


def _choose_gpus(command: argparse.ArgumentParser) -> None:
    command.add_argument("--gpu", action="append", default=[], help="only this one; repeatable")
    command.add_argument("--json", action="store_true", help="print JSON, and no progress")


def _choose_cells(command: argparse.ArgumentParser) -> None:
    _choose_gpus(command)
    command.add_argument("--table", action="append", default=[], help="only this one; repeatable")


def _choose_samples(command: argparse.ArgumentParser, count: int) -> None:
    _choose_gpus(command)
    command.add_argument(
        "--count", type=_positive, default=count, help="how many (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=1, help="another draws others (default: 1)")
    command.add_argument(
        "--border", action="store_true", help="kernels that a single rule refuses, with the rule"
    )


def _trying(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--jobs",
        type=_positive,
        default=os.cpu_count() or 1,
        help="compilers at once, and threads of the simulator (default: %(default)s)",
    )
    command.add_argument("--limit", type=_positive, help="kernels to try at most")
    command.add_argument(
        "--minutes",
        type=_positive,
        help="begin nothing after so many; what was tried is kept, "
        "and the next time goes on from there",
    )
    command.add_argument("--retry", action="store_true", help="try again what is not right")
    command.add_argument("--redo", action="store_true", help="try everything again")
    command.add_argument(
        "--timeout",
        type=float,
        default=300.0,
        help="seconds that the problems of one kernel may take (default: %(default)s)",
    )


def _workspace() -> Path:
    """The source tree, which ``bazel run`` names in the environment."""
    return Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))


def _positive(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 1")
