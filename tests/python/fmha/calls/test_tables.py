# SPDX-License-Identifier: MIT
"""Tables of the host: what is wrong with them is found before anything is launched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.tables import (
    PAST_THE_END,
    Table,
    check_index,
    check_lengths,
    check_listed,
    check_pages,
    check_starts,
    rows_of_pages,
    table,
)


def of(*numbers: Any, name: str = "a_table") -> Table:
    array = np.array(numbers, np.int64)
    return table(name, array, None, array.ndim)  # type: ignore[arg-type]  # an array of NumPy is taken


@pytest.mark.parametrize(
    "given", [[1, 2], (1, 2), np.array([1, 2], np.uint8), np.array([1, 2], np.int64)]
)
def test_whole_numbers_of_any_kind_are_taken(given: Any) -> None:
    found = table("a_table", given, None)  # type: ignore[arg-type]  # an array of NumPy is taken
    assert found.on_host.tolist() == [1, 2]


@pytest.mark.parametrize("given", [[1.5], ["a"], [[1], [2, 3]], np.array([2**40]), np.array([[1]])])
def test_other_numbers_are_refused(given: Any) -> None:
    with pytest.raises(InvalidArgument):
        table("a_table", given, None)  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ((1, 2), "begins with 0"),
        ((0, 5, 3), "less than the one before"),
        ((0, 11), "ends with 11"),
        ((0,), "one more"),
    ],
)
def test_sequences_begin_behind_each_other(starts: tuple[int, ...], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        check_starts(of(*starts), 10, "q")


def test_lengths_fit_into_their_room() -> None:
    check_lengths(of(0, 10), 2, 10, "q")
    for bad in ((-1, 3), (3, 11), (3,)):
        with pytest.raises(InvalidArgument, match=r"room for 10 rows|2 sequences"):
            check_lengths(of(*bad), 2, 10, "q")


def test_pages_of_a_table_exist_where_they_are_used() -> None:
    pages = of((0, 4, 99), (3, -1, -1), name="block_table")
    check_pages(pages, np.array([32, 10]), 16, 5)
    with pytest.raises(
        InvalidArgument, match="the page 99 for sequence 0; the cache has pages from 0 to 4"
    ):
        check_pages(pages, np.array([33, 10]), 16, 5)
    with pytest.raises(InvalidArgument, match="the page -1 for sequence 1"):
        check_pages(pages, np.array([32, 17]), 16, 5)
    with pytest.raises(InvalidArgument, match="the page 7"):
        check_listed(of(0, 7), 5)


def test_an_index_names_sequences_of_the_cache() -> None:
    check_index(of(4, 4), 2, 5, written=False)
    with pytest.raises(InvalidArgument, match="twice"):
        check_index(of(4, 4), 2, 5, written=True)
    with pytest.raises(InvalidArgument, match="sequences from 0 to 4"):
        check_index(of(4, 5), 2, 5, written=False)


def test_each_key_has_its_row() -> None:
    starts, rows = rows_of_pages([np.array([7, 2]), np.array([0])], np.array([5, 2]), 4, 6)
    assert starts.tolist() == [0, 5, 7]
    assert rows[:7].tolist() == [42, 43, 44, 45, 12, 0, 1]
    assert rows[7:].tolist() == [0] * PAST_THE_END
