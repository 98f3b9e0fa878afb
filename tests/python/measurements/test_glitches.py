# SPDX-License-Identifier: MIT
"""A time is a glitch if nothing explains it."""

from __future__ import annotations

from itertools import product

import pytest
from ckdispatch.measurements.glitches import glitches, shares

CASES, NAMES = range(8), "abcdef"
PLACES = list(product(CASES, NAMES))


def times(**other: float) -> list[float]:
    """Of each problem with each kernel: a product, which problem and kernel explain; ``other`` are
    factors such as ``c3=5``.
    """
    return [
        (2.0 + case) * (1 + NAMES.index(name)) * other.get(f"{name}{case}", 1.0)
        for case, name in PLACES
    ]


def found(**other: float) -> list[str]:
    cases, names = zip(*PLACES, strict=True)
    odd = glitches(times(**other), cases, names, names)
    return [f"{name}{case}" for (case, name), glitch in zip(PLACES, odd, strict=True) if glitch]


def test_what_problem_and_kernel_explain_is_none() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("factor", "glitch"), [(2.9, []), (3.1, ["c3"]), (500.0, ["c3"]), (0.01, [])]
)
def test_more_than_three_times_that_is_one(factor: float, glitch: list[str]) -> None:
    assert found(c3=factor) == glitch


def test_several_are_found_at_once() -> None:
    assert found(a0=4, b0=4, f7=100) == ["a0", "b0", "f7"]


def test_names_of_one_compiled_kernel_must_agree() -> None:
    cases, names = [1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2
    odd = glitches([10, 10.2, 13.6, 20, 20, 26], cases, names, ["same"] * 6)
    assert odd.tolist() == [False, False, False, False, False, False]
    odd = glitches([10, 10.2, 13.9, 20, 20, 26], cases, names, ["same"] * 6)
    assert odd.tolist() == [False, False, True, False, False, False]


def test_rows_of_one_kernel_share_its_weight() -> None:
    assert shares(["a", "b", "a", "a", "c", "c"]) == pytest.approx(
        [1 / 3, 1, 1 / 3, 1 / 3, 1 / 2, 1 / 2]
    )
    assert shares([]) == []
