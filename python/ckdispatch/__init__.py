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

if TYPE_CHECKING:
    from ckdispatch.codegen import CodegenRunner
    from ckdispatch.comparison import Comparison, compare
    from ckdispatch.config.base import KernelConfig
    from ckdispatch.config.gemm import GemmConfig
    from ckdispatch.config.grouped_conv import GroupedConvConfig
    from ckdispatch.device_list import DeviceInfo, devices
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.gemm.problem import GemmGroup, GemmProblem
    from ckdispatch.gemm.weights import PreshuffledWeights, preshuffle
    from ckdispatch.grouped_conv.problem import GroupedConvProblem
    from ckdispatch.jit import BuildResult
    from ckdispatch.native.structures import DuplicatePolicy
    from ckdispatch.plan import Plan
    from ckdispatch.reference.tolerance import Tolerance
    from ckdispatch.registry import KernelInfo, Registry
    from ckdispatch.result import GroupedResult, Result, RunResult
    from ckdispatch.selection import Candidate, Ranking, Refusal
    from ckdispatch.tensors.device_tensor import DeviceTensor

__version__ = "0.1.0"

_HOMES = {
    "BuildResult": "jit",
    "Candidate": "selection",
    "CodegenRunner": "codegen",
    "Comparison": "comparison",
    "DeviceInfo": "device_list",
    "DeviceTensor": "tensors.device_tensor",
    "Dispatcher": "dispatcher",
    "DuplicatePolicy": "native.structures",
    "GemmConfig": "config.gemm",
    "GemmGroup": "gemm.problem",
    "GemmProblem": "gemm.problem",
    "GroupedConvConfig": "config.grouped_conv",
    "GroupedConvProblem": "grouped_conv.problem",
    "GroupedResult": "result",
    "KernelConfig": "config.base",
    "KernelInfo": "registry",
    "Plan": "plan",
    "PreshuffledWeights": "gemm.weights",
    "Ranking": "selection",
    "Refusal": "selection",
    "Registry": "registry",
    "Result": "result",
    "RunResult": "result",
    "Tolerance": "reference.tolerance",
    "compare": "comparison",
    "devices": "device_list",
    "preshuffle": "gemm.weights",
}

__all__ = [
    "BuildResult",
    "Candidate",
    "CodegenRunner",
    "Comparison",
    "DeviceInfo",
    "DeviceTensor",
    "Dispatcher",
    "DuplicatePolicy",
    "GemmConfig",
    "GemmGroup",
    "GemmProblem",
    "GroupedConvConfig",
    "GroupedConvProblem",
    "GroupedResult",
    "KernelConfig",
    "KernelInfo",
    "Plan",
    "PreshuffledWeights",
    "Ranking",
    "Refusal",
    "Registry",
    "Result",
    "RunResult",
    "Tolerance",
    "__version__",
    "compare",
    "devices",
    "preshuffle",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
