# SPDX-License-Identifier: MIT
"""Copies on the device between tensors whose axes are in any order, with gaps or without."""

from __future__ import annotations

import numpy as np
import pytest
from ckdispatch.tensors.copies import copy_elements
from ckdispatch.tensors.memory import is_packed, packed_strides
from dispatch_support import dispatcher, guarded


def drawn_strides(random: np.random.Generator, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Of memory whose axes are in a random order, some of them with a gap behind each index."""
    order = random.permutation(len(shape))
    strides, step = [0] * len(shape), 1
    for axis in order:
        strides[axis] = step = step * int(random.choice([1, 1, 2]))
        step *= shape[axis]
    return tuple(strides)


@pytest.mark.parametrize("seed", range(40))
def test_every_element_arrives_and_nothing_else_changes(seed: int) -> None:
    on, random = dispatcher(), np.random.default_rng(seed)
    shape = tuple(int(extent) for extent in random.integers(1, 5, random.integers(1, 6)))
    larger = tuple(extent + int(random.integers(0, 3)) for extent in shape)
    source = guarded(on, shape, drawn_strides(random, shape), "fp16")
    target = guarded(on, larger, drawn_strides(random, larger), "fp16")
    values = random.standard_normal(shape).astype(np.float16)
    before = random.standard_normal(larger).astype(np.float16)
    source.tensor.write(values)
    target.tensor.write(before)
    copy_elements(source.tensor, target.tensor, None)
    corner = tuple(slice(extent) for extent in shape)
    before[corner] = values
    assert np.array_equal(target.tensor.numpy(), before)
    assert source.broken() == target.broken() == []


def test_a_single_index_may_have_any_stride() -> None:
    assert packed_strides((2, 3, 4)) == (12, 4, 1)
    assert is_packed((2, 1, 4), (4, 99, 1))
    assert not is_packed((2, 2, 4), (8, 99, 1))
