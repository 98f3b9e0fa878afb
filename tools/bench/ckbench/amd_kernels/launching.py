# SPDX-License-Identifier: MIT
"""Launches of code objects on the simulator, of which only the workgroups that a time needs are
run.
"""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path

from gfxsim import Runtime

from ckbench.amd_kernels.f4gemm import GPU, THREADS, Timed

_POINTER, _SIZE, _END = 1, 2, 3
"""HIP_LAUNCH_PARAM_BUFFER_POINTER and its like."""


class Simulator:
    """The simulated GPU of this process."""

    def __init__(self, library: Path, scratch: Path) -> None:
        self._report = scratch / "report.jsonl"
        os.environ |= {
            "GFXSIM_GPU": GPU,
            "GFXSIM_TIMING": "sample",
            "GFXSIM_REPORT": str(self._report),
        }
        self._runtime = Runtime(library)
        self._functions: dict[str, ctypes.c_void_p] = {}

    def microseconds(self, one: Timed) -> float:
        """The simulated time of a row's launch."""
        function = self._function(one)
        buffers = [self._runtime.allocate(size) for size in one.sizes]
        try:
            content = one.arguments([buffer.address for buffer in buffers])
            block = ctypes.create_string_buffer(content, len(content))
            size = ctypes.c_size_t(len(content))
            extra = (ctypes.c_void_p * 5)(
                _POINTER, ctypes.addressof(block), _SIZE, ctypes.addressof(size), _END
            )
            self._report.unlink(missing_ok=True)
            self._runtime.call(
                "hipModuleLaunchKernel", function, *one.grid, 1, THREADS, 1, 1, 0, None, None, extra
            )
            self._runtime.synchronize()
        finally:
            for buffer in buffers:
                buffer.free()
        (launch,) = self._report.read_text().splitlines()
        return float(json.loads(launch)["time"]["us"])

    def _function(self, one: Timed) -> ctypes.c_void_p:
        if one.kernel not in self._functions:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self._runtime.call("hipModuleLoadData", ctypes.byref(module), one.code)
            self._runtime.call(
                "hipModuleGetFunction", ctypes.byref(function), module, one.kernel.encode()
            )
            self._functions[one.kernel] = function
        return self._functions[one.kernel]
