# SPDX-License-Identifier: MIT
"""The parser of every command."""

from __future__ import annotations

import argparse
from typing import NoReturn

import ckdispatch
from ckdispatch.cli.commands import bench, build, cache, devices, explain, list_kernels, run
from ckdispatch.cli.exits import UsageError
from ckdispatch.families import EXAMPLE, FAMILIES

_EPILOG = f"""\
{chr(10).join(f"{one.form}." for one in FAMILIES.values())}

Exit codes: 0 all is well; 1 a wrong result, a failed build, a damaged file; 2 a request that makes
no sense; 3 nothing found, such as no kernel or no device; 4 the device failed; 130 interrupted.

Example:
  ckdispatch run {EXAMPLE.example} --kernels {EXAMPLE.example_kernels} --device sim:gfx942
"""


class Parser(argparse.ArgumentParser):
    """Raises ``UsageError`` in place of ending the program."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def build_parser() -> argparse.ArgumentParser:
    """The parser; the parsed options have the function to ``run``."""
    parser = Parser(
        prog="ckdispatch",
        description="Picks and runs CK Tile kernels, on AMD GPUs or on the simulator.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"ckdispatch {ckdispatch.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (devices, list_kernels, explain, run, bench, build, cache):
        command.add_to(commands)
    return parser
