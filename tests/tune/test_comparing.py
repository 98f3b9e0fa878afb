# SPDX-License-Identifier: MIT
"""What counts as worse, and what as different."""

from __future__ import annotations

from typing import Any

import pytest
from cktune.comparing import alike, different, worse

RECORD: dict[str, Any] = {
    "times.csv": {
        "unseen": {
            "rules": {
                "mean": 95.0,
                "p10": 80.0,
                "min": 60.0,
                "error_median": 5.0,
                "top1": 50.0,
                "ends": [94.0, 96.0],
            }
        },
        "worst": {"rules": [{"problem": "64x64x64", "efficiency": 60.0}]},
    }
}


def changed(figure: str, value: float) -> dict[str, Any]:
    rules = {**RECORD["times.csv"]["unseen"]["rules"], figure: value}
    return {"times.csv": {**RECORD["times.csv"], "unseen": {"rules": rules}}}


@pytest.mark.parametrize(
    ("figure", "value"),
    [("mean", 94.9), ("p10", 79.9), ("min", 59.9), ("error_median", 5.1)],
    ids=lambda value: str(value),
)
def test_a_figure_that_is_worse_is_named(figure: str, value: float) -> None:
    (found,) = worse(RECORD, changed(figure, value))
    assert (found.where, found.now) == (f"times.csv, unseen, rules, {figure}", value)


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        ("mean", 94.96),
        ("mean", 99.0),
        ("error_median", 5.04),
        ("error_median", 1.0),
        ("top1", 10.0),
    ],
    ids=lambda value: str(value),
)
def test_noise_and_what_is_better_and_other_figures_are_not(figure: str, value: float) -> None:
    assert list(worse(RECORD, changed(figure, value))) == []


def test_what_is_better_is_different() -> None:
    assert list(different(RECORD, RECORD)) == []
    assert list(different(RECORD, changed("mean", 99.0))) == [
        "times.csv, unseen, rules, mean: 95.0 before, 99.0 now"
    ]
    assert list(different({"a": 1}, {})) == ["a: 1 before, nothing now"]
    assert list(different({"a": [1]}, {"a": [1, 2]})) == ["a: [1] before, [1, 2] now"]


def test_pictures_may_differ_by_a_pixel_and_no_more() -> None:
    assert alike('<path d="m10 20h0m-3 4h0"/>', '<path d="m11 20h0m-4 4h0"/>')
    assert not alike('<path d="m10 20h0"/>', '<path d="m15 20h0"/>')
    assert not alike('<path d="m10 20h0"/>', '<path d="m10 20h0m1 1h0"/>')
    assert not alike("<text>rules</text>", "<text>model</text>")
