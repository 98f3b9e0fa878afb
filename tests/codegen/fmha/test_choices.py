# SPDX-License-Identifier: MIT
"""What declarations of attention kernels mean: defaults, wildcards, refusals and their repair."""

from __future__ import annotations

import time
from typing import Any

import pytest
from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import Expansion, expand
from ckgen.core.nearest import nearest_legal
from ckgen.families import FAMILIES
from ckgen.fmha.spec import Bias, Dtype, FmhaSpec, Mode, Pipeline, Variant
from ckgen.fmha.tilings import TILINGS, kinds
from codegen_support import ARCH, target
from fmha_support import FMHA, fmha
from rule_cases_fmha import CASES, FmhaCase


def expanded(*entries: dict[str, Any], gpus: tuple[str, ...] = ("gfx942",)) -> Expansion:
    data = {
        "family": "fmha",
        "dtype": "fp16",
        "kernels": [{"gpus": list(gpus), **entry} for entry in entries],
    }
    return expand(parse_declaration(data, FAMILIES, ARCH.gpus, "x.json"), ARCH)


def specs(*entries: dict[str, Any], gpus: tuple[str, ...] = ("gfx942",)) -> list[FmhaSpec]:
    expansion = expanded(*entries, gpus=gpus)
    assert expansion.errors == ()
    return [kernel.spec for kernel in expansion.kernels if isinstance(kernel.spec, FmhaSpec)]


@pytest.mark.parametrize("gpu", ARCH.gpus)
def test_every_tile_of_the_table_is_legal_on_the_gpus_that_it_is_for_with_some_pads(
    gpu: str,
) -> None:
    where = target(gpu)
    seen = 0
    for one in TILINGS:
        if one.kind not in kinds(where.gpu) or (one.dtypes[0].is_fp8 and where.gpu.fp8_emulated):
            continue
        entry = {
            "variant": one.variant,
            "dtype": one.dtypes[0],
            "hdim_q": one.hdim_q,
            "hdim_v": one.hdim_v,
            "tile": one.tile,
            "waves": one.waves,
            "warp_tile": one.warp_tile,
            "max_splits": 8 if one.variant is Variant.COMBINE else 0,
            "deterministic": one.variant is Variant.CONVERT_DQ and one.tile[1] > 0,
        }
        pads = (
            (None, (1, 1, 1, 1))
            if one.variant not in (Variant.COMBINE, Variant.CONVERT_DQ)
            else (None,)
        )
        legal = [
            FMHA.is_legal(fmha(**entry, pipeline=p, pads=pad), where)
            for p in one.pipelines
            for pad in pads
        ]
        assert any(legal), one
        seen += 1
    assert seen > 10


def test_an_entry_of_a_head_size_is_a_kernel() -> None:
    (spec,) = specs({"hdim_q": 128})
    assert spec == fmha(hdim_q=128)
    assert spec.pipeline is Pipeline.QR and spec.hdim_v == 128 and spec.occupancy == 2


def test_what_a_variant_always_has_need_not_be_said() -> None:
    assert (
        fmha(variant="splitkv").lse
        and fmha(variant="batch_prefill", hdim_q=128).paged
        and not fmha().lse
    )


def test_a_wildcard_stands_for_what_the_gpu_has() -> None:
    entry = {"hdim_q": 128, "pipeline": "*", "tile": "*", "waves": "*", "warp_tile": "*"}
    assert {spec.pipeline for spec in specs(entry)} == {Pipeline.QR, Pipeline.QR_ASYNC}
    assert {spec.pipeline for spec in specs(entry, gpus=("gfx950",))} == {
        Pipeline.QR,
        Pipeline.QR_ASYNC,
        Pipeline.TRLOAD,
        Pipeline.V3,
    }
    (of_wmma,) = specs(entry, gpus=("gfx1201",))
    assert of_wmma.tile == (64, 64, 32, 128, 32, 128) and of_wmma.warp_tile == (16, 16, 16)
    assert [spec.tile[1] for spec in specs(entry, gpus=("gfx1100",))] == [64, 32]


