# SPDX-License-Identifier: MIT
"""Folds are frozen by the texts of groups; training says what is wrong before it begins, and that
there is no LightGBM.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import CkDispatchError, InvalidArgument
from ckdispatch.learning.training import folds_by_hash, train

GROUPS = [f"problem {index}" for index in range(1000)]


def test_folds_are_those_of_ever() -> None:
    # They must never change: results of before are compared with those of later.
    assert folds_by_hash(["a", "b", "c", "d", "a"]).tolist() == [4, 0, 3, 0, 4]
    assert folds_by_hash([]).tolist() == []


def test_a_group_is_in_one_fold_wherever_it_stands() -> None:
    folds = dict(zip(GROUPS, folds_by_hash(GROUPS), strict=True))
    turned = GROUPS[::-1] + GROUPS[:10]
    assert folds_by_hash(turned).tolist() == [folds[group] for group in turned]


@pytest.mark.parametrize("count", [2, 5, 10])
def test_folds_are_of_similar_sizes(count: int) -> None:
    sizes = np.bincount(folds_by_hash(GROUPS, count), minlength=count)
    assert len(sizes) == count
    assert sizes.min() > 0.7 * len(GROUPS) / count


ROWS, TARGETS = np.zeros((4, 2)), np.zeros(4)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((TARGETS, TARGETS), "features has 1 axes; it must have 2"),
        ((ROWS, ROWS), "log_ratio has 2 axes; it must have 1"),
        ((ROWS, TARGETS[:3]), "features has 4 rows, and log_ratio has 3"),
        ((ROWS + np.nan, TARGETS), "features has values that are no finite numbers"),
        ((ROWS, TARGETS + np.inf), "log_ratio has values that are no finite numbers"),
        ((ROWS[:0], TARGETS[:0]), "there is nothing to train on"),
        (([["a", "b"]], [1.0]), "features is no array of numbers"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(arguments: Any, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        train(*arguments)


def test_what_has_no_groups_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="groups were given that are no texts"):
        folds_by_hash([1, 2])  # type: ignore[list-item]  # what is refused
    with pytest.raises(InvalidArgument, match="the number of folds was asked for as 1"):
        folds_by_hash(["a"], 1)


def test_a_missing_lightgbm_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(
        CkDispatchError,
        match=r"to be trained, and LightGBM cannot be imported .* pip install lightgbm",
    ):
        train(ROWS, TARGETS)


def test_lightgbm_is_not_imported_before_something_is_trained() -> None:
    program = (
        "import sys, ckdispatch.learning.training, ckdispatch.learning.artefact; "
        "sys.exit('lightgbm' in sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
