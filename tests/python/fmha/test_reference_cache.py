# SPDX-License-Identifier: MIT
"""References of pages, appended keys and rotations."""

from __future__ import annotations

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.reference.cache import appended, gathered, listed, rotated

RANDOM = np.random.default_rng(0)


def test_pages_are_read_in_the_order_of_the_table() -> None:
    pages = np.arange(5 * 4 * 2 * 3).reshape(5, 4, 2, 3)
    dense = gathered(pages, np.array([[3, 0], [1, 4]]), 6)
    assert dense.shape == (2, 6, 2, 3)
    assert np.array_equal(dense[0, :4], pages[3]) and np.array_equal(dense[1, 4:], pages[4, :2])
    with pytest.raises(
        InvalidArgument, match="9 keys were asked for; a row of the block table has 2 pages of 4"
    ):
        gathered(pages, np.array([[3, 0]]), 9)


def test_lists_of_pages_are_packed_sequences() -> None:
    tokens = np.arange(12)[:, None, None]
    rows, starts = listed(tokens, [0, 2, 3], [5, 0, 3, 99], page_rows=2)
    assert rows.ravel().tolist() == [10, 11, 0, 1, 6, 7] and starts.tolist() == [0, 4, 6]


def test_new_rows_come_behind_old_ones() -> None:
    new = np.full((2, 3, 1, 1), 7.0)
    slots = appended(np.zeros((4, 8, 1, 1)), new, [2, 5], cache_index=[3, 1])
    assert slots[:, :, 0, 0].tolist() == [
        [0] * 8,
        [0] * 5 + [7] * 3,
        [0] * 8,
        [0, 0, 7, 7, 7, 0, 0, 0],
    ]
    pages = appended(np.zeros((4, 4, 1, 1)), new, [2, 0], block_table=np.array([[2, 0], [3, 1]]))
    assert pages[:, :, 0, 0].tolist() == [[7, 0, 0, 0], [0] * 4, [0, 0, 7, 7], [7, 7, 7, 0]]


@pytest.mark.parametrize("kind", ["interleaved", "half"])
def test_a_rotation_turns_pairs_by_the_angle_of_their_position(kind: str) -> None:
    angles = RANDOM.uniform(-3, 3, (10, 4))
    x = RANDOM.normal(size=(2, 3, 2, 16))
    positions = np.array([[4, 5, 6], [0, 0, 9]])
    made = rotated(x, np.cos(angles), np.sin(angles), positions, kind).exact
    for i in range(4):
        pair = (2 * i, 2 * i + 1) if kind == "interleaved" else (i, i + 4)
        before, after = (one[1, 2, 1, pair[0]] + 1j * one[1, 2, 1, pair[1]] for one in (x, made))
        assert np.isclose(after, before * np.exp(1j * angles[9, i]))
    assert np.array_equal(made[..., 8:], x[..., 8:])


def test_an_unknown_rotation_is_refused() -> None:
    x = np.zeros((1, 1, 1, 8))
    with pytest.raises(InvalidArgument, match="there are none, interleaved, half"):
        rotated(x, x, x, np.zeros((1, 1)), "whole")
