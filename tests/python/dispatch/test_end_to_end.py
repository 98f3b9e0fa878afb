# SPDX-License-Identifier: MIT
"""Random problems of 1 to 300 in each dimension against the reference, with guards around every
buffer.
"""

from __future__ import annotations

import os
import random as chance

import numpy as np
import pytest
from ckdispatch.gemm.reference import expected
from dispatch_support import Guarded, dispatcher, guarded, random

CASES = int(os.environ.get("CK_CASES", "60"))
SEED = int(os.environ.get("CK_SEED", "0")) or chance.SystemRandom().randrange(1, 2**31)
print(f"CK_SEED={SEED}")


def placed(draw: chance.Random, shape: tuple[int, ...], *, rows: bool) -> Guarded:
    """A matrix, or a batch, with contiguous rows or columns, a leading dimension that may be
    larger, at any even address.
    """
    *batch, m, n = shape
    width = n if rows else m
    leading = width + draw.choice((0, 0, 1, 8, 13))
    matrix = leading * (m if rows else n)
    strides = (leading, 1) if rows else (1, leading)
    full = (*(matrix + draw.choice((0, 16)) for _ in batch), *strides)
    return guarded(dispatcher(), shape, full, "fp16", shift=draw.choice((0, 0, 2, 8, 14)))


@pytest.mark.parametrize("case", range(CASES))
def test_a_random_problem(case: int) -> None:
    draw = chance.Random(SEED + case)
    m, n, k = (draw.randint(1, 300) for _ in range(3))
    batch = (draw.choice((2, 3)),) if draw.random() < 0.2 else ()
    split_k = draw.choice((1, 1, 2, 3)) if k >= 3 else 1
    what = f"CK_SEED={SEED} case {case}: {m}x{n}x{k} batch {batch} split_k {split_k}"
    # The only kernel that splits K into fp16 parts reads rows of A and columns of B.
    left = placed(draw, (*batch, m, k), rows=split_k > 1 or draw.random() < 0.5)
    right = placed(draw, (*batch, k, n), rows=split_k == 1 and draw.random() < 0.5)
    target = placed(draw, (*batch, m, n), rows=draw.random() < 0.7)
    a, b = random((*batch, m, k), case), random((*batch, k, n), case + 1000)
    left.tensor.write(a)
    right.tensor.write(b)
    result = dispatcher().gemm(left.tensor, right.tensor, out=target.tensor, split_k=split_k)
    spec = dispatcher().registry[result.kernel].spec
    computed = result.padded or (m, n, k)
    comparison = expected(result.plan.parts, spec, a, b, k=computed[2]).compare(
        target.tensor.numpy()
    )
    assert comparison.ok, f"{what} by {result.kernel}: {comparison}"
    for name, buffer in (("A", left), ("B", right), ("C", target)):
        assert buffer.broken() == [], f"{what} by {result.kernel}: bytes beside {name} were written"
    assert np.array_equal(left.tensor.numpy(), a), what
    assert np.array_equal(right.tensor.numpy(), b), what
