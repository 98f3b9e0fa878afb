# SPDX-License-Identifier: MIT
"""The sets that a declaration divides its kernels into."""

from __future__ import annotations

from typing import Any

import pytest
from ckgen.core.declaration import Declaration, parse_declaration
from ckgen.core.errors import DeclarationError
from ckgen.core.expand import expand
from ckgen.core.sets import named_sets, restrict
from codegen_support import ARCH, TOYS

SOURCE = "toys.json"


def toys(sets: Any = None, *entries: dict[str, Any]) -> Declaration:
    kernels = entries or (
        {"color": ["red", "green"], "size": 16, "subsets": ["small"]},
        {"color": "red", "size": [32, 64]},
    )
    data = {"family": "toy", "kernels": list(kernels)}
    return parse_declaration(
        data if sets is None else {**data, "sets": sets}, TOYS, ARCH.gpus, SOURCE
    )


def kernels_of(declaration: Declaration) -> dict[str, list[str]]:
    """The kernels on gfx942 by the name of their set."""
    return {
        one.name: [k.name for k in expand(restrict(declaration, one), ARCH).kernels]
        for one in named_sets(declaration, "default")
    }


def test_a_declaration_that_names_no_sets_is_one() -> None:
    assert kernels_of(toys()) == {
        "default": ["toy_red_16", "toy_green_16", "toy_red_32", "toy_red_64"]
    }


def test_a_set_takes_the_kernels_with_its_choices() -> None:
    sets = {"red": {"color": "red"}, "large_red": {"color": "red", "size": 64}}
    assert kernels_of(toys(sets)) == {
        "red": ["toy_red_16", "toy_red_32", "toy_red_64"],
        "large_red": ["toy_red_64"],
    }


def test_a_pattern_is_a_set_for_each_choice() -> None:
    assert kernels_of(toys({"toys_{color}_{size}": {"color": ["red", "green"], "size": 16}})) == {
        "toys_red_16": ["toy_red_16"],
        "toys_green_16": ["toy_green_16"],
    }


def test_a_set_without_choices_takes_everything() -> None:
    assert len(kernels_of(toys({"all": {}}))["all"]) == 4


def test_a_subset_takes_the_entries_that_name_it() -> None:
    sets = {"small": {"subset": "small"}, "small_red": {"color": "red", "subset": "small"}}
    assert kernels_of(toys(sets)) == {
        "small": ["toy_red_16", "toy_green_16"],
        "small_red": ["toy_red_16"],
    }


def test_a_wildcard_becomes_the_choice_of_the_set() -> None:
    declaration = toys({"{color}": {"color": ["red", "green"]}}, {"color": "*", "size": 16})
    assert kernels_of(declaration) == {"red": ["toy_red_16"], "green": ["toy_green_16"]}


@pytest.mark.parametrize(
    ("sets", "complaint"),
    [
        ([], "field 'sets': expected a JSON object of at least one set, not []"),
        ({}, "field 'sets': expected a JSON object of at least one set, not {}"),
        ({"x": 3}, "set 'x': expected a JSON object, not 3"),
        (
            {"x": {"weight": 1}},
            "set 'x': a set cannot be restricted by 'weight'; the fields are color, size, subset",
        ),
        ({"x": {"color": "pink"}}, "set 'x', field 'color': expected one of red, green, blue"),
        (
            {"x": {"subset": "large"}},
            "set 'x', field 'subset': no entry names \"large\"; there is small",
        ),
        (
            {"x_{size}": {"color": "red"}},
            "set 'x_{size}': {size} is not a field that the set restricts",
        ),
        ({"x-1": {}}, "set 'x-1': 'x-1' is not a name of letters, digits and underscores"),
        ({"{size}": {"size": 16}}, "'16' is not a name of letters, digits and underscores"),
        ({"x": {"size": [16, 32]}}, "field 'sets': 'x' appears twice"),
    ],
)
def test_sets_that_make_no_sense_are_named(sets: Any, complaint: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        named_sets(toys(sets), "default")
    assert str(caught.value).startswith(SOURCE) and complaint in str(caught.value)


def test_a_set_that_nothing_belongs_to_is_named() -> None:
    declaration = toys({"blue": {"color": "blue"}})
    (blue,) = named_sets(declaration, "default")
    with pytest.raises(DeclarationError, match=r"^toys.json: no entry belongs to the set 'blue'$"):
        restrict(declaration, blue)


@pytest.mark.parametrize("value", ["small", [""], [3], None])
def test_subsets_are_words(value: Any) -> None:
    entry = {"color": "red", "subsets": value}
    (error,) = toys(None, entry).errors
    assert "entry 1, field 'subsets': expected a list of words, not " in error
