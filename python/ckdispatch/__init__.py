# SPDX-License-Identifier: MIT
"""ckdispatch: picks and runs CK Tile kernels, on AMD GPUs or on the simulator.

    registry = ckdispatch.Registry.load("gemm_fp16_rcr_all")
    dispatcher = ckdispatch.Dispatcher(registry)
    result = dispatcher.gemm(a, b)

Importing the package loads nothing but itself; HIP is loaded by the first run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ckdispatch import families

if TYPE_CHECKING:
    from ckdispatch.attention import scaled_dot_product_attention as scaled_dot_product_attention
    from ckdispatch.attention import use_for_attention as use_for_attention
    from ckdispatch.codegen import CodegenRunner as CodegenRunner
    from ckdispatch.comparison import Comparison as Comparison
    from ckdispatch.comparison import compare as compare
    from ckdispatch.config.base import KernelConfig as KernelConfig
    from ckdispatch.device_list import DeviceInfo as DeviceInfo
    from ckdispatch.device_list import devices as devices
    from ckdispatch.dispatcher import Dispatcher as Dispatcher
    from ckdispatch.families import *  # noqa: F403 - each family has its own
    from ckdispatch.jit import BuildResult as BuildResult
    from ckdispatch.native.structures import DuplicatePolicy as DuplicatePolicy
    from ckdispatch.plan import Plan as Plan
    from ckdispatch.problem import Problem as Problem
    from ckdispatch.reference.tolerance import Tolerance as Tolerance
    from ckdispatch.registry import KernelInfo as KernelInfo
    from ckdispatch.registry import Registry as Registry
    from ckdispatch.result import GroupedResult as GroupedResult
    from ckdispatch.result import Result as Result
    from ckdispatch.result import RunResult as RunResult
    from ckdispatch.selection import Candidate as Candidate
    from ckdispatch.selection import Ranking as Ranking
    from ckdispatch.selection import Refusal as Refusal
    from ckdispatch.tensors.device_tensor import DeviceTensor as DeviceTensor

    __version__: str

_HOMES = {
    "BuildResult": "jit",
    "Candidate": "selection",
    "CodegenRunner": "codegen",
    "Comparison": "comparison",
    "DeviceInfo": "device_list",
    "DeviceTensor": "tensors.device_tensor",
    "Dispatcher": "dispatcher",
    "DuplicatePolicy": "native.structures",
    "GroupedResult": "result",
    "KernelConfig": "config.base",
    "KernelInfo": "registry",
    "Plan": "plan",
    "Problem": "problem",
    "Ranking": "selection",
    "Refusal": "selection",
    "Registry": "registry",
    "Result": "result",
    "RunResult": "result",
    "Tolerance": "reference.tolerance",
    "compare": "comparison",
    "devices": "device_list",
    "scaled_dot_product_attention": "attention",
    "use_for_attention": "attention",
}

__all__ = sorted(
    [
        *_HOMES,
        "__version__",
        *(name for family in families.FAMILIES.values() for name in family.public),
    ]
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _found(name)
    return value


def _found(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module(f"{__name__}.version").version()
    home = importlib.import_module(f"{__name__}.{_HOMES[name]}") if name in _HOMES else families
    return getattr(home, name)


def __dir__() -> list[str]:
    return __all__
