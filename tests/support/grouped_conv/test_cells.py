# SPDX-License-Identifier: MIT
"""Every pair of choices is met by a legal kernel that has both, or refused by a rule."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from ckarch import load_specs
from ckgen.core.target import Target
from ckgen.grouped_conv.spec import GroupedConvSpec, Variant
from ckgen.product.spec import FusedOp, SplitK
from cksupport.cells import Cell
from cksupport.cli import main
from cksupport.grouped_conv.axes import axes_of, spec_of
from cksupport.grouped_conv.family import FAMILY
from cksupport.grouped_conv.tables import covered, kernel_of
from cksupport.kernels import Kernel
from cksupport.pairs import Cover, pairs_of

ARCH = load_specs()
AXES = axes_of(ARCH)
MOST_KERNELS = 200
"""A kernel takes a minute, and the sweep of all may take four hours of two cores."""


@pytest.fixture(scope="module")
def found() -> Cover:
    return covered(ARCH)


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return FAMILY.cells(FAMILY.tables(ARCH), ARCH)


@pytest.fixture(scope="module")
def kernels(found: Cover) -> list[Kernel]:
    return [kernel_of(one, ARCH) for one in found.combinations]


def test_every_pair_is_met_or_refused(found: Cover) -> None:
    assert {*found.met, *found.refused} == {*pairs_of(AXES)}
    assert all(pair in combinations(one.items(), 2) for pair, one in found.met.items())


def test_every_kernel_is_legal_on_its_gpu_and_has_a_name(kernels: list[Kernel]) -> None:
    assert [
        str(one)
        for one in kernels
        if not FAMILY.kernels.is_legal(one.spec, Target.of(ARCH, one.gpu))
    ] == []
    assert all(FAMILY.kernels.parse_name(one.spec.name) == one.spec for one in kernels)


def test_the_kernels_are_few(kernels: list[Kernel]) -> None:
    assert len({one.key for one in kernels}) == len(kernels) <= MOST_KERNELS


def test_a_cell_has_the_kernel_of_its_pair(cells: tuple[Cell, ...], found: Cover) -> None:
    assert len(cells) == len(pairs_of(AXES))
    assert [cell for cell in cells if (cell.kernel is None) == (cell.refusal is None)] == []
    times = Counter(cell.place for cell in cells)
    assert max(times.values()) == 1
    for cell, pair in zip(cells, pairs_of(AXES), strict=True):
        if pair in found.met:
            combination = found.met[pair]
            assert cell.kernel == Kernel(combination["GPU"], spec_of(combination, ARCH))


def test_a_refused_pair_names_a_rule(cells: tuple[Cell, ...]) -> None:
    rules = {rule.id for rule in FAMILY.kernels.rules} | {"no such operation"}
    assert {cell.refusal.rule for cell in cells if cell.refusal} <= rules


def test_all_operations_directions_and_ways_to_split_are_among_the_kernels(
    kernels: list[Kernel],
) -> None:
    for name, kind in (("fused_op", FusedOp), ("variant", Variant), ("split_k", SplitK)):
        assert {getattr(one.spec, name) for one in kernels} == {*kind}
    assert {one.gpu for one in kernels} == {*ARCH.gpus}


def test_known_pairs_are_what_they_are_known_to_be(cells: tuple[Cell, ...]) -> None:
    known = {(cell.place.table, cell.place.row, cell.place.column): cell for cell in cells}
    met = known["GPU", "direction: backward_weight", "gfx1201"].kernel
    assert met is not None and met.gpu == "gfx1201"
    assert isinstance(met.spec, GroupedConvSpec)
    assert met.spec.variant is Variant.BACKWARD_WEIGHT
    for row, rule in (
        ("pipeline: comp_async", "grouped_conv.pipeline_supported"),
        ("dtypes: pk_fp4", "grouped_conv.packed_dtype"),
    ):
        refusal = known["GPU", row, "gfx908"].refusal
        assert refusal is not None and refusal.rule == rule


def test_the_command_lists_the_kernels_of_a_gpu_and_all_refusals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["grouped_conv", "cells", "--table", "layout", "--gpu", "gfx950"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "layout: pipeline: comp_async, channels_first: gfx950 grouped_conv_fwd_" in "\n".join(
        printed
    )
    assert all(" gfx950 grouped_conv_" in line or " refused by " in line for line in printed)


def test_no_kernels_are_drawn_at_random(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grouped_conv", "draw"]) == 2
    assert "kernels of grouped convolution are not drawn at random" in capsys.readouterr().err
