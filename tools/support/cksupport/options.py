# SPDX-License-Identifier: MIT
"""What the command line understands."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., int]


def parser(
    *, cells: Command, sweep: Command, status: Command, render: Command, draw: Command
) -> argparse.ArgumentParser:
    """A parser that leaves the command's function in ``run``."""
    whole = argparse.ArgumentParser(prog="support", description="The support matrix of GEMM.")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, description: str, run: Command) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=description, description=f"{description}.")
        added.set_defaults(run=run)
        added.add_argument(
            "--results", type=Path, default=_page_folder() / "gemm_results.json",
            help="the file of results (default: %(default)s)",
        )  # fmt: skip
        return added

    _choose(command("cells", "List the cells: the kernel of each, or the rule that refuses", cells))
    _choose(command("status", "Say what is known; exit code 1 if a cell is bad or unknown", status))
    doing = command(
        "sweep", "Try the kernels that were not tried yet; exit code 1 if a cell stays bad", sweep
    )
    _choose(doing)
    _sweep(doing)
    rendering = command("render", "Write the page from the results", render)
    rendering.add_argument(
        "--page", type=Path, default=_page_folder() / "gemm.md", help="default: %(default)s"
    )
    rendering.add_argument(
        "--check", action="store_true", help="write nothing; exit code 1 if the page is stale"
    )
    _draw(commands, draw)
    return whole


def _draw(commands: Any, draw: Command) -> None:
    description = "Print kernels drawn at random, over all variants, dtypes, layouts and GPUs"
    drawing = commands.add_parser("draw", help=description, description=f"{description}.")
    drawing.set_defaults(run=draw)
    drawing.add_argument("--gpu", action="append", default=[], help="only this one; repeatable")
    drawing.add_argument("--json", action="store_true", help="print JSON")
    drawing.add_argument(
        "--count", type=_positive, default=20, help="how many (default: %(default)s)"
    )
    drawing.add_argument("--seed", type=int, default=1, help="another draws others (default: 1)")
    drawing.add_argument(
        "--border", action="store_true", help="kernels that a single rule refuses, with the rule"
    )


def _choose(command: argparse.ArgumentParser) -> None:
    command.add_argument("--gpu", action="append", default=[], help="only this one; repeatable")
    command.add_argument("--table", action="append", default=[], help="only this one; repeatable")
    command.add_argument("--json", action="store_true", help="print JSON, and no progress")


def _sweep(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--jobs", type=_positive, default=os.cpu_count() or 1,
        help="compilers at once, and threads of the simulator (default: %(default)s)",
    )  # fmt: skip
    command.add_argument("--limit", type=_positive, help="kernels to try at most")
    command.add_argument("--retry", action="store_true", help="try again what is not right")
    command.add_argument("--redo", action="store_true", help="try everything again")
    command.add_argument(
        "--timeout", type=float, default=300.0,
        help="seconds that the problems of one kernel may take (default: %(default)s)",
    )  # fmt: skip


def _page_folder() -> Path:
    """In the source tree, which ``bazel run`` names in the environment."""
    return Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", ".")) / "docs" / "support"


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value
