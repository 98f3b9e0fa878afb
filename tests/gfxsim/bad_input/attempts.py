# SPDX-License-Identifier: MIT
"""What the tests of bad input share: kernels, an attempt to launch one, a header for compressed
bundles, and proof that the runtime still works.
"""

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
        module.launch(
            kernel,
            ctypes.c_void_p(address),
            ctypes.c_int(value),
            ctypes.c_int(N),
            **{"grid": 2, **shape},
        )
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


def with_header(version: int, method: int, size: int, data: bytes) -> bytes:
    """A compressed bundle; the hash in its header is not looked at."""
    widths = (4, 4) if version == 2 else (8, 8)
    length = 8 + sum(widths) + 8 + len(data)
    sizes = length.to_bytes(widths[0], "little") + size.to_bytes(widths[1], "little")
    return (
        b"CCOB"
        + version.to_bytes(2, "little")
        + method.to_bytes(2, "little")
        + sizes
        + bytes(8)
        + data
    )
