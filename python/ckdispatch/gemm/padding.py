# SPDX-License-Identifier: MIT
"""A larger problem that some kernel takes, for a shape that none takes as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ckdispatch.errors import NoKernel
from ckdispatch.padded import fastest_plan

if TYPE_CHECKING:
    from ckdispatch.gemm.problem import GemmProblem
    from ckdispatch.plan import Plan
    from ckdispatch.selection import Selection

_LOAD_BYTES = 16
"""No load is wider."""


def padded_plan(selection: Selection, problem: GemmProblem, refusal: NoKernel) -> Plan[GemmProblem]:
    """The plan, among all kernels with their tiles filled up, that should take the least time. Raises ``refusal`` if none fits."""
    return fastest_plan(selection, _larger(selection, problem), refusal)


def _larger(selection: Selection, problem: GemmProblem) -> Iterator[tuple[str, GemmProblem]]:
    """For each kernel the problem with its tiles filled up."""
    for name, tile in _tiles(selection, problem):
        m, n, k = (-(-extent // step) * step for extent, step in zip((problem.m, problem.n, problem.k), tile, strict=True))
        if problem.weights and (n, k) != (problem.n, problem.k):
            continue  # preshuffled weights are as they are
        yield (
            name,
            replace(
                problem,
                m=m,
                n=n,
                k=k,
                stride_a=0,
                stride_b=0,
                stride_c=0,
                batch_strides=None,
                alignment=16,
                d_strides=_copied_strides(problem),
                d_batch_strides=problem.d_batch_strides and _shared(problem.d_batch_strides),
            ),
        )


def _shared(batch_strides: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """What all matrices share stays so; the rest is packed."""
    return tuple(0 if stride == 0 else None for stride in batch_strides)


def _copied_strides(problem: GemmProblem) -> tuple[int | None, ...] | None:
    """Of copies of the D tensors: one row or column for all stays so, one for each matrix is written out."""
    if problem.d_strides is None:
        return None
    batch_strides = problem.d_batch_strides or (None,) * problem.d_count
    pairs = zip(problem.d_strides, batch_strides, strict=True)
    return tuple(0 if stride == 0 and not batch_stride else None for stride, batch_stride in pairs)


def _tiles(selection: Selection, problem: GemmProblem) -> list[tuple[str, tuple[int, int, int]]]:
    """What M, N and K must be multiples of, for each kernel: its tile, or where it pads itself only the vectors of its loads."""
    from ckarch import load_specs

    # A kernel stores C in rows; a problem whose C has contiguous columns runs with its operands exchanged.
    exchanged = problem.layout[2] == "c"
    dtypes = {problem.dtype, problem.dtype_b, problem.dtype_c, problem.dtype_d if problem.d_count else None} - {None}
    vector = max(int(_LOAD_BYTES / load_specs().dtype(dtype).bytes) for dtype in dtypes)
    tiles = []
    for kernel in selection.registry.filter(gpu=selection.gpu, dtype_a=problem.dtype):
        spec = kernel.spec
        m, n, k = (vector if spec[pad] else extent for pad, extent in zip(("pad_m", "pad_n", "pad_k"), spec["tile"], strict=True))
        if problem.split_k != 1:  # every part of K must have whole tiles
            k = spec["tile"][2] * max(1, problem.split_k)
        tiles.append((kernel.name, (n, m, k) if exchanged else (m, n, k)))
    return tiles
