# SPDX-License-Identifier: MIT
"""The rules of a product; each lives once, and every family of this layer takes them from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ckgen.core.rules import Rule
from ckgen.product.rules.fused import FUSED_RULES
from ckgen.product.rules.hardware import HARDWARE_RULES
from ckgen.product.rules.memory import MEMORY_RULES
from ckgen.product.rules.shape import SHAPE_RULES
from ckgen.product.rules.stores import STORE_RULES
from ckgen.product.rules.traits import PIPELINE_RULES, TRAIT_RULES

PRODUCT_RULES: tuple[Rule, ...] = (
    *PIPELINE_RULES,
    *HARDWARE_RULES,
    *TRAIT_RULES,
    *SHAPE_RULES,
    *MEMORY_RULES,
    *STORE_RULES,
    *FUSED_RULES,
)


def rules_of(
    family: str,
    repaired_by: Mapping[str, tuple[str, ...]],
    before: Mapping[str, Sequence[Rule]] = MappingProxyType({}),
) -> tuple[Rule, ...]:
    """The rules of a product as those of ``family``, which may ask some of its own ``before`` one
    of them.

    ``repaired_by`` has the family's fields for what a product has and its spec has no field for.
    """
    made: list[Rule] = []
    for rule in PRODUCT_RULES:
        fields = [mine for field in rule.fields for mine in repaired_by.get(field, (field,))]
        made += before.get(rule.id, ())
        made.append(replace(rule, id=f"{family}.{rule.id}", fields=tuple(dict.fromkeys(fields))))
    return tuple(made)
