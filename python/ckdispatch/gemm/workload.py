# SPDX-License-Identifier: MIT
"""A GEMM on a device: random operands where its problem has them, and the product compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
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
from ckdispatch.gemm.problem import GemmProblem, computed_sizes
from ckdispatch.gemm.reference import arithmetic_of, expected
from ckdispatch.gemm.weights import preshuffle
from ckdispatch.plan import Plan
from ckdispatch.reference.on_device import product_on_device
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.memory import bytes_of


class Product:
    """The tensors of ``problem`` in the kernel ABI's order.

    ``stage`` is that of the plan: the kernel, the parts of K, and what it computes, which is larger
    if it is ``padded``.
    """

    def __init__(
        self,
        dispatcher: BaseDispatcher,
        problem: GemmProblem,
        stage: Mapping[str, Any],
        padded: bool,
        random: Any,
    ) -> None:
        self.dispatcher, self.problem, self.stage, self.padded = dispatcher, problem, stage, padded
        self.reference = LastReference()
        self.spec = dispatcher.registry[stage["kernel"]].spec
        self.dtypes = self._dtypes()
        m, n, k = problem.m, problem.n, problem.k
        self.a = self._random(random, (problem.batch, m, k), self.dtypes[0])
        self.b = self._random(random, (problem.batch, k, n), self.dtypes[1])
        self.ds = [
            self._random(random, self._d_shape(i), self.spec["dtype_d"])
            for i in range(problem.d_count)
        ]
        self.tensors = [
            self._upload(0, self.a),
            dispatcher.to_device(preshuffle(self.b, problem.weights).data)
            if problem.weights
            else self._upload(1, self.b),
            poisoned(dispatcher, (math.prod(self._memory(2)),), self.dtypes[2]),
            *(self._upload_d(i, d) for i, d in enumerate(self.ds)),
        ]

    @property
    def bytes(self) -> int:
        """Of all tensors, each counted once."""
        a, b = (
            bytes_of(array.size, dtype, array.itemsize)
            for array, dtype in zip((self.a, self.b), self.dtypes, strict=False)
        )
        arrays = a + b + sum(array.nbytes for array in self.ds)
        p = self.problem
        return (
            arrays
            + p.batch * p.m * p.n * self.dispatcher.device.numpy_dtype(self.dtypes[2]).itemsize
        )

    def compare(self, on_device: bool) -> Comparison:
        """How what the last launch left in C differs from the reference."""
        k = computed_sizes(self.stage["problem"])[2] if self.padded else self.problem.k
        parts = self.stage["parts"]
        reference = self.reference.get(
            (k, arithmetic_of(parts, self.spec, k), on_device), lambda: self._expected(k, on_device)
        )
        memory = self.tensors[2].numpy().reshape(self._memory(2))
        return reference.compare(
            self._seen(self.problem.layout[2], memory, (self.problem.m, self.problem.n))
        )

    def _expected(self, k: int, on_device: bool) -> Reference:
        a, b, products = self.a, self.b, None
        if on_device:
            weights = self.dispatcher.to_device(self.b) if self.problem.weights else None
            a, b, products = product_on_device(self._on_device(0), weights or self._on_device(1))
        parts = self.stage["parts"]
        return expected(parts, self.spec, a, b, k=k, ds=self.ds, products=products)

    def _on_device(self, tensor: int) -> DeviceTensor:
        """A or B where it lies, in its logical orientation."""
        _, lines, width = self._memory(tensor)
        by_rows = self.problem.layout[tensor] == "r"
        strides = (lines * width, width, 1) if by_rows else (lines * width, 1, width)
        return self.tensors[tensor].seen_as((self.a, self.b)[tensor].shape, strides)

    def with_stage(self, stage: Mapping[str, Any], padded: bool) -> Product | None:
        """The same tensors for another kernel, if that has the same dtypes."""
        twin = copy(self)
        twin.stage, twin.padded, twin.spec = (
            stage,
            padded,
            self.dispatcher.registry[stage["kernel"]].spec,
        )
        if twin._dtypes() != self.dtypes or (
            self.ds and twin.spec["dtype_d"] != self.spec["dtype_d"]
        ):
            return None
        poison(self.dispatcher, self.tensors[2])
        return twin

    def _dtypes(self) -> tuple[str, ...]:
        a, b, c = (self.spec[name] for name in ("dtype_a", "dtype_b", "dtype_c"))
        # With C in columns the kernel computes the transpose, with operands exchanged.
        return (b, a, c) if self.problem.layout[2] == "c" else (a, b, c)

    def _random(self, random: Any, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
        return random_operand(self.dispatcher.device, random, shape, dtype)

    def _memory(self, tensor: int) -> tuple[int, int, int]:
        """Matrices, lines and elements from a line to the next."""
        p = self.problem
        rows, columns = ((p.m, p.k), (p.k, p.n), (p.m, p.n))[tensor]
        lines, width = (rows, columns) if p.layout[tensor] == "r" else (columns, rows)
        return p.batch, lines, (p.stride_a, p.stride_b, p.stride_c)[tensor] or width

    def _seen(self, letter: str, memory: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
        """The upper left ``shape`` of each matrix in ``memory``."""
        matrices = memory if letter == "r" else memory.swapaxes(1, 2)
        return matrices[:, : shape[0], : shape[1]]

    def _placed(
        self, values: NDArray[Any], memory: tuple[int, int, int], letter: str, dtype: str
    ) -> DeviceTensor:
        filled = np.zeros(memory, values.dtype)
        self._seen(letter, filled, values.shape[1:])[...] = values
        tensor = self.dispatcher.empty((filled.size,), dtype)
        tensor.write(filled.reshape(-1))
        return tensor

    def _upload(self, tensor: int, values: NDArray[Any]) -> DeviceTensor:
        letter, dtype = self.problem.layout[tensor], self.dtypes[tensor]
        return self._placed(values, self._memory(tensor), letter, dtype)

    def _d_stride(self, i: int) -> int | None:
        return self.problem.d_strides[i] if self.problem.d_strides else None

    def _d_shape(self, i: int) -> tuple[int, int, int]:
        """One row or one column where a single one is repeated."""
        p = self.problem
        if self._d_stride(i) == 0:
            return (1, 1, p.n) if p.d_layout == "r" else (1, p.m, 1)
        return p.batch, p.m, p.n

    def _upload_d(self, i: int, values: NDArray[Any]) -> DeviceTensor:
        p, letter, stride = self.problem, self.problem.d_layout, self._d_stride(i)
        width, lines = (p.n, p.m) if letter == "r" else (p.m, p.n)
        memory = (1, 1, width) if stride == 0 else (p.batch, lines, stride or width)
        return self._placed(values, memory, letter, self.spec["dtype_d"])


class GemmWorkload(Launched):
    """The operands of ``problem`` on the device."""

    def __init__(
        self,
        dispatcher: BaseDispatcher,
        problem: GemmProblem,
        plan: Plan[GemmProblem],
        seed: int | None,
    ) -> None:
        self.dispatcher, self.plan = dispatcher, plan
        random, padded = numbers(seed), plan.padded is not None
        products = problem.products() if problem.groups else [problem]
        stages = _stages(plan, len(products))
        self.products = [
            Product(dispatcher, *one, padded, random) for one in zip(products, stages, strict=True)
        ]
        self.tensors = [tensor for product in self.products for tensor in product.tensors]

    @property
    def bytes(self) -> int:
        """Of all tensors, each counted once."""
        return sum(product.bytes for product in self.products)

    def with_plan(self, plan: Plan[GemmProblem]) -> GemmWorkload | None:
        """The same operands, if the kernels of the plan have the same dtypes."""
        twin, padded = copy(self), plan.padded is not None
        stages = _stages(plan, len(self.products))
        products = [
            one.with_stage(stage, padded) for one, stage in zip(self.products, stages, strict=True)
        ]
        twin.plan, twin.products = plan, [one for one in products if one is not None]
        return twin if len(twin.products) == len(products) else None

    def compare(self, on_device: bool = False) -> Comparison:
        """How what the last launch left in C differs from the reference.

        Of groups it has the sum, with the worst place of the worst group.
        """
        found = [product.compare(on_device) for product in self.products]
        return replace(
            min(found, key=lambda one: (one.ok, -one.max_ulps)),
            size=sum(one.size for one in found),
            mismatch_count=sum(one.mismatch_count for one in found),
            max_abs=max(one.max_abs for one in found),
            max_rel=max(one.max_rel for one in found),
            max_ulps=max(one.max_ulps for one in found),
        )


def _stages(plan: Plan[GemmProblem], products: int) -> Sequence[Mapping[str, Any]]:
    """The stage of each product: one computes all groups, or each has its own."""
    stages: list[Mapping[str, Any]] = plan.to_json()["stages"]
    return stages if len(stages) > 1 else stages * products
