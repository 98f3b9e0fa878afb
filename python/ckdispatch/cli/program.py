# SPDX-License-Identifier: MIT
"""The program around the command line: its streams, its folder, its end."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.main import main


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
