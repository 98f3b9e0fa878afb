# SPDX-License-Identifier: MIT
"""What a dispatcher computes of batched transposes."""

from __future__ import annotations

from typing import Any

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.batched_transpose.problem import BatchedTransposeProblem
from ckdispatch.comparison import compare
from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import dtype_name
from ckdispatch.reference.tolerance import Tolerance
from ckdispatch.result import Result
from ckdispatch.tensors.dlpack import host_array


class Methods(BaseDispatcher):
    """``batched_transpose``."""

    def batched_transpose(self, x: Any, *, validate: bool = False) -> Result:
        """Transposes a matrix of the host, or each of many in one array."""
        array = host_array(x)
        if array.ndim not in (2, 3):
            raise InvalidArgument(
                f"a batched transpose was asked for of an array of {array.ndim} dimensions; "
                "it has 2 or 3"
            )
        height, width = array.shape[-2:]
        problem = BatchedTransposeProblem(
            array.size // (height * width) if array.size else 0,
            height,
            width,
            dtype_name(array.dtype),
        )
        plan = self.plan(problem)
        device = self.device
        given, made = (
            self.to_device(array),
            self.empty((*array.shape[:-2], width, height), problem.dtype),
        )
        ran = self.run(problem, given, made)
        self.synchronize()
        out = made.numpy()
        comparison = (
            compare(out, array.swapaxes(-1, -2), Tolerance()).raise_if_bad() if validate else None
        )
        return Result(out, plan, ran.device, device.simulated, comparison=comparison)
