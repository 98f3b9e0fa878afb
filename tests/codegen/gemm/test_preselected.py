# SPDX-License-Identifier: MIT
"""The kernel sets of kernels/ whose names promise something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import pytest
from ckgen.cli.selection import preselected_sets
from ckgen.core.declaration import Declaration
from ckgen.core.expand import Expansion, expand
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.spec import Dtype, Epilogue, Layout, Pipeline, Scheduler, SplitK
from codegen_support import ARCH, GEMM

SHIPPED: Mapping[str, Declaration] = preselected_sets(GEMM, ARCH)
KINDS = ("all", "essential", "compute", "memory", "latency")
OF_LAYOUTS = [
    f"gemm_{dtype}_{layout}_all"
    for dtype in ("fp16", "bf16", "fp32", "fp8", "bf8", "int8")
    for layout in ("rcr", "rrr", "crr", "ccr")
]
OF_VARIANTS = [
    f"gemm_{variant}_{dtype}_{kind}"
    for variant, dtypes in (
        ("multi_d", ("fp16", "bf16")),
        ("preshuffle", ("fp16", "bf16", "fp8", "bf8")),
    )
    for dtype in dtypes
    for kind in KINDS
]

SPLIT_OR_MANY = {
    f"gemm_{what}_{dtype}_all": {"variant": Variant(variant), "splits": splits}
    for what, variant, splits in (
        ("batched", "batched", False),
        ("grouped", "grouped", False),
        ("split_k", "standard", True),
        ("stream_k", "stream_k", True),
    )
    for dtype in ("fp16", "bf16")
}

OF_KINDS = [f"gemm_{d}_rcr_{k}" for d in ("fp16", "bf16", "fp8", "int8") for k in KINDS]
PACKED = [f"gemm_pk_fp4_rcr_{kind}" for kind in ("all", "essential")]
SETS = sorted({*OF_LAYOUTS, *OF_VARIANTS, *OF_KINDS, *PACKED, "gemm_fp32_rcr_essential"})
"""Those of one dtype, and but for variants of one layout. Others may be declared beside them."""


@lru_cache
def expansion(name: str) -> Expansion:
    return expand(SHIPPED[name], ARCH)


def specs_for(name: str, gpu: str) -> list[GemmSpec]:
    return [
        k.spec for k in expansion(name).kernels if gpu in k.gpus and isinstance(k.spec, GemmSpec)
    ]


def test_there_is_a_full_set_for_every_dtype_and_layout_and_each_kind_for_common_ones() -> None:
    assert {*SHIPPED} >= {*SETS, *SPLIT_OR_MANY}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_set_expands_without_errors_and_forbids_spills(name: str) -> None:
    assert expansion(name).errors == ()
    assert expansion(name).kernels
    assert SHIPPED[name].forbid_spills


@pytest.mark.parametrize("name", SETS)
def test_a_set_holds_what_its_name_says(name: str) -> None:
    said = re.fullmatch(r"gemm_(multi_d_|preshuffle_)?([a-z_]+\d+)_(?:([rc]{3})_)?[a-z]+", name)
    assert said is not None
    variant = Variant((said[1] or "standard_").rstrip("_"))
    layout = Layout(said[3] or "rcr")
    for kernel in expansion(name).kernels:
        assert isinstance(kernel.spec, GemmSpec)
        assert kernel.spec.variant is variant
        assert kernel.spec.dtype_a is Dtype(said[2]) and kernel.spec.layout is layout


@pytest.mark.parametrize("gpu", ARCH.gpus)
@pytest.mark.parametrize("name", SPLIT_OR_MANY)
def test_every_gpu_can_launch_many_products_and_split_one(name: str, gpu: str) -> None:
    specs = specs_for(name, gpu)
    assert specs
    for spec in specs:
        splits = spec.split_k is not SplitK.NONE
        assert {"variant": spec.variant, "splits": splits} == SPLIT_OR_MANY[name]
        assert spec.dtype_a == name.split("_")[-2]


@pytest.mark.parametrize("name", [name for name in SETS if not name.endswith("_all")])
def test_every_kernel_of_a_smaller_set_is_in_the_full_one(name: str) -> None:
    full = re.sub(r"_[a-z]+$", "_all", name)
    names = {kernel.name for kernel in expansion(full).kernels}
    assert {kernel.name for kernel in expansion(name).kernels} <= names


@pytest.mark.parametrize("gpu", ARCH.gpus)
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_the_essential_set_serves_every_gpu_padded_and_unpadded(gpu: str, dtype: str) -> None:
    pads = {spec.pad_m for spec in specs_for(f"gemm_{dtype}_rcr_essential", gpu)}
    assert pads == {False, True}


def test_the_essential_set_is_small() -> None:
    assert len(specs_for("gemm_fp16_rcr_essential", "gfx942")) == 6


@pytest.mark.parametrize("name", OF_LAYOUTS)
def test_every_gpu_that_multiplies_a_dtype_has_kernels_in_every_layout(name: str) -> None:
    dtype, layout = name.split("_")[1:3]
    (key,) = (c.key for c in ARCH.dtype_combinations if c.a == c.b == dtype)
    for gpu in ARCH.architectures.values():
        usable = set(gpu.warp_tiles.get(key, ())) - set(gpu.broken_warp_tiles.get(key, ()))
        if layout != "rcr":
            usable -= set(gpu.contiguous_k_warp_tiles.get(key, ()))
        assert bool(specs_for(name, gpu.name)) == bool(usable), gpu.name


def test_the_full_set_covers_skinny_square_and_large_problems() -> None:
    tiles = [spec.tile for spec in specs_for("gemm_fp16_rcr_all", "gfx942")]
    assert len(tiles) >= 24
    assert any(tile.m <= 16 for tile in tiles) and any(tile.n <= 16 for tile in tiles)
    assert any(tile.m == tile.n == 128 for tile in tiles)
    assert any(tile.m == 256 for tile in tiles) and any(tile.n == 256 for tile in tiles)


def test_the_full_set_has_each_pipeline_padded_and_unpadded() -> None:
    specs = specs_for("gemm_fp16_rcr_all", "gfx942")
    offered = {(spec.pipeline, spec.pad_m and spec.pad_n and spec.pad_k) for spec in specs}
    wanted = (Pipeline.MEM, Pipeline.COMPV3, Pipeline.COMPV4)
    assert offered == {(pipeline, pad) for pipeline in wanted for pad in (False, True)}
    assert {spec.scheduler for spec in specs} == set(Scheduler) - {Scheduler.DEFAULT}
    assert {spec.epilogue for spec in specs} == set(Epilogue)


def test_latency_sets_are_for_few_rows_and_compute_sets_for_many() -> None:
    assert all(spec.tile.m <= 32 for spec in specs_for("gemm_fp16_rcr_latency", "gfx942"))
    assert all(spec.tile.m >= 128 for spec in specs_for("gemm_fp16_rcr_compute", "gfx942"))
