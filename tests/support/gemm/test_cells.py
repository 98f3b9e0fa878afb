# SPDX-License-Identifier: MIT
"""The matrix has every cell once, and every cell has a legal kernel or a rule that refuses."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from ckarch import load_specs
from ckgen.core.rules import first_violation
from ckgen.core.target import Target
from ckgen.gemm.choices import ALL_PADS
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import GemmSpec
from ckgen.product.spec import Dtype, Epilogue, Layout, Pipeline, Scheduler
from cksupport.cells import Cell
from cksupport.gemm.candidates import candidates
from cksupport.gemm.family import FAMILY
from cksupport.gemm.tables import all_tables
from cksupport.questions import fields

ARCH = load_specs()
TABLES = {table.name: table for table in all_tables(ARCH)}
RULES = {rule.id: rule for rule in GEMM_RULES}
LOOPS = len(Pipeline)  # without preshufflev2, and mem twice
"""Every pipeline, and the other scheduler of mem."""


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    return FAMILY.cells(list(TABLES.values()), ARCH)


def legal(cells: tuple[Cell, ...], table: str) -> list[Cell]:
    return [cell for cell in cells if cell.place.table == table and cell.spec is not None]


def spec_of(cell: Cell) -> GemmSpec:
    assert isinstance(cell.spec, GemmSpec)
    return cell.spec


def test_no_cell_is_there_twice(cells: tuple[Cell, ...]) -> None:
    times = Counter(cell.place for cell in cells)
    assert [place for place in times if times[place] > 1] == []


def test_every_cell_is_either_legal_or_refused(cells: tuple[Cell, ...]) -> None:
    assert [cell for cell in cells if (cell.spec is None) == (cell.refusal is None)] == []


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_a_full_grid_for_every_gpu(name: str) -> None:
    table = TABLES[name]
    grid = set(product(ARCH.gpus, table.rows, table.columns))
    assert {(q.place.gpu, q.place.row, q.place.column) for q in table.questions} == grid


def test_products_run_along_everything_that_the_generator_can_say() -> None:
    pairs = len(ARCH.dtype_combinations)
    assert len(TABLES["products"].rows) == pairs * len(Layout)
    assert len(TABLES["products"].columns) == LOOPS


def test_outputs_run_along_every_dtype_and_epilogue() -> None:
    assert len(TABLES["outputs"].rows) == len(ARCH.dtype_combinations) * len(Epilogue)
    assert TABLES["outputs"].columns == tuple(Dtype)


def test_paddings_run_along_every_combination_and_pipeline() -> None:
    assert len(TABLES["pads"].columns) == len(ALL_PADS) == 8
    assert len(TABLES["pads"].rows) == LOOPS + 2  # preshufflev2, and the default epilogue


def test_every_pipeline_of_a_gpu_is_padded_in_some_way(cells: tuple[Cell, ...]) -> None:
    for gpu in ARCH.architectures.values():
        padded = {spec_of(c).pipeline for c in legal(cells, "pads") if c.place.gpu == gpu.name}
        assert padded == {pipeline for pipeline in Pipeline if pipeline in gpu.pipelines}, gpu.name


def test_d_tensors_run_along_every_dtype() -> None:
    assert TABLES["d_dtypes"].columns == tuple(Dtype)


def test_the_kernel_of_a_cell_satisfies_every_rule_on_its_gpu(cells: tuple[Cell, ...]) -> None:
    broken = [
        str(cell)
        for cell in cells
        if cell.spec is not None
        and first_violation(GEMM_RULES, cell.spec, Target.of(ARCH, cell.place.gpu)) is not None
    ]
    assert broken == []


def test_the_kernel_of_a_product_is_what_the_cell_says(cells: tuple[Cell, ...]) -> None:
    for cell in legal(cells, "products"):
        spec = spec_of(cell)
        a, b = spec.dtype_a, spec.dtype_b
        assert cell.place.row == f"{a if a is b else f'{a} x {b}'} {spec.layout}"
        assert cell.place.column in (str(spec.pipeline), f"{spec.pipeline} {spec.scheduler}")


def test_a_refused_cell_names_a_rule_that_exists_and_what_it_says(cells: tuple[Cell, ...]) -> None:
    refusals = [cell.refusal for cell in cells if cell.refusal is not None]
    assert refusals and {refusal.rule for refusal in refusals} <= set(RULES)
    assert all(refusal.sentence for refusal in refusals)


def test_no_geometry_would_save_a_refused_cell() -> None:
    fixed = {"dtype": Dtype.FP16, "layout": Layout.RRR, "pipeline": Pipeline.COMPV5}
    asked = fields(**fixed, pad=((True,) * 3,))
    target = Target.of(ARCH, "gfx942")
    tried = list(candidates(asked, target))
    assert len(tried) > 30
    assert all(RULES["gemm.compv5_layout"].complaint(spec, target) for spec in tried)


def test_the_same_cells_come_out_every_time(cells: tuple[Cell, ...]) -> None:
    assert FAMILY.cells(all_tables(load_specs()), load_specs()) == cells


def test_known_cells_are_what_they_are_known_to_be(cells: tuple[Cell, ...]) -> None:
    found = {(c.place.table, c.place.gpu, c.place.row, c.place.column): c for c in cells}
    good = spec_of(found["products", "gfx942", "fp16 rcr", "mem interwave"])
    assert good.scheduler is Scheduler.INTERWAVE
    bad = found["products", "gfx1100", "fp8 ccr", "compv3"].refusal
    assert bad is not None and bad.rule == "gemm.dtype_combination"
    assert bad.sentence == "gfx1100 has no matrix instruction for fp8 x fp8"


def test_a_wave_of_a_kernel_repeats_its_warp_tile_along_every_axis(cells: tuple[Cell, ...]) -> None:
    for cell in legal(cells, "products"):
        assert min(spec_of(cell).tiling.repeat) > 1, str(cell)
