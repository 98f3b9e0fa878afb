# SPDX-License-Identifier: MIT
"""LightGBM's trees as lists: those that the dispatcher adds up, number for number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted

_Node = Mapping[str, Any]


@dataclass(frozen=True)
class Tree:
    """Node 0 is the root. A child is a later node, or ``-1 - i`` for the leaf ``i``."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    leaf: tuple[float, ...]


def trees_of(dumped: Mapping[str, Any]) -> tuple[Tree, ...]:
    """The trees of what ``Booster.dump_model()`` gives; refuses what is more than a sum of plain
    trees.
    """
    if dumped.get("num_tree_per_iteration") != 1 or dumped.get("average_output"):
        raise InvalidArgument(
            "a model has several outputs, or a mean of trees; it must be one sum of trees"
        )
    return tuple(_tree(entry) for entry in dumped["tree_info"])


def _tree(entry: _Node) -> Tree:
    nodes: dict[int, _Node] = {}
    leaves: dict[int, float] = {}
    for one in _below(entry["tree_structure"]):
        if "leaf_value" in one:
            leaves[_leaf_index(one)] = float(one["leaf_value"])
        else:
            nodes[one["split_index"]] = _checked(one)
    if sorted(nodes) != list(range(len(nodes))) or sorted(leaves) != list(range(len(nodes) + 1)):
        raise InvalidArgument(
            f"tree {quoted(entry.get('tree_index'))} of a model has nodes or leaves "
            "with wrong numbers"
        )
    rows = [nodes[index] for index in range(len(nodes))]
    return Tree(
        feature=tuple(int(one["split_feature"]) for one in rows),
        threshold=tuple(float(one["threshold"]) for one in rows),
        left=tuple(_place(one["left_child"]) for one in rows),
        right=tuple(_place(one["right_child"]) for one in rows),
        leaf=tuple(leaves[index] for index in range(len(leaves))),
    )


def _below(root: _Node) -> Iterator[_Node]:
    """All nodes and leaves of a tree. A tree may be too deep for functions that call themselves."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        yield one
        if "leaf_value" not in one:
            waiting += (one["left_child"], one["right_child"])


def _checked(node: _Node) -> _Node:
    decision, missing = node["decision_type"], node["missing_type"]
    if decision != "<=":
        raise InvalidArgument(
            f"a model has a decision by {quoted(decision)}; all must compare numbers by '<='"
        )
    if missing != "None":
        raise InvalidArgument(
            f"a model treats missing values as {quoted(missing)}; train it with numbers alone, "
            "and without zero_as_missing"
        )
    return node


def _leaf_index(leaf: _Node) -> int:
    # The only leaf of a tree has no number.
    if "leaf_coeff" in leaf or "leaf_const" in leaf:
        raise InvalidArgument(
            "a model has leaves with linear functions; train it without linear_tree"
        )
    return int(leaf.get("leaf_index", 0))


def _place(child: _Node) -> int:
    return -1 - _leaf_index(child) if "leaf_value" in child else int(child["split_index"])
