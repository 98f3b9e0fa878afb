# SPDX-License-Identifier: MIT
"""HIP calls through ctypes. A kernel library that is loaded after the runtime finds it in the
process by its soname.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_TO_DEVICE = 1
_TO_HOST = 2


class HipError(RuntimeError):
    """A HIP call failed; the message has the call, the error's name and, if the simulator knows it,
    the reason.
    """


class Runtime:
    """libamdhip64, loaded from a file.

    What it simulates is read from the environment when the first call is made: GFXSIM_GPU,
    GFXSIM_THREADS, GFXSIM_CHECK, GFXSIM_REPORT.
    """

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library.resolve()), mode=ctypes.RTLD_GLOBAL)
        self._library.hipGetErrorName.restype = ctypes.c_char_p

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            raise HipError(
                f"{name}: {self._library.hipGetErrorName(status).decode()}{self._reason()}"
            )

    def _reason(self) -> str:
        try:
            last = self._library.gfxsimLastError
        except AttributeError:
            return ""
        last.restype = ctypes.c_char_p
        text = (last() or b"").decode(errors="replace")
        return f": {text}" if text else ""

    def allocate(self, size: int) -> Buffer:
        address = ctypes.c_void_p()
        self.call("hipMalloc", ctypes.byref(address), ctypes.c_size_t(size))
        return Buffer(self, address.value or 0, size)

    def upload(self, data: bytes | memoryview) -> Buffer:
        """A buffer with a copy of some bytes."""
        view = memoryview(data).cast("B")
        buffer = self.allocate(len(view))
        source = (ctypes.c_char * len(view)).from_buffer_copy(view)
        self.call(
            "hipMemcpy",
            ctypes.c_void_p(buffer.address),
            source,
            ctypes.c_size_t(len(view)),
            _TO_DEVICE,
        )
        return buffer

    def synchronize(self) -> None:
        self.call("hipDeviceSynchronize")


@dataclass
class Buffer:
    """Device memory; freed when its `with` block ends, or by free()."""

    runtime: Runtime
    address: int
    size: int

    def download(self) -> bytes:
        target = ctypes.create_string_buffer(self.size)
        self.runtime.call(
            "hipMemcpy", target, ctypes.c_void_p(self.address), ctypes.c_size_t(self.size), _TO_HOST
        )
        return target.raw

    def free(self) -> None:
        if self.address:
            self.runtime.call("hipFree", ctypes.c_void_p(self.address))
            self.address = 0

    def __enter__(self) -> Buffer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.free()
