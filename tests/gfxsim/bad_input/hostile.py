# SPDX-License-Identifier: MIT
"""Launches of the kernels in hostile.hip, by tests and by the processes that they start."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from gfxsim import HipError

from tests.gfxsim.programs.device import GPU, Module


@cache
def module() -> Module:
    return Module(Path(f"tests/gfxsim/bad_input/hostile.{GPU}.co").read_bytes())


def attempt(kernel: str, out: int, a: int, number: int = 0, **shape: int) -> str:
    """Launches a kernel; returns an empty string, or the error's name and sentence."""
    try:
        module().launch(
            kernel, ctypes.c_void_p(out), ctypes.c_void_p(a % 2**64), ctypes.c_int(number), **shape
        )
    except HipError as error:
        return str(error)
    return ""
