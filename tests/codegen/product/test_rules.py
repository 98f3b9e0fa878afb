# SPDX-License-Identifier: MIT
"""The rules of a product hold for every family of the layer, in the words of its own fields."""

from __future__ import annotations

import pytest
from ckfamilies import FAMILIES as ROWS
from ckgen.core.family import Family
from ckgen.core.rules import Rule
from ckgen.core.spec import field_types
from ckgen.families import FAMILIES
from ckgen.product.rules import PRODUCT_RULES, rules_of
from ckgen.product.spec import ProductSpec

BUILT_ON_IT = [FAMILIES[row.name] for row in ROWS if "product" in row.layers]
OWN = Rule("mine.first", "Mine is asked first.", ("tile",), lambda spec, target: None)


@pytest.mark.parametrize("family", BUILT_ON_IT, ids=lambda family: family.name)
def test_a_family_has_every_rule_of_a_product_in_their_order(family: Family) -> None:
    shared = [f"{family.name}.{rule.id}" for rule in PRODUCT_RULES]
    assert [rule.id for rule in family.rules if rule.id in shared] == shared


@pytest.mark.parametrize("family", BUILT_ON_IT, ids=lambda family: family.name)
def test_its_rules_have_ids_of_their_own_and_are_about_its_fields(family: Family) -> None:
    ids = [rule.id for rule in family.rules]
    assert len(ids) == len(set(ids)) and all(one.startswith(f"{family.name}.") for one in ids)
    assert issubclass(family.spec_type, ProductSpec)
    for rule in family.rules:
        assert set(rule.fields) <= set(field_types(family.spec_type)), rule.id


def test_a_family_may_ask_its_own_rules_before_one_of_a_product() -> None:
    (theirs,) = (rule for rule in PRODUCT_RULES if rule.fields == ("dtype_c",))
    rules = rules_of("mine", {"dtype_c": ("out", "tile", "out")}, before={theirs.id: (OWN,)})
    made = rules[rules.index(OWN) + 1]
    assert made.id == f"mine.{theirs.id}" and made.check is theirs.check
    assert made.fields == ("out", "tile")
    assert len(rules) == len(PRODUCT_RULES) + 1
