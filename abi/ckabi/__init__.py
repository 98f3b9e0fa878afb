# SPDX-License-Identifier: MIT
"""The kernel ABI of ck_kernel_abi.h through ctypes; the problem of each family is in a module of
the family's name.
"""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Any


class Status(IntEnum):
    OK = 0
    UNSUPPORTED = 1
    INVALID = 2
    WRONG_GPU = 3
    DEVICE_FAILED = 4


class Phase(IntFlag):
    CLEAR = 1
    COMPUTE = 2
    COMBINE = 4


class LaunchOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("warmup", ctypes.c_int32),
        ("repeat", ctypes.c_int32),
        ("timed", ctypes.c_int32),
        ("gpu", ctypes.c_char_p),
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_size", ctypes.c_uint64),
        ("milliseconds", ctypes.POINTER(ctypes.c_float)),
        ("phases", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class Api(ctypes.Structure):
    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("struct_size", ctypes.c_uint32),
        ("describe", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        (
            "supports",
            ctypes.CFUNCTYPE(
                ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t
            ),
        ),
        (
            "workspace_size",
            ctypes.CFUNCTYPE(
                ctypes.c_int,
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.POINTER(ctypes.c_uint64),
                ctypes.c_char_p,
                ctypes.c_size_t,
            ),
        ),
        (
            "launch",
            ctypes.CFUNCTYPE(
                ctypes.c_int,
                ctypes.c_void_p,
                ctypes.POINTER(LaunchOptions),
                ctypes.c_char_p,
                ctypes.c_size_t,
            ),
        ),
        (
            "phases",
            ctypes.CFUNCTYPE(
                ctypes.c_int,
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.POINTER(ctypes.c_uint32),
                ctypes.c_char_p,
                ctypes.c_size_t,
            ),
        ),
    ]


@dataclass(frozen=True)
class KernelLibrary:
    """A loaded kernel library."""

    path: Path
    api: Api

    @classmethod
    def load(cls, path: Path) -> KernelLibrary:
        get_api = ctypes.CDLL(str(path.resolve())).ck_kernel_get_api
        get_api.restype = ctypes.POINTER(Api)
        return cls(path, get_api().contents)

    def describe(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.api.describe())
        return facts

    def supports(self, problem: ctypes.Structure | None, gpu: str | None) -> tuple[Status, str]:
        why = ctypes.create_string_buffer(512)
        argument = ctypes.byref(problem) if problem is not None else None
        status = self.api.supports(argument, gpu.encode() if gpu else None, why, len(why))
        return Status(status), why.value.decode()

    def workspace_size(self, problem: ctypes.Structure, gpu: str) -> tuple[Status, int]:
        size = ctypes.c_uint64(77)
        status = self.api.workspace_size(
            ctypes.byref(problem), gpu.encode(), ctypes.byref(size), None, 0
        )
        return Status(status), size.value

    def phases(self, problem: ctypes.Structure, gpu: str) -> Phase:
        bits, why = ctypes.c_uint32(), ctypes.create_string_buffer(512)
        status = self.api.phases(
            ctypes.byref(problem), gpu.encode(), ctypes.byref(bits), why, len(why)
        )
        if status != Status.OK:
            raise ValueError(why.value.decode())
        return Phase(bits.value)

    def launch(self, problem: ctypes.Structure, **options: Any) -> tuple[Status, str]:
        why = ctypes.create_string_buffer(512)
        filled = LaunchOptions(struct_size=ctypes.sizeof(LaunchOptions), repeat=1)
        for name, value in options.items():
            setattr(filled, name, value)
        status = self.api.launch(ctypes.byref(problem), ctypes.byref(filled), why, len(why))
        return Status(status), why.value.decode()
