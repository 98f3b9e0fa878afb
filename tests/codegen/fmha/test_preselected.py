# SPDX-License-Identifier: MIT
"""The sets of attention kernels of kernels/."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import pytest
from ckgen.cli.selection import preselected_sets
from ckgen.core.declaration import Declaration
from ckgen.core.expand import Expansion, expand
from ckgen.fmha.spec import Bias, FmhaSpec, Mode, Pipeline, Rotary, Variant
from codegen_support import ARCH
from fmha_support import FMHA

SETS: Mapping[str, Declaration] = preselected_sets(FMHA, ARCH)
KINDS = {
    "fwd": {Variant.FWD, Variant.SINK},
    "splitkv": {Variant.SPLITKV, Variant.COMBINE},
    "pagedkv": {Variant.PAGEDKV},
    "appendkv": {Variant.APPENDKV},
    "batch_prefill": {Variant.BATCH_PREFILL},
    "bwd": {Variant.DQ_DK_DV, Variant.DOT_DO_O, Variant.CONVERT_DQ, Variant.SUM},
}
OF_KINDS = [
    f"fmha_{kind}_{dtype}_{size}"
    for kind in KINDS
    for dtype in ("fp16", "bf16")
    for size in ("essential", "all")
]
CDNA = ("gfx90a", "gfx942", "gfx950")


@lru_cache
def expansion(name: str) -> Expansion:
    return expand(SETS[name], ARCH)


def specs_for(name: str, gpu: str) -> list[FmhaSpec]:
    return [
        k.spec for k in expansion(name).kernels if gpu in k.gpus and isinstance(k.spec, FmhaSpec)
    ]


def test_there_is_a_small_and_a_full_set_of_each_kind() -> None:
    assert {*SETS} >= {*OF_KINDS, "fmha_fwd_fp32_all", "fmha_fwd_fp8_all", "fmha_examples"}


@pytest.mark.parametrize("name", SETS)
def test_a_set_expands_without_errors_and_forbids_spills(name: str) -> None:
    assert expansion(name).errors == ()
    assert SETS[name].forbid_spills
    assert all(kernel.gpus for kernel in expansion(name).kernels)


@pytest.mark.parametrize("name", OF_KINDS)
def test_a_set_holds_what_its_name_says(name: str) -> None:
    kind, dtype = name.removeprefix("fmha_").rsplit("_", 2)[:2]
    found = [kernel.spec for kernel in expansion(name).kernels]
    assert {spec.variant for spec in found} == KINDS[kind]  # type: ignore[attr-defined]  # all are of this family
    assert {spec.dtype for spec in found} == {dtype}  # type: ignore[attr-defined]  # all are of this family


@pytest.mark.parametrize("name", [name for name in OF_KINDS if name.endswith("_essential")])
def test_the_small_set_is_part_of_the_full_one(name: str) -> None:
    full = {kernel.name for kernel in expansion(name.replace("_essential", "_all")).kernels}
    assert {kernel.name for kernel in expansion(name).kernels} <= full


@pytest.mark.parametrize("name", OF_KINDS)
def test_a_set_is_two_orders_smaller_than_what_ck_builds(name: str) -> None:
    assert len(specs_for(name, "gfx942")) <= (30 if name.endswith("_essential") else 110)


@pytest.mark.parametrize("gpu", ARCH.gpus)
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_forward_serves_every_gpu_with_any_lengths_and_head_sizes(gpu: str, dtype: str) -> None:
    specs = [
        spec
        for spec in specs_for(f"fmha_fwd_{dtype}_essential", gpu)
        if spec.variant is Variant.FWD
    ]
    for hdim in (64, 128):
        general = [
            spec
            for spec in specs
            if spec.hdim_q == hdim and spec.mask and spec.lse and spec.bias is Bias.NONE
        ]
        assert any(
            spec.pads == (1, 1, 1, 1) and spec.pipeline is Pipeline.QR for spec in general
        ), "any head size, element by element"
        assert {spec.mode for spec in general} == set(Mode)


@pytest.mark.parametrize("gpu", CDNA)
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_the_full_forward_set_has_each_feature_in_both_modes(gpu: str, dtype: str) -> None:
    specs = [
        spec
        for spec in specs_for(f"fmha_fwd_{dtype}_all", gpu)
        if spec.variant is Variant.FWD and spec.mask and spec.lse
    ]
    for hdim in (64, 128):
        for mode in Mode:
            here = [spec for spec in specs if spec.hdim_q == hdim and spec.mode is mode]
            assert {(spec.bias, spec.dropout) for spec in here} == {
                (bias, dropout) for bias in Bias for dropout in (False, True)
            }
            assert any(spec.soft_cap for spec in here)
    assert {(spec.hdim_q, spec.hdim_v) for spec in specs} == {
        (32, 32),
        (64, 64),
        (96, 128),
        (128, 128),
        (192, 128),
        (192, 192),
        (256, 256),
    }


@pytest.mark.parametrize("gpu", ARCH.gpus)
def test_parts_can_be_combined(gpu: str) -> None:
    specs = specs_for("fmha_splitkv_fp16_essential", gpu)
    split = {(spec.hdim_v, spec.mode) for spec in specs if spec.variant is Variant.SPLITKV}
    combined = {
        (spec.hdim_v, spec.mode)
        for spec in specs
        if spec.variant is Variant.COMBINE and spec.max_splits == 128 and spec.lse
    }
    assert split == combined == {(hdim, mode) for hdim in (64, 128) for mode in Mode}


@pytest.mark.parametrize("gpu", [*CDNA, "gfx1200", "gfx1201"])
@pytest.mark.parametrize("size", ["essential", "all"])
def test_each_gradient_has_what_goes_before_and_after_it(gpu: str, size: str) -> None:
    specs = specs_for(f"fmha_bwd_fp16_{size}", gpu)
    before = {(s.hdim_v, s.mode) for s in specs if s.variant is Variant.DOT_DO_O}
    after = {
        (s.hdim_q, s.mode, s.deterministic, s.tile[1])
        for s in specs
        if s.variant is Variant.CONVERT_DQ
    }
    gradients = [s for s in specs if s.variant is Variant.DQ_DK_DV]
    assert gradients and any(s.variant is Variant.SUM for s in specs)
    for spec in gradients:
        assert (spec.hdim_v, spec.mode) in before
        if spec.pipeline is not Pipeline.QR_TRLOAD:
            assert (
                spec.hdim_q,
                spec.mode,
                spec.deterministic,
                spec.tile[1] if spec.deterministic else 0,
            ) in after, spec.name


@pytest.mark.parametrize("gpu", [gpu for gpu in ARCH.gpus if gpu != "gfx1100"])
def test_keys_are_appended_in_each_way(gpu: str) -> None:
    specs = specs_for("fmha_appendkv_bf16_essential", gpu)
    assert {(spec.rotary, spec.paged) for spec in specs} == {
        (rotary, paged) for rotary in Rotary for paged in (False, True)
    }


def test_the_examples_have_each_variant_and_are_few() -> None:
    specs = specs_for("fmha_examples", "gfx942")
    assert {spec.variant for spec in specs} == set(Variant)
    assert len(specs) <= 40


def test_the_examples_are_kernels_of_the_other_sets() -> None:
    others = {
        kernel.name
        for name in SETS
        if name != "fmha_examples"
        for kernel in expansion(name).kernels
    }
    assert {kernel.name for kernel in expansion("fmha_examples").kernels} <= others
