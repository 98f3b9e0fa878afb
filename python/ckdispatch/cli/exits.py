# SPDX-License-Identifier: MIT
"""How the program ends."""

from __future__ import annotations

from enum import IntEnum

from ckdispatch.errors import CkDispatchError, Code


class ExitCode(IntEnum):
    """The exit codes, which scripts rely on."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    DEVICE_FAILED = 4
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class UsageError(Exception):
    """A command line that makes no sense; the message is a sentence."""


_BY_CODE = {
    Code.INVALID_ARGUMENT: ExitCode.USAGE,
    Code.NOT_FOUND: ExitCode.NOT_FOUND,
    Code.UNSUPPORTED: ExitCode.NOT_FOUND,
    Code.NO_KERNEL: ExitCode.NOT_FOUND,
    Code.WRONG_GPU: ExitCode.NOT_FOUND,
    Code.DEVICE_FAILED: ExitCode.DEVICE_FAILED,
    Code.OUT_OF_MEMORY: ExitCode.DEVICE_FAILED,
}


def exit_code(error: CkDispatchError) -> ExitCode:
    """How the program ends because of ``error``."""
    return _BY_CODE.get(error.code, ExitCode.FAILED)
