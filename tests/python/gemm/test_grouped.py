# SPDX-License-Identifier: MIT
"""Many products of different sizes in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch import GemmProblem
from ckdispatch.errors import InvalidArgument, NoKernel
from dispatch_support import dispatcher, guarded, of_each_variant, random

SIZES = [(72, 136, 96), (8, 16, 32), (64, 64, 264)]
PAIRS = [(random((m, k), i), random((n, k), 10 + i).T) for i, (m, n, k) in enumerate(SIZES)]


def test_groups_are_one_launch() -> None:
    result = of_each_variant().grouped_gemm(PAIRS, validate=True)
    assert result.plan.launches == 1
    assert len(result.kernels) == 1
    assert result.kernels[0].endswith("_grouped")
    assert result.changes == ()
    assert [comparison.ok for comparison in result.comparisons] == [True] * 3
    for (a, b), out in zip(PAIRS, result.outs, strict=True):
        assert np.allclose(out, a.astype(np.float32) @ b.astype(np.float32), atol=0.05)


def test_without_such_a_kernel_they_run_one_after_another_and_that_is_said() -> None:
    result = dispatcher().grouped_gemm(PAIRS, validate=True)
    assert result.plan.launches == 3
    assert len(result.kernels) == 3
    assert "the 3 groups were computed one after another" in result.changes[-1]


def test_groups_on_the_device_are_read_and_written_where_they_are() -> None:
    on = of_each_variant()
    pairs, outs = [], []
    for (m, n, _), (a, b) in zip(SIZES, PAIRS, strict=True):
        pairs.append((on.to_device(a), on.to_device(b, column_major=True)))
        outs.append(guarded(on, (m, n), (n + 8, 1), "fp16"))
    result = on.grouped_gemm(pairs, outs=[out.tensor for out in outs], validate=True)
    assert result.plan.launches == 1
    assert [result.outs[i] is out.tensor for i, out in enumerate(outs)] == [True] * 3
    assert [out.broken() for out in outs] == [[]] * 3


def test_operands_of_the_host_are_copied_into_the_layout_of_the_kernel() -> None:
    pairs = [(a, np.ascontiguousarray(b)) for a, b in PAIRS]
    result = of_each_variant().grouped_gemm(pairs, validate=True)
    assert result.plan.launches == 1
    assert result.changes == tuple(
        f"B of group {i} was copied into contiguous columns, which the kernel reads"
        for i in range(3)
    )


def test_groups_of_a_problem_are_run_on_their_tensors() -> None:
    on = of_each_variant()
    tensors, outs = [], []
    for (m, n, _), (a, b) in zip(SIZES, PAIRS, strict=True):
        outs.append(on.empty((m, n)))
        tensors += [on.to_device(a), on.to_device(b, column_major=True), outs[-1]]
    on.run(GemmProblem.grouped(SIZES), *tensors)
    on.synchronize()
    expected = of_each_variant().grouped_gemm(PAIRS).outs
    assert all(np.array_equal(out.numpy(), one) for out, one in zip(outs, expected, strict=True))


@pytest.mark.parametrize(
    ("pairs", "outs", "sentence"),
    [
        ([], None, "0 products were asked for with 0 outs"),
        (PAIRS, [np.zeros((72, 136), np.float16)], "3 products were asked for with 1 outs"),
        ([(PAIRS[0][0], PAIRS[1][1])], None, "cannot be multiplied"),
        ([(random((2, 8, 8), 1), random((8, 8), 1))], None, "group 0 is a batch"),
        (
            [PAIRS[0], (random((8, 8), 1, np.float32), random((8, 8), 1, np.float32))],
            None,
            "A of fp16 and fp32",
        ),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(pairs: Any, outs: Any, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        of_each_variant().grouped_gemm(pairs, outs=outs)


def test_groups_of_the_device_must_have_one_layout() -> None:
    on = of_each_variant()
    rows, columns = (on.to_device(random((64, 64), 1), column_major=way) for way in (False, True))
    with pytest.raises(InvalidArgument, match="groups on the device have different layouts"):
        on.grouped_gemm([(rows, columns), (columns, columns)])


def test_a_group_that_no_kernel_computes_is_named() -> None:
    with pytest.raises(NoKernel, match="computes gemm 7x9x11 fp16"):
        of_each_variant().grouped_gemm([PAIRS[0], (random((7, 11), 1), random((11, 9), 2))])
