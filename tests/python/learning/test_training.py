# SPDX-License-Identifier: MIT
"""Training with LightGBM: what is written down is what it predicts, bit for bit, and is the same
every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from ckdispatch.learning.training import TREES, train
from ckdispatch.learning.trees import Tree, trees_of

COUNT = 800


def rows_and_targets() -> tuple[Any, Any]:
    random = np.random.default_rng(26)
    rows = random.normal(size=(COUNT, 6))
    rows[:, 1] = np.round(rows[:, 1])
    rows[:, 2] = np.maximum(rows[:, 2], 0)
    return rows, np.sin(2 * rows[:, 0]) + rows[:, 1] * rows[:, 2] + 0.1 * random.normal(
        size=len(rows)
    )


ROWS, TARGETS = rows_and_targets()


@pytest.fixture(scope="module")
def model() -> Any:
    return train(ROWS, TARGETS, seed=7)


def walked(trees: Sequence[Tree], row: Any) -> float:
    total = 0.0
    for tree in trees:
        place = 0 if tree.feature else -1
        while place >= 0:
            side = tree.left if row[tree.feature[place]] <= tree.threshold[place] else tree.right
            place = side[place]
        total += tree.leaf[-1 - place]
    return total


def test_a_walk_through_the_lists_gives_what_lightgbm_predicts(model: Any) -> None:
    trees = trees_of(model.dump_model())
    assert [walked(trees, row) for row in ROWS[:100]] == model.predict(
        ROWS[:100], raw_score=True
    ).tolist()


def test_the_dispatcher_takes_trees_of_such_sizes(model: Any) -> None:
    trees = trees_of(model.dump_model())
    assert len(trees) == TREES == 200
    assert max(len(tree.leaf) for tree in trees) == 31
    for feature in range(ROWS.shape[1]):
        used = {
            t
            for tree in trees
            for f, t in zip(tree.feature, tree.threshold, strict=True)
            if f == feature
        }
        assert len(used) <= 255
    for tree in trees:
        for node, children in enumerate(zip(tree.left, tree.right, strict=True)):
            assert all(child < 0 or child > node for child in children)


def test_the_same_seed_gives_the_same_trees_and_another_does_not(model: Any) -> None:
    assert trees_of(train(ROWS, TARGETS, seed=7).dump_model()) == trees_of(model.dump_model())
    assert trees_of(train(ROWS, TARGETS, seed=8).dump_model()) != trees_of(model.dump_model())


def test_targets_that_are_all_the_same_are_predicted_as_they_are() -> None:
    trees = trees_of(train(ROWS, np.full(len(ROWS), 0.5)).dump_model())
    assert walked(trees, ROWS[0]) == pytest.approx(0.5)
