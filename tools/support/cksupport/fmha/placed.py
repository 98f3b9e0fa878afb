# SPDX-License-Identifier: MIT
"""A random problem on the device: its tensors, the launch of one kernel, and whether what it left
is right.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ckabi import KernelLibrary, Status
from ckabi.fmha import set_tensor
from ckdispatch import Dispatcher
from ckdispatch.device import Device
from ckdispatch.errors import CkDispatchError, DeviceFailed, InvalidArgument, Unsupported
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckgen.fmha.spec import FmhaSpec
from numpy.typing import NDArray

from cksupport.fmha.memory import Tensor
from cksupport.fmha.problems import Launch, RandomProblem

_ERRORS: Mapping[Status, type[CkDispatchError]] = {
    Status.UNSUPPORTED: Unsupported,
    Status.INVALID: InvalidArgument,
    Status.WRONG_GPU: Unsupported,
    Status.DEVICE_FAILED: DeviceFailed,
}


@dataclass(frozen=True, eq=False)
class PlacedProblem:
    """A problem of one kernel: no dispatcher would launch what is only a part of an attention."""

    problem: RandomProblem
    memory: Mapping[str, DeviceTensor]

    @classmethod
    def of(cls, spec: FmhaSpec, launch: Launch, device: Device, seed: int) -> PlacedProblem:
        """Each tensor in memory that ends with it, so that the simulator sees what is read beyond.
        It has a seed of its own.
        """
        (problem,) = launch
        memory = {}
        for name, tensor in problem.case.draw.tensors.items():
            memory[name] = DeviceTensor.allocate(device, (tensor.flat.nbytes,), "int8")
            memory[name].write(tensor.flat.view(np.int8))
        return cls(problem, memory)

    def run(self, dispatcher: Dispatcher) -> None:
        """Launch the kernel, and wait for it."""
        (kernel,) = dispatcher.registry
        library, device = KernelLibrary.load(Path(kernel.library)), dispatcher.device
        asked = self.problem.asked()
        for name, tensor in self.memory.items():
            set_tensor(asked, name, tensor.address)
        _check(library.supports(asked, device.gpu))
        status, size = library.workspace_size(asked, device.gpu)
        workspace = (
            DeviceTensor.allocate(device, (size,), "int8") if status == Status.OK and size else None
        )
        address = ctypes.c_void_p(workspace.address) if workspace is not None else None
        _check(
            library.launch(asked, gpu=device.gpu.encode(), workspace=address, workspace_size=size)
        )
        dispatcher.synchronize()

    def untouched(self) -> bool:
        """Whether nothing was written to any tensor."""
        tensors = self.problem.case.draw.tensors
        return not any(
            np.any(self._after(name).view(np.uint8) != one.flat.view(np.uint8))
            for name, one in tensors.items()
        )

    def complaint(self, plan: object) -> str | None:
        """What is wrong with the results, or was changed beside them."""
        case, wrong, results = self.problem.case, [], {}
        for name, tensor in case.draw.tensors.items():
            after = self._after(name)
            if name in case.outputs:
                changed = tensor.changed_outside(after)
                results[name] = _viewed(tensor, after)
            else:
                changed = int(np.count_nonzero(after.view(np.uint8) != tensor.flat.view(np.uint8)))
            if changed:
                wrong.append(f"{changed} bytes of {name} that are no output were changed")
        wrong += [
            f"{name}: {comparison}" for name, comparison in case.check(results) if not comparison
        ]
        return "; ".join(wrong) or None

    def _after(self, name: str) -> NDArray[Any]:
        return np.ascontiguousarray(self.memory[name].numpy()).view(
            self.problem.case.draw.tensors[name].flat.dtype
        )


def _viewed(tensor: Tensor, after: NDArray[Any]) -> NDArray[Any]:
    size = after.dtype.itemsize
    return np.lib.stride_tricks.as_strided(
        after, tensor.shape, tuple(stride * size for stride in tensor.strides)
    )


def _check(answer: tuple[Status, str]) -> None:
    status, why = answer
    if status != Status.OK:
        raise _ERRORS[status](why)
