# SPDX-License-Identifier: MIT
"""The parser of every command."""

from __future__ import annotations

import argparse
from typing import NoReturn

import ckdispatch
from ckdispatch.cli.commands import bench, build, cache, devices, explain, list_kernels, run
from ckdispatch.cli.exits import UsageError

_EPILOG = """\
A PROBLEM is MxNxK and words: 512x256x1024 fp16 rcr batch=2 split_k=4. A convolution is n, g, c, k,
the extents of input and filter, and words: n8 g1 c64 k128 56x56 3x3 stride=2 pad=1 backward_data.

Exit codes: 0 all is well; 1 a wrong result, a failed build, a damaged file; 2 a request that makes
no sense; 3 nothing found, such as no kernel or no device; 4 the device failed; 130 interrupted.

Example:
  ckdispatch run 512x256x1024 fp16 rcr --kernels gemm_fp16_rcr_essential --device sim:gfx942
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
    parser.add_argument(
        "--version", action="version", version=f"ckdispatch {ckdispatch.__version__}"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (devices, list_kernels, explain, run, bench, build, cache):
        command.add_to(commands)
    return parser
