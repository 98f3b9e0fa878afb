# SPDX-License-Identifier: MIT
"""Loads the kernels that a manifest names, and asks them what they are and what they compute."""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OK = 0
GEMM = 1


class GemmProblem(ctypes.Structure):
    """ck_gemm_problem of ck_kernel_abi.h."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("family", ctypes.c_uint32),
        *((name, ctypes.c_int64) for name in ("m", "n", "k")),
        *((name, ctypes.c_int64) for name in ("stride_a", "stride_b", "stride_c", "k_batch")),
        *((name, ctypes.c_void_p) for name in ("a", "b", "c")),
    ]


class KernelApi(ctypes.Structure):
    """The part of ck_kernel_api that needs no GPU."""

    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("struct_size", ctypes.c_uint32),
        ("describe", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        (
            "supports",
            ctypes.CFUNCTYPE(
                ctypes.c_int,
                ctypes.POINTER(GemmProblem),
                ctypes.c_char_p,
                ctypes.c_char_p,
                ctypes.c_size_t,
            ),
        ),
    ]


@dataclass(frozen=True)
class Kernel:
    """A kernel library that was loaded."""

    api: KernelApi

    def describe(self) -> Mapping[str, Any]:
        """What the library says of itself."""
        described: Mapping[str, Any] = json.loads(self.api.describe())
        return described

    def supports(self, m: int, n: int, k: int, gpu: str) -> tuple[bool, str]:
        """Whether it computes that problem, densely stored, on a GPU; and if not, why."""
        problem = GemmProblem(ctypes.sizeof(GemmProblem), GEMM, m, n, k, k, k, n, 1)
        why = ctypes.create_string_buffer(512)
        status = self.api.supports(ctypes.byref(problem), gpu.encode(), why, len(why))
        return status == OK, why.value.decode()


def load_kernels(manifest: Path) -> dict[str, Kernel]:
    """The kernels of a manifest by name; a library that is not the one it names is refused."""
    kernels = {}
    for entry in json.loads(manifest.read_text())["kernels"]:
        library = manifest.parent / entry["path"]
        if hashlib.sha256(library.read_bytes()).hexdigest() != entry["library_sha256"]:
            raise ValueError(f"{library} is not the library that {manifest} names; build it again.")
        get_api = ctypes.CDLL(str(library.resolve())).ck_kernel_get_api
        get_api.restype = ctypes.POINTER(KernelApi)
        kernels[entry["name"]] = Kernel(get_api().contents)
    return kernels
