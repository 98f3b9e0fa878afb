# SPDX-License-Identifier: MIT
"""The program: its commands, and what their failures look like: one sentence on stderr and an exit
code.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import ckdispatch
from ckdispatch.cli.commands import (
    bench,
    build,
    cache,
    devices,
    evaluate,
    explain,
    list_kernels,
    problems,
    report_page,
    run,
    train,
)
from ckdispatch.cli.exits import ExitCode, UsageError, exit_code
from ckdispatch.cli.rendering import print_json, print_report
from ckdispatch.cli.report import Report
from ckdispatch.errors import LONGEST, CkDispatchError, presentable
from ckdispatch.families import EXAMPLE, FAMILIES

TRACEBACK = "CKDISPATCH_TRACEBACK"
"""The variable that asks for the traceback of an error, for whoever looks for a bug."""

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
    parser.add_argument(
        "--version", action="version", version=f"ckdispatch {ckdispatch.__version__}"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        devices,
        list_kernels,
        problems,
        explain,
        run,
        bench,
        evaluate,
        train,
        report_page,
        build,
        cache,
    ):
        command.add_to(commands)
    return parser


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    try:
        return build_parser().parse_args(arguments)
    except UsageError as error:
        # The generator is loaded only where something is wrong.
        from ckgen.core import foreign
        from ckgen.families import FAMILIES as GENERATORS

        told = foreign.objection(foreign.DISPATCHER, GENERATORS, arguments)
        raise UsageError(told or str(error)) from None


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code. Help and the version end the program themselves."""
    as_json = "--json" in arguments
    try:
        options = _parsed(arguments)
        report: Report = options.run(options)
        print_report(report, sys.stdout, as_json=as_json)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail("interrupted", ExitCode.INTERRUPTED, as_json)
    except BrokenPipeError:
        # Whoever read has seen enough; the caller of main is told when it flushes.
        return ExitCode.BROKEN_PIPE
    except UsageError as error:
        return _fail(presentable(str(error)), ExitCode.USAGE, as_json)
    except CkDispatchError as error:
        _show_traceback()
        return _fail(str(error), exit_code(error), as_json)
    except MemoryError as error:
        _show_traceback()
        told = f"this machine has too little memory: {error}" if str(error) else "out of memory"
        return _fail(told, ExitCode.DEVICE_FAILED, as_json)
    except OSError as error:
        _show_traceback()
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", ExitCode.FAILED, as_json)
    except Exception as error:  # noqa: BLE001 - a user sees one sentence, whatever is wrong
        _show_traceback()
        told = presentable(" ".join(str(error)[: 2 * LONGEST].split()))
        sentence = f"this is a bug: {type(error).__name__}: {told}; {TRACEBACK}=1 shows where"
        return _fail(sentence, ExitCode.FAILED, as_json)
    if report.complaint:
        print(_sentence(report.complaint), file=sys.stderr)
    return report.exit_code


def _fail(message: str, code: ExitCode, as_json: bool) -> int:
    if as_json:
        print_json({"error": message, "exit_code": int(code)}, sys.stdout)
    print(_sentence(message), file=sys.stderr)
    return code


def _sentence(message: str) -> str:
    message = " ".join(presentable(message).split("\n"))
    stop = "" if message.endswith((".", "!", "?")) else "."
    return f"ckdispatch: {message}{stop}"


def _show_traceback() -> None:
    if os.environ.get(TRACEBACK) == "1":
        import traceback

        traceback.print_exc()


def program(arguments: Sequence[str]) -> NoReturn:
    """Run one command and end the process."""
    # A path may hold bytes that are no text, and a stream may know few characters.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    _go_to_the_callers_folder()
    code = main(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _stop_writing()
        code = ExitCode.BROKEN_PIPE
    except OSError:
        # Such as a full disk, which main has told of.
        _stop_writing()
        code = code or ExitCode.FAILED
    if threading.active_count() > 1:
        # A launch that Ctrl-C left behind still uses what an orderly end would take down.
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _go_to_the_callers_folder() -> None:
    """``bazel run`` starts programs among their runfiles; paths are meant from the caller's."""
    folder = os.environ.get("BUILD_WORKING_DIRECTORY")
    if folder and any(part.endswith(".runfiles") for part in Path.cwd().parts):
        with suppress(OSError):
            os.chdir(folder)


def _stop_writing() -> None:
    # Python flushes stdout once more at its end, and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
