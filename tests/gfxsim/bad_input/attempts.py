# SPDX-License-Identifier: MIT
"""What the tests of bad input share: the kernels, an attempt to launch one, and proof that the runtime still works."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
from gfxsim import Buffer, HipError

from tests.gfxsim.programs.device import GPU, Module, runtime

CODE_OBJECT = Path(f"tests/gfxsim/bad_input/kernels.{GPU}.co")
BUNDLE = Path("tests/gfxsim/bad_input/bundle.hipfb")
COMPRESSED_BUNDLE = Path("tests/gfxsim/bad_input/compressed_bundle.hipfb")
N = 100


def attempt(module: Module, kernel: str, address: int, value: int = 7, **shape: int) -> str:
    """Launches a kernel; returns an empty string, or the error's name and sentence."""
    try:
        module.launch(kernel, ctypes.c_void_p(address), ctypes.c_int(value), ctypes.c_int(N), **{"grid": 2, **shape})
    except HipError as error:
        return str(error)
    return ""


def works(module: Module) -> bool:
    """Whether a correct launch gives the right result."""
    buffer: Buffer
    with runtime().upload(bytes(4 * N)) as buffer:
        if attempt(module, "fill", buffer.address, 77):
            return False
        return buffer.download() == np.full(N, 77, np.int32).tobytes()
