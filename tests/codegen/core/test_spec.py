# SPDX-License-Identifier: MIT
"""Specs as immutable values and as JSON."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest
from ckgen.core.errors import SpecError
from ckgen.core.spec import canonical_json
from codegen_support import Color, ToySpec

RED = ToySpec(Color.RED, 3)


def test_a_spec_survives_json() -> None:
    text = json.dumps(RED.to_json())
    assert ToySpec.from_json(json.loads(text)) == RED


def test_json_names_the_family_and_every_field() -> None:
    assert RED.to_json() == {"family": "toy", "color": "red", "size": 3}


def test_a_spec_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RED.size = 4  # type: ignore[misc]  # refused at run time too


def test_a_spec_survives_pickling_with_its_hash() -> None:
    copy = pickle.loads(pickle.dumps(RED))
    assert copy == RED and hash(copy) == hash(RED)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"family": "gemm"}, "the spec is of family \"gemm\", not 'toy'"),
        ({}, "the spec is of family null, not 'toy'"),
        (
            {"family": "toy", "color": "red", "size": 3, "shape": 1},
            "the spec has unknown field 'shape'; its fields are color, size",
        ),
        (
            {"family": "toy", "color": "red"},
            "the spec has no field 'size'; its fields are color, size",
        ),
        (
            {"family": "toy", "color": "red", "size": "3"},
            "the spec's field 'size' is wrong: expected a whole number, not \"3\"",
        ),
        (
            {"family": "toy", "color": "red", "size": 3, "name": "toy_red_4"},
            'the spec calls itself "toy_red_4", but its fields give toy_red_3',
        ),
    ],
)
def test_json_that_is_no_spec_is_refused_with_a_sentence(
    data: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SpecError) as refusal:
        ToySpec.from_json(data)
    assert str(refusal.value) == sentence


def test_a_matching_name_is_accepted() -> None:
    assert ToySpec.from_json({**RED.to_json(), "name": "toy_red_3"}) == RED


def test_canonical_json_does_not_depend_on_the_order_of_keys() -> None:
    assert (
        canonical_json({"b": 1, "a": [2]})
        == canonical_json({"a": [2], "b": 1})
        == ('{"a":[2],"b":1}')
    )
