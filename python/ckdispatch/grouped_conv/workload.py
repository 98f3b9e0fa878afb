# SPDX-License-Identifier: MIT
"""A convolution on a device: random tensors, and the result compared."""

from __future__ import annotations

import math
from copy import copy
from typing import Any

from numpy.typing import NDArray

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.cli.operands import (
    LastReference,
    Launched,
    numbers,
    poison,
    poisoned,
    random_operand,
)
from ckdispatch.comparison import Comparison, Reference
from ckdispatch.grouped_conv.layouts import is_channels_first, memory_order
from ckdispatch.grouped_conv.on_device import convolution_on_device
from ckdispatch.grouped_conv.problem import GroupedConvProblem
from ckdispatch.grouped_conv.reference import arithmetic_of, expected
from ckdispatch.grouped_conv.sizes import TENSORS
from ckdispatch.plan import Plan
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.memory import strides_in_order


class ConvWorkload(Launched):
    """The tensors of ``problem`` on the device."""

    def __init__(
        self,
        dispatcher: BaseDispatcher,
        problem: GroupedConvProblem,
        plan: Plan[GroupedConvProblem],
        seed: int | None,
    ) -> None:
        self.dispatcher, self.problem, self.plan = dispatcher, problem, plan
        self.spec = dispatcher.registry[plan.kernel].spec
        self.reference = LastReference()
        self.first, self.second, self.written = TENSORS[problem.direction]
        random = numbers(seed)
        self.arrays = {name: self._random(random, name) for name in (self.first, self.second)}
        if problem.bias:
            self.arrays["bias"] = self._random(random, "bias")
        self.tensors = [self._placed(name) for name in problem.tensors]

    @property
    def bytes(self) -> int:
        """Of all tensors of the problem, each counted once."""
        result = math.prod(self.problem.sizes.shape(self.written))
        size = self.dispatcher.device.numpy_dtype(self._dtype(self.written)).itemsize
        return sum(array.nbytes for array in self.arrays.values()) + result * size

    def compare(self, on_device: bool = False) -> Comparison:
        """How what the last launch left differs from the reference."""
        parts = self.plan.parts
        reference = self.reference.get(
            (arithmetic_of(parts, self.spec), on_device), lambda: self._expected(on_device)
        )
        result = self._result.numpy()
        order = self._order(self.written, result.ndim)
        return reference.compare(
            result.transpose([order.index(axis) for axis in range(result.ndim)])
        )

    def _expected(self, on_device: bool) -> Reference:
        sizes, read = self.problem.sizes, (self.first, self.second)
        a, b, products = *(self.arrays[name] for name in read), None
        if on_device:
            tensors = {name: self._on_device(name) for name in read}
            a, b, products = convolution_on_device(self.problem.direction, sizes, tensors)
        bias = self.arrays.get("bias")
        return expected(self.plan.parts, self.spec, sizes, a, b, bias, products)

    def _on_device(self, name: str) -> DeviceTensor:
        """A tensor where it lies, seen with channels last."""
        shape = self.problem.sizes.shape(name)
        strides = strides_in_order(shape, self._order(name, len(shape)))
        return self.tensors["xwy".index(name)].seen_as(shape, strides)

    def with_plan(self, plan: Plan[GroupedConvProblem]) -> ConvWorkload | None:
        """The same tensors, if the kernel of the plan has the same dtypes."""
        twin = copy(self)
        twin.plan, twin.spec = plan, self.dispatcher.registry[plan.kernel].spec
        if any(twin._dtype(name) != self._dtype(name) for name in self.problem.tensors):
            return None
        poison(self.dispatcher, self._result)
        return twin

    @property
    def _result(self) -> DeviceTensor:
        return self.tensors["xwy".index(self.written)]

    def _dtype(self, name: str) -> str:
        return str(self.spec["dtype_y" if name == "bias" else f"dtype_{name}"])

    def _random(self, random: Any, name: str) -> NDArray[Any]:
        sizes = self.problem.sizes
        shape = (sizes.g, sizes.k) if name == "bias" else sizes.shape(name)
        return random_operand(self.dispatcher.device, random, shape, self._dtype(name))

    def _order(self, name: str, axes: int) -> tuple[int, ...]:
        """The axes of an array, which has channels last, as the kernel has them in memory."""
        return memory_order(name, axes, is_channels_first(self.problem.layout))

    def _placed(self, name: str) -> DeviceTensor:
        if name != self.written:
            array = self.arrays[name]
            return self.dispatcher.to_device(array.transpose(self._order(name, array.ndim)))
        shape = self.problem.sizes.shape(name)
        in_memory = tuple(shape[axis] for axis in self._order(name, len(shape)))
        return poisoned(self.dispatcher, in_memory, self._dtype(name))
