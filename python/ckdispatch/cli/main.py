# SPDX-License-Identifier: MIT
"""The commands, and what their failures look like: one sentence on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ckdispatch.cli.exits import ExitCode, UsageError, exit_code
from ckdispatch.cli.parser import build_parser
from ckdispatch.cli.rendering import print_json, print_report
from ckdispatch.cli.report import Report
from ckdispatch.errors import LONGEST, CkDispatchError, presentable

TRACEBACK = "CKDISPATCH_TRACEBACK"
"""The variable that asks for the traceback of an error, for whoever looks for a bug."""


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code. Help and the version end the program themselves."""
    as_json = "--json" in arguments
    try:
        options = build_parser().parse_args(arguments)
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
    except Exception as error:
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
