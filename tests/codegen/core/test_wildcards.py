# SPDX-License-Identifier: MIT
"""Choices are counted without being made, and branches are cut without losing a kernel."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ckgen.core import count, wildcards
from ckgen.core.declaration import Entry, parse_declaration
from ckgen.core.expand import expand
from ckgen.core.family import Family
from ckgen.core.partial import NotChosen, partial_spec
from ckgen.core.spec import field_types
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from codegen_support import ARCH, ENTRY, declaration

_GPUS = ("gfx90a", "gfx950", "gfx1201")
_CONV = {
    "dtype": "fp16",
    "ndim_spatial": 2,
    "tile": [64, 64, 64],
    "waves": [2, 2, 1],
    "warp_tile": [32, 32, 16],
    "pipeline": "compv3",
}
_WIDE = {
    "gemm": [
        {**ENTRY, "waves": "*", "warp_tile": "*", "pipeline": "*", "scheduler": "*"},
        {
            **ENTRY,
            "variant": "*",
            "pipeline": ["compv3", "preshufflev2"],
            "scheduler": "*",
            "split_k": "*",
        },
        {**ENTRY, "dtype": "*", "dtype_b": "*", "warp_tile": "*", "dtype_c": "*"},
    ],
    "grouped_conv": [
        {**_CONV, "variant": "*", "warp_tile": "*", "pipeline": "*", "split_k": "*"},
        {**_CONV, "layout": "*", "vector": "*", "merged_groups": "*", "specialization": "*"},
        {**_CONV, "lds_buffers": "*", "wave_groups": "*", "blocks_per_cu": "*"},
    ],
}
_CASES = [(name, entry) for name, entries in _WIDE.items() for entry in entries]


def _parsed(family: str, entry: Mapping[str, Any]) -> Entry:
    data = declaration(entry) if family == "gemm" else {"family": family, "kernels": [entry]}
    parsed = parse_declaration(data, FAMILIES, ARCH.gpus, "x.json")
    assert parsed.errors == ()
    return parsed.entries[0]


def _everything(family: Family) -> Entry:
    return _parsed(family.name, {field.name: "*" for field in family.entry_fields})


def _random_choice(family: Family, where: Target, dice: random.Random) -> dict[str, Any]:
    """A choice for every field among those of ``"*"``; some dtypes have none,
    and are drawn again.
    """
    counter = count.Counter(family.entry_fields, _everything(family), where)
    while True:
        chosen: dict[str, Any] = {}
        for index, field in enumerate(family.entry_fields):
            values = counter.values(index, chosen)
            if not values:
                break
            chosen[field.name] = dice.choice(values)
        else:
            return chosen


def _drawn(family: Family, number: int) -> Iterator[tuple[Target, dict[str, Any], random.Random]]:
    dice = random.Random(24)
    targets = [Target.of(ARCH, gpu) for gpu in _GPUS]
    for index in range(number):
        where = targets[index % len(targets)]
        yield where, _random_choice(family, where, dice), dice


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_fields_of_a_spec_are_made_of_nothing_else_than_the_family_says(family: Family) -> None:
    for where, choice, dice in _drawn(family, 150):
        other = _random_choice(family, where, dice)
        spec = family.build(choice, ARCH)
        for entry_field in family.entry_fields:
            changed = family.build({**choice, entry_field.name: other[entry_field.name]}, ARCH)
            for name in field_types(family.spec_type):
                if entry_field.name not in family.made_of.get(name, (name,)):
                    assert getattr(changed, name) == getattr(spec, name), (entry_field.name, name)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_what_a_rule_says_about_a_part_it_says_about_the_whole(family: Family) -> None:
    """Each field is hidden in turn behind one of another spec; who does not read it cannot tell."""
    names = list(field_types(family.spec_type))
    answered = 0
    for where, choice, dice in _drawn(family, 150):
        spec, other = (family.build(c, ARCH) for c in (choice, _random_choice(family, where, dice)))
        known = set(dice.sample(names, dice.randrange(len(names))))
        mixed = type(spec)(
            **{name: getattr(spec if name in known else other, name) for name in names}
        )
        part = partial_spec(mixed, known)
        for rule in family.rules:
            try:
                complaint = rule.complaint(part, where)
            except NotChosen:
                continue
            answered += 1
            assert (complaint is None) == (rule.complaint(spec, where) is None), (rule.id, known)
    assert answered > 500


@pytest.mark.parametrize(("family", "entry"), _CASES)
def test_the_count_is_the_number_of_choices(family: str, entry: dict[str, Any]) -> None:
    fields, parsed = FAMILIES[family].entry_fields, _parsed(family, entry)
    for gpu in _GPUS:
        counter = count.Counter(fields, parsed, Target.of(ARCH, gpu))
        walk = wildcards.Walk(FAMILIES[family], parsed, [Target.of(ARCH, gpu)], ARCH, cuts=False)
        assert counter.below(0, {}) == len(list(walk.on(Target.of(ARCH, gpu))))


@pytest.mark.parametrize(("family", "entry"), _CASES)
def test_cutting_changes_neither_kernels_nor_their_order(
    family: str, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = declaration(entry) if family == "gemm" else {"family": family, "kernels": [entry]}
    parsed = parse_declaration(data, FAMILIES, ARCH.gpus, "x.json")
    whole = expand(parsed, ARCH)
    monkeypatch.setattr("ckgen.core.expand.FEW_CHOICES", 0)
    cut = expand(parsed, ARCH)
    assert cut.kernels == whole.kernels
    assert cut.errors == whole.errors == ()
    assert cut.dropped
    targets = [Target.of(ARCH, gpu) for gpu in ARCH.gpus]
    walk = wildcards.Walk(parsed.family, parsed.entries[0], targets, ARCH, cuts=True)
    walked = sum(len(list(walk.on(where))) for where in targets)
    assert walked < wildcards.count_choices(parsed.family, parsed.entries[0], targets)
