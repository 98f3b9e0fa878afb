# SPDX-License-Identifier: MIT
"""What LightGBM dumps becomes lists; what the dispatcher could not add up is refused."""

from __future__ import annotations

from typing import Any

import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.learning.trees import Tree, trees_of


def leaf(index: int, value: float) -> dict[str, Any]:
    return {"leaf_index": index, "leaf_value": value, "leaf_count": 10}


def node(index: int, left: dict[str, Any], right: dict[str, Any], **more: Any) -> dict[str, Any]:
    plain = {
        "split_feature": index + 5,
        "threshold": index + 0.1,
        "decision_type": "<=",
        "missing_type": "None",
    }
    return {"split_index": index, **plain, "left_child": left, "right_child": right, **more}


def dumped(*structures: dict[str, Any]) -> dict[str, Any]:
    entries = [{"tree_index": index, "tree_structure": one} for index, one in enumerate(structures)]
    return {"num_tree_per_iteration": 1, "average_output": False, "tree_info": entries}


def test_a_tree_is_five_lists() -> None:
    structure = node(
        0, node(2, leaf(0, 0.25), leaf(3, -1.0)), node(1, leaf(1, 1e-17), leaf(2, 4.0))
    )
    assert trees_of(dumped(structure)) == (
        Tree(
            feature=(5, 6, 7),
            threshold=(0.1, 1.1, 2.1),
            left=(2, -2, -1),
            right=(1, -3, -4),
            leaf=(0.25, 1e-17, 4.0, -1.0),
        ),
    )


def test_a_leaf_alone_is_a_tree() -> None:
    # LightGBM gives no number to such a leaf.
    assert trees_of(dumped({"leaf_value": 0.5, "leaf_count": 3})) == (Tree((), (), (), (), (0.5,)),)


def test_a_tree_may_be_as_deep_as_it_likes() -> None:
    structure = leaf(0, 0.0)
    for index in reversed(range(3000)):
        structure = node(index, structure, leaf(index + 1, 1.0))
    (tree,) = trees_of(dumped(structure))
    assert tree.left[:2] == (1, 2) and tree.left[-1] == -1 and len(tree.leaf) == 3001


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ({**dumped(leaf(0, 1.0)), "num_tree_per_iteration": 3}, "several outputs"),
        ({**dumped(leaf(0, 1.0)), "average_output": True}, "several outputs"),
        (dumped(node(0, leaf(0, 1.0), leaf(1, 2.0), decision_type="==")), "a decision by '=='"),
        (
            dumped(node(0, leaf(0, 1.0), leaf(1, 2.0), missing_type="NaN")),
            "treats missing values as 'NaN'",
        ),
        (
            dumped(node(0, leaf(0, 1.0), leaf(1, 2.0), missing_type="Zero")),
            "treats missing values as 'Zero'",
        ),
        (dumped(node(0, leaf(0, 1.0), {**leaf(1, 2.0), "leaf_const": 1.0})), "linear functions"),
        (dumped(node(1, leaf(0, 1.0), leaf(1, 2.0))), "wrong numbers"),
        (dumped(node(0, leaf(0, 1.0), leaf(2, 2.0))), "wrong numbers"),
    ],
)
def test_what_is_more_than_a_sum_of_plain_trees_is_refused(
    model: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        trees_of(model)
