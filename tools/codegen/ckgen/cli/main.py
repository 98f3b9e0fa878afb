# SPDX-License-Identifier: MIT
"""The commands, and what their failures look like: one sentence on stderr and a status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ckarch import ArchError

from ckgen.cli import expand_command, family_command, list_commands, nearest_command, render_command
from ckgen.core import foreign
from ckgen.core.errors import CkgenError, UsageError
from ckgen.families import FAMILIES

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns 0, 1 for a failure, or 2 for a request that makes no sense."""
    try:
        options = build_parser().parse_args(_in_our_words(arguments))
        options.run(options)
    except UsageError as error:
        return _fail(error, EXIT_USAGE)
    except (CkgenError, ArchError) as error:
        return _fail(error, EXIT_FAILED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted; files written so far are complete", 130)
    return EXIT_OK


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command and family."""
    parser = argparse.ArgumentParser(
        prog="ckgen",
        description="Generates AMD CK Tile kernels from declarations.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    families = [family_command.add_to(commands, family) for family in FAMILIES.values()]
    for_builds = [
        part.add_to(commands) for part in (expand_command, render_command, nearest_command)
    ]
    for command in (*families, *for_builds):
        command.add_argument(
            "--arch-specs",
            type=Path,
            metavar="FILE",
            help="GPU facts to use instead of the project's own",
        )
    list_commands.add_to(commands)
    return parser


def _in_our_words(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments of who comes from AMD's pages, as the parser knows them, if there is a way."""
    told = foreign.objection(foreign.GENERATOR, FAMILIES, arguments)
    if told is not None:
        raise UsageError(told)
    command = foreign.command_of(FAMILIES, arguments[0]) if arguments else None
    return arguments if command is None else [command, *arguments[1:]]


def _fail(message: object, status: int) -> int:
    print(f"ckgen: {message}", file=sys.stderr)
    return status
