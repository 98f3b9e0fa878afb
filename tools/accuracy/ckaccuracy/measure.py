# SPDX-License-Identifier: MIT
"""Runs cases on the simulator: operands, launch and reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ckdispatch import Dispatcher, GemmProblem, GroupedConvProblem
from ckdispatch.cli.operands import poisoned
from ckdispatch.comparison import Reference
from ckdispatch.device import Device
from ckdispatch.gemm import reference as gemm
from ckdispatch.grouped_conv import reference as grouped_conv
from ckdispatch.grouped_conv.sizes import TENSORS
from ckdispatch.plan import Plan
from ckdispatch.problem import Problem
from ckdispatch.reference.dtypes import convert, dtype_encoding
from ckdispatch.tensors.device_tensor import DeviceTensor
from numpy.typing import NDArray

from ckaccuracy.cases import Case
from ckaccuracy.errors import AccuracyError
from ckaccuracy.figures import Figures, figures

Draw = Callable[[tuple[int, ...], str], NDArray[Any]]
"""An operand of a shape and a dtype."""

Placed = tuple[list[DeviceTensor], DeviceTensor, Reference, str, int]
"""The tensors of a launch, the one that it writes, what that should be, its dtype, and the terms of
a sum.
"""


def measure(dispatcher: Dispatcher, case: Case) -> Figures:
    """The figures of a case on the device of the dispatcher, which has its kernel."""
    problem = case.parsed()
    plan = dispatcher.plan(problem, kernel=case.kernel)
    spec = dispatcher.registry[case.kernel].spec
    draw = _drawing(dispatcher.device, case)
    tensors, result, reference, dtype, terms = _place(dispatcher, problem, plan, spec, draw)
    dispatcher.run(problem, *tensors, kernel=case.kernel)
    dispatcher.synchronize()
    return figures(f"{case.problem} by {case.kernel}", result.numpy(), reference, dtype, terms)


def _drawing(device: Device, case: Case) -> Draw:
    random = np.random.default_rng(case.seed)
    ((how, most),) = case.values.items()

    def draw(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
        kind = device.numpy_dtype(dtype)
        if how == "integers":
            return random.integers(-int(most), int(most), shape, kind, endpoint=True)
        return convert(random.uniform(-most, most, shape), dtype, dtype_encoding(kind))

    return draw


def _place(
    dispatcher: Dispatcher, problem: Problem, plan: Plan[Any], spec: Mapping[str, Any], draw: Draw
) -> Placed:
    if isinstance(problem, GemmProblem):
        return _place_gemm(dispatcher, problem, plan, spec, draw)
    if isinstance(problem, GroupedConvProblem):
        return _place_conv(dispatcher, problem, plan, spec, draw)
    raise AccuracyError(f"{problem.text} is of {problem.family}, of which no accuracy is measured.")


def _place_gemm(
    dispatcher: Dispatcher,
    problem: GemmProblem,
    plan: Plan[Any],
    spec: Mapping[str, Any],
    draw: Draw,
) -> Placed:
    m, n, k = problem.m, problem.n, problem.k
    a, b = draw((m, k), spec["dtype_a"]), draw((k, n), spec["dtype_b"])
    in_columns = [letter == "c" for letter in problem.layout]
    tensors = [
        dispatcher.to_device(array, column_major=column)
        for array, column in zip((a, b), in_columns, strict=False)
    ]
    c = poisoned(dispatcher, (m, n), spec["dtype_c"])
    return [*tensors, c], c, gemm.expected(plan.parts, spec, a, b), spec["dtype_c"], k


def _place_conv(
    dispatcher: Dispatcher,
    problem: GroupedConvProblem,
    plan: Plan[Any],
    spec: Mapping[str, Any],
    draw: Draw,
) -> Placed:
    sizes = problem.sizes
    *read, written = TENSORS[problem.direction]
    arrays = {name: draw(sizes.shape(name), spec[f"dtype_{name}"]) for name in read}
    dtype = spec[f"dtype_{written}"]
    result = poisoned(dispatcher, sizes.shape(written), dtype)
    tensors = [
        result if name == written else dispatcher.to_device(arrays[name])
        for name in problem.tensors
    ]
    first, second = arrays.values()
    reference = grouped_conv.expected(plan.parts, spec, sizes, first, second)
    return tensors, result, reference, dtype, sizes.depth(problem.direction)
