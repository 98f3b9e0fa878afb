# SPDX-License-Identifier: MIT
"""The kernel sets that ship with the generator."""

from __future__ import annotations

from functools import lru_cache

import pytest
from ckgen.core.declaration import load_declaration
from ckgen.core.expand import ExpandedKernel, expand
from ckgen.families import FAMILIES
from ckgen.gemm.spec import Dtype, Epilogue, GemmSpec, Layout, Pipeline, Scheduler
from codegen_support import ARCH, GEMM, target


@lru_cache
def kernels(name: str) -> tuple[ExpandedKernel, ...]:
    declaration = load_declaration(GEMM.preselected[name], FAMILIES, ARCH.gpus)
    expansion = expand(declaration, ARCH)
    assert expansion.errors == ()
    return expansion.kernels


def specs_for(name: str, gpu: str) -> list[GemmSpec]:
    return [k.spec for k in kernels(name) if gpu in k.gpus and isinstance(k.spec, GemmSpec)]


def test_the_sets_are_there() -> None:
    assert set(GEMM.preselected) == {"fp16_rcr_all", "fp16_rcr_essential"}


@pytest.mark.parametrize("name", sorted(GEMM.preselected))
def test_a_set_holds_what_its_name_says_and_forbids_spills(name: str) -> None:
    declaration = load_declaration(GEMM.preselected[name], FAMILIES, ARCH.gpus)
    assert declaration.forbid_spills
    for kernel in kernels(name):
        assert isinstance(kernel.spec, GemmSpec)
        assert kernel.spec.dtype_a is Dtype.FP16 and kernel.spec.layout is Layout.RCR


@pytest.mark.parametrize("name", sorted(GEMM.preselected))
def test_every_kernel_is_legal_where_the_set_says(name: str) -> None:
    for kernel in kernels(name):
        for gpu in kernel.gpus:
            assert GEMM.is_legal(kernel.spec, target(gpu))


@pytest.mark.parametrize("gpu", ARCH.gpus)
def test_the_essential_set_serves_every_gpu_padded_and_unpadded(gpu: str) -> None:
    pads = {spec.pad_m for spec in specs_for("fp16_rcr_essential", gpu)}
    assert pads == {False, True}


def test_the_essential_set_is_small() -> None:
    assert len(specs_for("fp16_rcr_essential", "gfx942")) == 6


def test_the_full_set_covers_skinny_square_and_large_problems() -> None:
    tiles = [spec.tile for spec in specs_for("fp16_rcr_all", "gfx942")]
    assert len(tiles) >= 24
    assert any(tile.m <= 16 for tile in tiles) and any(tile.n <= 16 for tile in tiles)
    assert any(tile.m == tile.n == 128 for tile in tiles)
    assert any(tile.m == 256 for tile in tiles) and any(tile.n == 256 for tile in tiles)


def test_the_full_set_has_each_pipeline_padded_and_unpadded() -> None:
    specs = specs_for("fp16_rcr_all", "gfx942")
    offered = {(spec.pipeline, spec.pad_m and spec.pad_n and spec.pad_k) for spec in specs}
    wanted = (Pipeline.MEM, Pipeline.COMPV3, Pipeline.COMPV4)
    assert offered == {(pipeline, pad) for pipeline in wanted for pad in (False, True)}
    assert {spec.scheduler for spec in specs} == set(Scheduler)
    assert {spec.epilogue for spec in specs} == set(Epilogue)


def test_kernels_in_both_sets_are_the_same_kernels() -> None:
    both = {k.name for k in kernels("fp16_rcr_all")} & {
        k.name for k in kernels("fp16_rcr_essential")
    }
    assert len(both) == 6
