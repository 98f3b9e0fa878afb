# SPDX-License-Identifier: MIT
"""Every kind of kernel stands for a cell on each GPU, and every pair of choices is met by a legal
kernel that has both, or refused by a rule.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from ckarch import load_specs
from ckgen.core.target import Target
from ckgen.fmha.spec import SWITCHES, Bias, Dtype, FmhaSpec, Mode, Pipeline, Rotary, Variant
from cksupport.cells import Cell
from cksupport.cli import main
from cksupport.fmha import kinds
from cksupport.fmha.axes import axes_of, gpus_by_strength, head_sizes, spec_of
from cksupport.fmha.family import FAMILY, PAIRS
from cksupport.kernels import Kernel
from cksupport.pairs import Cover, pairs_of
from cksupport.set_summary import shipped_kernels
from cksupport.sweep import batches

ARCH = load_specs()
AXES = axes_of(ARCH)
MOST_KERNELS = 240
"""A kernel takes a minute, and the sweep of all may take two hours of two cores."""


@pytest.fixture(scope="module")
def found() -> Cover:
    return PAIRS.covered(ARCH)


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return FAMILY.cells(FAMILY.tables(ARCH), ARCH)


@pytest.fixture(scope="module")
def kernels(found: Cover) -> list[Kernel]:
    return [PAIRS.kernel_of(one, ARCH) for one in found.combinations]


def spec(kernel: Kernel | None) -> FmhaSpec:
    assert kernel is not None and isinstance(kernel.spec, FmhaSpec)
    return kernel.spec


def test_every_pair_is_met_or_refused(found: Cover) -> None:
    assert {*found.met, *found.refused} == {*pairs_of(AXES)}
    assert all(pair in combinations(one.items(), 2) for pair, one in found.met.items())


def test_every_kernel_is_legal_on_its_gpu_and_has_a_name(cells: tuple[Cell, ...]) -> None:
    known = {cell.kernel for cell in cells if cell.kernel is not None}
    assert [
        str(one) for one in known if not FAMILY.kernels.is_legal(one.spec, Target.of(ARCH, one.gpu))
    ] == []
    assert all(FAMILY.kernels.parse_name(one.spec.name) == one.spec for one in known)


def test_the_kernels_are_few(kernels: list[Kernel]) -> None:
    assert len({one.key for one in kernels}) == len(kernels) <= MOST_KERNELS


def test_a_cell_of_a_pair_has_its_kernel_or_a_rule(cells: tuple[Cell, ...], found: Cover) -> None:
    own = [cell for cell in cells if cell.place.table not in kinds.NAMES]
    assert len({cell.place for cell in own}) == len(own) == len(pairs_of(AXES))
    rules = {rule.id for rule in FAMILY.kernels.rules} | {"no such tile"}
    for cell, pair in zip(own, pairs_of(AXES), strict=True):
        if pair in found.met:
            assert cell.kernel == Kernel(found.met[pair]["GPU"], spec_of(found.met[pair], ARCH))
        else:
            assert cell.kernel is None and cell.refusal is not None and cell.refusal.rule in rules


def test_all_there_is_to_choose_is_among_the_kernels(kernels: list[Kernel]) -> None:
    specs = [spec(one) for one in kernels]
    known = {
        "variant": Variant,
        "dtype": Dtype,
        "pipeline": Pipeline,
        "mode": Mode,
        "bias": Bias,
        "rotary": Rotary,
    }
    for name, kind in known.items():
        assert {getattr(one, name) for one in specs} == {*kind}
    for name in SWITCHES:
        assert {getattr(one, name) for one in specs} == {False, True}
    assert {(one.hdim_q, one.hdim_v) for one in specs} == {*head_sizes()}
    assert {one.gpu for one in kernels} == {*ARCH.gpus}


def test_a_kind_has_a_kernel_that_ships_wherever_one_does(cells: tuple[Cell, ...]) -> None:
    shipped = {*shipped_kernels(FAMILY.kernels, ARCH)}
    ships = {(one.gpu, spec(one).variant, spec(one).pipeline) for one in shipped}
    own = [cell for cell in cells if cell.place.table == "kinds"]
    met = [cell.kernel for cell in own if cell.kernel is not None]
    assert len(own) == 16 * len(ARCH.gpus)
    for one in met:
        assert one in shipped or (one.gpu, spec(one).variant, spec(one).pipeline) not in ships
    assert ships <= {(one.gpu, spec(one).variant, spec(one).pipeline) for one in met}


def test_known_cells_are_what_they_are_known_to_be(cells: tuple[Cell, ...]) -> None:
    known = {(cell.place.table, cell.place.row, cell.place.column): cell for cell in cells}
    for pipeline in ("trload", "v3"):
        assert spec(known["kinds", f"fwd, {pipeline}", "gfx950"].kernel).pipeline == pipeline
        refusal = known["kinds", f"fwd, {pipeline}", "gfx942"].refusal
        assert refusal is not None and refusal.rule == "fmha.transposing_on_gpu"
    assert spec(known["sizes", "192x128", "gfx1201"].kernel).hdim_v == 128
    assert spec(known["dtype", "merged: yes", "fp8"].kernel).merged
    refusal = known["bias", "soft_cap: yes", "alibi"].refusal
    assert refusal is not None and refusal.rule == "fmha.soft_cap_without_bias"


def test_a_sweep_begins_with_one_of_each_kind_on_each_gpu(cells: tuple[Cell, ...]) -> None:
    first, sizes, pairs = FAMILY.stages(cells)
    tried = [
        (gpu, one.variant, one.pipeline)
        for gpu, specs in batches(first)
        for one in specs
        if isinstance(one, FmhaSpec)
    ]
    assert len({*tried}) == len(tried) == len(first)
    assert [*dict.fromkeys(gpu for gpu, *_ in tried)] == [*gpus_by_strength(ARCH)]
    assert {spec(one).hdim_q for one in sizes} >= {32, 192, 256}
    assert {one.key for one in pairs} == {
        cell.key for cell in cells if cell.place.table not in kinds.NAMES and cell.kernel
    }


def test_the_command_lists_the_kernels_of_a_gpu_and_all_refusals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fmha", "cells", "--table", "kinds", "--gpu", "gfx950"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "kinds: fwd, v3, gfx950: gfx950 fmha_fwd_fp16_batch_h128x128_" in "\n".join(printed)
    assert all(" gfx950 fmha_" in line or " refused by " in line for line in printed)
