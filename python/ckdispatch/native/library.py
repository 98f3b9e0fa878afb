# SPDX-License-Identifier: MIT
"""Loads libckdispatch and turns its codes into exceptions."""

from __future__ import annotations

import ctypes
import json
from typing import Any

from ckdispatch.arguments import check_fits
from ckdispatch.errors import AbiMismatch, Damaged, error_class
from ckdispatch.native import places
from ckdispatch.native.structures import ABI_VERSION
from ckdispatch.threads import made_once

_TEXT = ctypes.c_char_p
_ADDRESS = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)
_SIZE = ctypes.c_size_t
_COUNT = ctypes.POINTER(ctypes.c_size_t)
_INT = ctypes.c_int
_COUNTER = ctypes.c_uint32

# Arguments of the functions that return a status.
_CALLS: dict[str, tuple[Any, ...]] = {
    "ckd_registry_create": (_TEXT, _OUT),
    "ckd_registry_named": (_TEXT, _OUT),
    "ckd_registry_load_manifest": (_ADDRESS, _TEXT, _INT, _INT, _COUNT),
    "ckd_registry_add_library": (_ADDRESS, _TEXT, _TEXT, _INT, _INT, _OUT),
    "ckd_registry_remove": (_ADDRESS, _TEXT),
    "ckd_registry_merge": (_ADDRESS, _ADDRESS, _INT, _COUNT),
    "ckd_registry_filtered": (_ADDRESS, _TEXT, _OUT),
    "ckd_registry_find": (_ADDRESS, _TEXT, _OUT),
    "ckd_registry_to_json": (_ADDRESS, _OUT),
    "ckd_registry_from_json": (_TEXT, _OUT),
    "ckd_device_open": (_TEXT, _TEXT, _OUT),
    "ckd_device_allocate": (_ADDRESS, _SIZE, _OUT),
    "ckd_device_release": (_ADDRESS, _ADDRESS),
    "ckd_device_copy_in": (_ADDRESS, _ADDRESS, _ADDRESS, _SIZE),
    "ckd_device_copy_out": (_ADDRESS, _ADDRESS, _ADDRESS, _SIZE),
    "ckd_device_copy_rows": (_ADDRESS, _ADDRESS, _SIZE, _ADDRESS, _SIZE, _SIZE, _SIZE, _ADDRESS),
    "ckd_device_fill": (_ADDRESS, _ADDRESS, _INT, _SIZE, _ADDRESS),
    "ckd_device_synchronize": (_ADDRESS, _ADDRESS),
    "ckd_device_create_stream": (_ADDRESS, _OUT),
    "ckd_device_destroy_stream": (_ADDRESS, _ADDRESS),
    "ckd_device_load": (_ADDRESS, _TEXT, _OUT),
    "ckd_code_launch": (_ADDRESS, _TEXT, _COUNTER, _COUNTER, _ADDRESS, _SIZE, _ADDRESS),
    "ckd_dispatcher_create": (_ADDRESS, _TEXT, _OUT),
    "ckd_dispatcher_use_strategy": (_ADDRESS, _INT),
    "ckd_dispatcher_use_constants": (_ADDRESS, _COUNTER, _ADDRESS, _SIZE),
    "ckd_dispatcher_use_model": (_ADDRESS, _TEXT),
    "ckd_dispatcher_use_predictor": (_ADDRESS, _ADDRESS, _ADDRESS),
    "ckd_dispatcher_use_chooser": (_ADDRESS, _ADDRESS, _ADDRESS),
    "ckd_select": (_ADDRESS, _ADDRESS, _OUT),
    "ckd_select_padded": (_ADDRESS, _ADDRESS, _OUT),
    "ckd_select_explicit": (_ADDRESS, _TEXT, _ADDRESS, _OUT),
    "ckd_rank": (_ADDRESS, _ADDRESS, _OUT),
    "ckd_costs": (_ADDRESS, _ADDRESS, _OUT),
    "ckd_plan_to_json": (_ADDRESS, _OUT),
    "ckd_dispatcher_attach": (_ADDRESS, _ADDRESS),
    "ckd_run": (_ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _OUT),
    "ckd_plan_run": (_ADDRESS, _ADDRESS, _ADDRESS),
    "ckd_plan_launch": (_ADDRESS,),
    "ckd_plan_benchmark": (_ADDRESS, _ADDRESS, _ADDRESS, _OUT),
    "ckd_validate": (_ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _OUT),
}

# Functions that return something else: what, and their arguments.
_OTHERS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ckd_abi_version": (ctypes.c_uint32, ()),
    "ckd_last_error": (_TEXT, ()),
    "ckd_free_text": (None, (_ADDRESS,)),
    "ckd_registry_destroy": (None, (_ADDRESS,)),
    "ckd_registry_size": (_SIZE, (_ADDRESS,)),
    "ckd_registry_version": (ctypes.c_uint64, (_ADDRESS,)),
    "ckd_device_close": (None, (_ADDRESS,)),
    "ckd_code_close": (None, (_ADDRESS,)),
    "ckd_device_gpu": (_TEXT, (_ADDRESS,)),
    "ckd_dispatcher_destroy": (None, (_ADDRESS,)),
    "ckd_plan_destroy": (None, (_ADDRESS,)),
    "ckd_plan_kernel": (_TEXT, (_ADDRESS,)),
    "ckd_plan_workspace_size": (ctypes.c_uint64, (_ADDRESS,)),
}


class Native:
    """The functions of libckdispatch; those that can fail raise."""

    def __init__(self) -> None:
        path = places.native_library()
        try:
            self.functions = ctypes.CDLL(str(path))
            for name, (result, arguments) in _OTHERS.items():
                function = getattr(self.functions, name)
                function.restype, function.argtypes = result, arguments
            for name, arguments in _CALLS.items():
                function = getattr(self.functions, name)
                function.restype, function.argtypes = _INT, arguments
        except (OSError, AttributeError) as error:
            raise Damaged(f"the runtime library {path} cannot be used: {error}") from error
        version = self.functions.ckd_abi_version()
        if version != ABI_VERSION:
            raise AbiMismatch(
                f"the runtime library {path} has the ABI version {version}; "
                f"this package needs {ABI_VERSION}"
            )

    def call(self, name: str, *arguments: object) -> None:
        """Calls a function that returns a status; raises what it says."""
        for argument, kind in zip(arguments, _CALLS[name], strict=False):
            check_fits(f"an argument of {name}", argument, kind)
        self.check(getattr(self.functions, name)(*arguments))

    def check(self, status: int) -> None:
        """Raises what the last call of this thread says, unless it went well."""
        if status:
            self.fail(status)

    def fail(self, status: int) -> None:
        """Raises the exception for a status of the last call of this thread."""
        raise error_class(status)(self.functions.ckd_last_error().decode(errors="replace"))

    def make(self, name: str, *arguments: object) -> int:
        """Calls a function whose last argument receives a handle, and returns the handle."""
        out = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(out))
        return out.value or 0

    def text(self, name: str, *arguments: object) -> str:
        """Calls a function whose last argument receives a text."""
        address = self.make(name, *arguments)
        try:
            return ctypes.string_at(address).decode()
        finally:
            self.functions.ckd_free_text(address)

    def json(self, name: str, *arguments: object) -> Any:
        return json.loads(self.text(name, *arguments))

    def count(self, name: str, *arguments: object) -> int:
        """Calls a function whose last argument receives a count."""
        out = ctypes.c_size_t()
        self.call(name, *arguments, ctypes.byref(out))
        return out.value


@made_once
def native() -> Native:
    """The library, loaded at the first call. It loads no HIP runtime."""
    return Native()
