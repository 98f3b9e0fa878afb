# SPDX-License-Identifier: MIT
"""Calls the entry functions of a HIP library on the simulator, with NumPy arrays in place of device memory."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

import numpy as np
from gfxsim import HipError, Runtime


@cache
def runtime() -> Runtime:
    return Runtime(Path(os.environ["CK_SIM_RUNTIME"]))


class Program:
    """A HIP library. It finds the simulator's runtime in the process, which must have loaded it before."""

    def __init__(self, path: Path) -> None:
        self.runtime = runtime()
        self.library = ctypes.CDLL(str(path.resolve()))

    def call(self, name: str, *arguments: object) -> None:
        """Calls an entry that returns a HIP error, with ctypes' own conversions."""
        if status := getattr(self.library, name)(*arguments):
            raise HipError(f"{name}: {error_name(status)}{self.runtime.reason()}")

    def run(self, name: str, *arguments: np.ndarray | int) -> None:
        """Calls an entry that launches a kernel. An array goes to the device before and comes back, changed, after."""
        arrays = {i: self.runtime.upload(np.ascontiguousarray(a).tobytes()) for i, a in enumerate(arguments) if isinstance(a, np.ndarray)}
        try:
            self.call(name, *(ctypes.c_void_p(arrays[i].address) if i in arrays else a for i, a in enumerate(arguments)))
            self.runtime.synchronize()
            for i, buffer in arrays.items():
                target = arguments[i]
                assert isinstance(target, np.ndarray)
                target[...] = np.frombuffer(buffer.download(), target.dtype).reshape(target.shape)
        finally:
            for buffer in arrays.values():
                buffer.free()


def error_name(status: int) -> str:
    library = ctypes.CDLL(os.environ["CK_SIM_RUNTIME"])
    library.hipGetErrorName.restype = ctypes.c_char_p
    return library.hipGetErrorName(status).decode()
