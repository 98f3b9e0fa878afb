# SPDX-License-Identifier: MIT
"""Calls the entry functions of a HIP library on the simulator, with NumPy arrays in place of device
memory.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

import numpy as np
from gfxsim import HipError, Runtime

GPU = os.environ["GFXSIM_GPU"]
if os.environ.get("GFXSIM_CHECK"):
    os.environ.setdefault("GFXSIM_REPORT", str(Path(os.environ["TEST_TMPDIR"]) / "report.jsonl"))


@cache
def runtime() -> Runtime:
    return Runtime(Path(os.environ["CK_SIM_RUNTIME"]))


@cache
def hip() -> ctypes.CDLL:
    """The runtime's own entries, for calls whose error is part of the test."""
    runtime()
    library = ctypes.CDLL(str(Path(os.environ["CK_SIM_RUNTIME"]).resolve()))
    library.hipGetErrorName.restype = ctypes.c_char_p
    library.gfxsimLastError.restype = ctypes.c_char_p
    return library


def error(status: int) -> tuple[str, str]:
    """The name of an error code, and the sentence that the last failed call left."""
    return hip().hipGetErrorName(status).decode(), hip().gfxsimLastError().decode(errors="replace")


class Program:
    """A HIP library. It finds the simulator's runtime in the process,
    which has loaded it before.
    """

    def __init__(self, path: Path) -> None:
        self.runtime = runtime()
        self.library = ctypes.CDLL(str(path.resolve()))

    def call(self, name: str, *arguments: object) -> None:
        """Calls an entry that returns a HIP error, with ctypes' own conversions."""
        # An entry reports the last error, which may be that of an earlier call.
        hip().hipGetLastError()
        if status := getattr(self.library, name)(*arguments):
            raise HipError("{}: {}: {}".format(name, *error(status)))

    def run(self, name: str, *arguments: np.ndarray | int) -> None:
        """Calls an entry that launches a kernel. An array goes to the device before and comes back,
        changed, after.
        """
        arrays = {i: array for i, array in enumerate(arguments) if isinstance(array, np.ndarray)}
        buffers = {i: self.runtime.upload(array.tobytes()) for i, array in arrays.items()}
        try:
            self.call(
                name,
                *(
                    ctypes.c_void_p(buffers[i].address) if i in buffers else value
                    for i, value in enumerate(arguments)
                ),
            )
            self.runtime.synchronize()
            for i, array in arrays.items():
                array[...] = np.frombuffer(buffers[i].download(), array.dtype).reshape(array.shape)
        finally:
            for buffer in buffers.values():
                buffer.free()


class Module:
    """A code object, loaded by the module interface."""

    def __init__(self, image: bytes | ctypes.c_void_p) -> None:
        self.handle = ctypes.c_void_p()
        runtime().call("hipModuleLoadData", ctypes.byref(self.handle), image)

    def function(self, name: str) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        runtime().call("hipModuleGetFunction", ctypes.byref(function), self.handle, name.encode())
        return function

    def launch(
        self, name: str, *arguments: ctypes._CData, grid: int = 1, block: int = 64, lds: int = 0
    ) -> None:
        """Runs a kernel to its end; a HipError if it fails."""
        pointers = (ctypes.c_void_p * len(arguments))(
            *(ctypes.addressof(argument) for argument in arguments)
        )
        runtime().call(
            "hipModuleLaunchKernel",
            self.function(name),
            grid,
            1,
            1,
            block,
            1,
            1,
            lds,
            None,
            pointers,
            None,
        )
        runtime().synchronize()

    def unload(self) -> None:
        runtime().call("hipModuleUnload", self.handle)
