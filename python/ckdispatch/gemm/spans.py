# SPDX-License-Identifier: MIT
"""How far the tensors of a product reach in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ckdispatch.gemm.problem import GemmProblem


def spans(problem: GemmProblem) -> Iterator[int]:
    """Elements of each tensor from the first to the last, in the order of ``problem.tensors``."""
    if problem.groups:
        for product in problem.products():
            yield from spans(product)
        return
    m, n, k = problem.m, problem.n, problem.k
    strides = problem.batch_strides or (None, None, None)
    yield _span(problem, problem.layout[0], (m, k), problem.stride_a or None, strides[0])
    yield _span(problem, problem.layout[1], (k, n), problem.stride_b or None, strides[1])
    yield _span(problem, problem.layout[2], (m, n), problem.stride_c or None, strides[2])
    packed = (None,) * problem.d_count
    pairs = zip(problem.d_strides or packed, problem.d_batch_strides or packed, strict=True)
    for leading, batch in pairs:
        yield _span(problem, problem.d_layout, (m, n), leading, batch)


def _span(
    problem: GemmProblem,
    letter: str,
    extents: tuple[int, int],
    leading: int | None,
    batch: int | None,
) -> int:
    lines, width = extents if letter == "r" else extents[::-1]
    leading = width if leading is None else leading
    batch = lines * leading if batch is None else batch
    return (problem.batch - 1) * batch + (lines - 1) * leading + width
