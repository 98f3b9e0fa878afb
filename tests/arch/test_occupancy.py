# SPDX-License-Identifier: MIT
"""Waves per SIMD; the figures for registers are those that LLVM 21 prints for such kernels."""

from __future__ import annotations

import itertools
import os
import subprocess

import pytest
from arch_support import SPECS
from ckarch import ArchSpecs, KernelResources, load_specs, waves_per_simd


@pytest.fixture(name="specs", scope="module")
def _specs() -> ArchSpecs:
    return load_specs(SPECS)


def _kernel(
    vgprs: int = 1, agprs: int = 0, sgprs: int = 32, lds_bytes: int = 0, workgroup_size: int = 64
) -> KernelResources:
    return KernelResources(vgprs, agprs, sgprs, lds_bytes, workgroup_size)


@pytest.mark.parametrize(
    ("gpu", "waves_by_vgprs"),
    [
        ("gfx908", {24: 10, 25: 9, 32: 8, 65: 3, 96: 2, 128: 2, 129: 1, 251: 1}),
        ("gfx90a", {64: 8, 65: 7, 96: 5, 97: 4, 128: 4, 129: 3, 168: 3, 169: 2, 251: 2}),
        ("gfx942", {64: 8, 65: 7, 96: 5, 97: 4, 128: 4, 129: 3, 168: 3, 169: 2, 251: 2}),
        ("gfx950", {64: 8, 65: 7, 96: 5, 97: 4, 128: 4, 129: 3, 168: 3, 169: 2, 251: 2}),
        ("gfx1100", {96: 16, 97: 12, 128: 10, 168: 9, 169: 8, 193: 7, 221: 6, 251: 5}),
        ("gfx1200", {96: 16, 97: 12, 128: 10, 168: 9, 169: 8, 193: 7, 221: 6, 251: 5}),
        ("gfx1201", {96: 16, 97: 12, 128: 10, 168: 9, 169: 8, 193: 7, 221: 6, 251: 5}),
    ],
)
def test_vector_registers_limit_the_waves(
    specs: ArchSpecs, gpu: str, waves_by_vgprs: dict[int, int]
) -> None:
    found = {v: waves_per_simd(specs.gpu(gpu), _kernel(vgprs=v)) for v in waves_by_vgprs}
    assert found == waves_by_vgprs


def test_separate_accumulation_registers_have_a_budget_of_their_own(specs: ArchSpecs) -> None:
    assert waves_per_simd(specs.gpu("gfx908"), _kernel(vgprs=64, agprs=64)) == 4
    assert waves_per_simd(specs.gpu("gfx908"), _kernel(vgprs=64, agprs=128)) == 2


def test_unified_accumulation_registers_are_part_of_the_vector_registers(specs: ArchSpecs) -> None:
    assert waves_per_simd(specs.gpu("gfx942"), _kernel(vgprs=128, agprs=64)) == 4


def test_scalar_registers_limit_the_waves_where_they_are_allocated(specs: ArchSpecs) -> None:
    assert waves_per_simd(specs.gpu("gfx942"), _kernel(sgprs=96)) == 8
    assert waves_per_simd(specs.gpu("gfx942"), _kernel(sgprs=102)) == 7
    assert waves_per_simd(specs.gpu("gfx1100"), _kernel(sgprs=106)) == 16


@pytest.mark.parametrize(
    ("gpu", "lds_bytes", "waves"),
    [
        ("gfx942", 32768, 2),
        ("gfx942", 32769, 1),
        ("gfx950", 32768, 4),
        ("gfx1100", 32768, 8),
        ("gfx1100", 65536, 4),
    ],
)
def test_lds_limits_the_workgroups(specs: ArchSpecs, gpu: str, lds_bytes: int, waves: int) -> None:
    kernel = _kernel(lds_bytes=lds_bytes, workgroup_size=256)
    assert waves_per_simd(specs.gpu(gpu), kernel) == waves


def test_only_whole_workgroups_are_placed(specs: ArchSpecs) -> None:
    kernel = _kernel(vgprs=168, workgroup_size=512)
    assert waves_per_simd(specs.gpu("gfx942"), kernel) == 2


@pytest.mark.parametrize(
    "kernel",
    [_kernel(vgprs=513), _kernel(lds_bytes=65537), _kernel(vgprs=512, workgroup_size=1024)],
)
def test_a_workgroup_that_does_not_fit_has_no_waves(
    specs: ArchSpecs, kernel: KernelResources
) -> None:
    assert waves_per_simd(specs.gpu("gfx942"), kernel) == 0


def test_cpp_programs_get_the_same_waves(specs: ArchSpecs) -> None:
    kernels = [
        (gpu, KernelResources(vgprs, agprs, sgprs, lds, items))
        for gpu, vgprs, agprs, sgprs, lds, items in itertools.product(
            specs.architectures,
            (1, 65, 128, 200, 300),
            (0, 64, 200),
            (16, 102),
            (0, 1, 33000, 70000),
            (1, 64, 256, 1000),
        )
    ]
    lines = "\n".join(
        f"{gpu} {k.vgprs} {k.agprs} {k.sgprs} {k.lds_bytes} {k.workgroup_size}"
        for gpu, k in kernels
    )
    program = os.environ["CK_OCCUPANCY_TABLE"]
    printed = subprocess.run(
        [program], input=lines, check=True, capture_output=True, text=True
    ).stdout.split()
    assert [int(waves) for waves in printed] == [
        waves_per_simd(specs.gpu(gpu), kernel) for gpu, kernel in kernels
    ]