def test_wildcards_of_features_are_those_of_the_variant() -> None:
    flags = (
        "mask",
        "lse",
        "dropout",
        "soft_cap",
        "scales",
        "paged",
        "merged",
        "skip_min",
        "bias_grad",
        "deterministic",
    )
    entry = {"variant": "dq_dk_dv", "hdim_q": 64, **dict.fromkeys((*flags, "bias"), "*")}
    found = specs(entry)
    assert len(found) == 2 * 2 * 2 * (3 + 1), (
        "mask, dropout and order, each with three biases and one that has a gradient"
    )
    assert {spec.bias for spec in found if spec.bias_grad} == {Bias.ELEMENTWISE}


def test_wildcards_of_head_sizes_are_pairs() -> None:
    sizes = {
        (spec.hdim_q, spec.hdim_v)
        for spec in specs({"hdim_q": "*", "hdim_v": "*", "pads": [1, 1, 1, 1]})
    }
    assert sizes == {(32, 32), (64, 64), (96, 128), (128, 128), (192, 128), (192, 192), (256, 256)}


def test_both_modes_are_meant_by_a_wildcard() -> None:
    assert {spec.mode for spec in specs({"hdim_q": 64, "mode": "*"})} == set(Mode)
    assert {spec.mode for spec in specs({"variant": "appendkv", "hdim_q": 64, "mode": "*"})} == {
        Mode.BATCH
    }


def test_all_of_the_catalogue_is_counted_and_expanded_in_seconds() -> None:
    free = {
        field.name: "*" for field in FMHA.entry_fields if field.name not in ("dtype", "occupancy")
    }
    data = {"family": "fmha", "dtype": "*", "kernels": [{**free, "gpus": ["gfx942", "gfx1201"]}]}
    began = time.process_time()
    expansion = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "x.json"), ARCH)
    assert time.process_time() - began < 60
    assert expansion.errors == () and 15_000 < len(expansion.kernels) < 40_000
    assert {kernel.spec.variant for kernel in expansion.kernels} == set(Variant)  # type: ignore[attr-defined]  # all are of this family
    assert {kernel.spec.dtype for kernel in expansion.kernels} == set(Dtype)  # type: ignore[attr-defined]  # all are of this family


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.rule}-{case.where.name}-{CASES.index(case)}"
)
def test_what_a_rule_refuses_has_a_nearest_legal_kernel_of_the_same_variant(case: FmhaCase) -> None:
    nearest = nearest_legal(FMHA, case.refuses, case.where)
    assert isinstance(nearest, FmhaSpec) and FMHA.is_legal(nearest, case.where)
    assert nearest.variant is case.refuses.variant or case.rule in (
        "fmha.variant_on_gpu",
        "fmha.dtype_of_variant",
    )


def test_a_refusal_says_what_would_do() -> None:
    (error,) = expanded({"hdim_q": 128, "pipeline": "qr_async", "occupancy": 2}).errors
    assert error == (
        "x.json, entry 1: "
        "fmha_fwd_fp16_batch_h128x128_qr_async_t128x128x32x128x32x128_w4x1x1_i32x32x16_p1x1x1x1_o2 "
        "is not legal on gfx942: fmha.async_occupancy: qr_async of head size 128 spills at "
        "occupancy 2; the nearest legal choice is occupancy 1"
    )


def test_a_kernel_of_one_gpu_is_corrected_for_another() -> None:
    nearest = nearest_legal(FMHA, fmha(hdim_q=64, mask=True, lse=True), target("gfx1201"))
    assert (
        isinstance(nearest, FmhaSpec)
        and nearest.warp_tile == (16, 16, 16)
        and nearest.mask
        and nearest.lse
    )


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"hdim_q": "64"}, "field 'hdim_q': expected a whole number, not \"64\""),
        (
            {"hdim_q": 64, "tile": [128, 64.5]},
            "expected at most 16 numbers such as [128, 64, 32], none negative",
        ),
        ({"hdim_q": 64, "pads": [-2, 0, 0, 0]}, "none negative"),
        (
            {"hdim_q": 64, "bias": "causal"},
            "field 'bias': expected one of none, elementwise, alibi",
        ),
        ({"hdim_q": 64, "warp_tile": []}, "warp_tile of fwd has 3 numbers, not 0"),
        ({}, "the field 'hdim_q' is missing"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(entry: dict[str, Any], says: str) -> None:
    (error,) = expanded(entry).errors
    assert says in error
