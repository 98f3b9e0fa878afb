# SPDX-License-Identifier: MIT
"""A convolution on the device: its tensors, what the dispatcher is asked, and whether the result is
right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from ckdispatch import Dispatcher, GroupedConvProblem
from ckdispatch.device import Device
from ckdispatch.grouped_conv.layouts import memory_order
from ckdispatch.grouped_conv.reference import expected
from ckdispatch.grouped_conv.sizes import TENSORS
from ckdispatch.plan import Plan
from ckgen.grouped_conv.spec import GroupedConvSpec, Order
from numpy.typing import NDArray

from cksupport.grouped_conv.problems import Launch
from cksupport.operands import Matrix, random_values
from cksupport.product.values import d_limit, factor_limits


@dataclass(frozen=True, eq=False)
class PlacedConvolution:
    """One convolution with its tensors on the device, each between guards."""

    spec: GroupedConvSpec
    problem: GroupedConvProblem
    tensors: dict[str, Matrix]
    values: dict[str, NDArray[Any]]

    @classmethod
    def of(
        cls, spec: GroupedConvSpec, launch: Launch, device: Device, seed: int
    ) -> PlacedConvolution:
        """Random numbers in what is read."""
        (problem,) = launch
        random, sizes = np.random.default_rng(seed), problem.sizes
        *read, written = TENSORS[problem.direction]
        limits = factor_limits(spec, sizes.depth(problem.direction))
        dtypes = {"x": spec.dtype_x, "w": spec.dtype_w, "y": spec.dtype_y}
        values = {
            name: random_values(
                random, sizes.shape(name), device.numpy_dtype(dtypes[name]), *limits
            )
            for name in read
        }
        if problem.bias:
            dtypes["bias"] = spec.dtype_d
            kind = device.numpy_dtype(spec.dtype_d)
            values["bias"] = random_values(random, (sizes.g, sizes.k), kind, largest=d_limit(spec))
        tensors = {}
        for name in problem.tensors:
            count = values[name].size if name in values else math.prod(sizes.shape(name))
            tensors[name] = Matrix.place(device, dtypes[name], (1, count), "r")
            if name == written:
                tensors[name].mark()
            else:
                array = values[name]
                tensors[name].fill(
                    array.transpose(_in_memory(spec, name, array.ndim)).reshape(1, -1)
                )
        return cls(spec, problem, tensors, values)

    @property
    def _written(self) -> str:
        return TENSORS[self.problem.direction][2]

    def run(self, dispatcher: Dispatcher) -> Plan[GroupedConvProblem]:
        """Launch the kernel, and wait for it."""
        addresses = [tensor.address for tensor in self.tensors.values()]
        ran = dispatcher.run(self.problem, *addresses, kernel=self.spec.name)
        dispatcher.synchronize()
        return ran.plan

    def untouched(self) -> bool:
        """Whether nothing was written to the result, or beside it."""
        return self.tensors[self._written].untouched()

    def complaint(self, plan: Plan[GroupedConvProblem]) -> str | None:
        """What is wrong with the result, or beside it."""
        written, sizes = self._written, self.problem.sizes
        result, shape = self.tensors[written], sizes.shape(written)
        order = _in_memory(self.spec, written, len(shape))
        got = result.read().reshape([shape[axis] for axis in order]).transpose(np.argsort(order))
        a, b = (self.values[name] for name in TENSORS[self.problem.direction][:2])
        found = expected(
            plan.parts, self.spec.to_json(), sizes, a, b, self.values.get("bias")
        ).compare(got)
        if not found.ok:
            return str(found)
        strays = result.stray_writes()
        return f"{strays} elements beside {written} were written to" if strays else None


def _in_memory(spec: GroupedConvSpec, tensor: str, axes: int) -> tuple[int, ...]:
    """The axes of a tensor as they lie, the outermost first."""
    return memory_order(tensor, axes, spec.layout.order is Order.CHANNELS_FIRST)
