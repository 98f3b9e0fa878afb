# SPDX-License-Identifier: MIT
"""Specs of grouped convolutions: their names, their product, their rules, their sources."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import pytest
from ckgen.cli.selection import shipped_declarations
from ckgen.core.declaration import parse_declaration
from ckgen.core.errors import SpecError
from ckgen.core.expand import expand
from ckgen.core.generate import render_kernel
from ckgen.core.nearest import nearest_legal
from ckgen.core.sets import named_sets
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from ckgen.grouped_conv.spec import GroupedConvSpec, Layout, Specialization, Variant
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Pipeline, Scheduler, SplitK
from ckgen.product.spec import Layout as OperandLayout
from codegen_support import ARCH

CONV = FAMILIES["grouped_conv"]
NAME = "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"
BASE = cast(GroupedConvSpec, CONV.parse_name(NAME))
WEIGHT = replace(BASE, variant=Variant.BACKWARD_WEIGHT)
TURNS = cast(
    GroupedConvSpec,
    CONV.parse_name(
        "grouped_conv_fwd_fp16_nhwgc_2d_compv5_default_intrawave_64x64x64_1x1x2_32x32x16_v8x8x1"
    ),
)
FIRST = replace(BASE, layout=Layout.NGCHW, vector_b=1)
GFX942 = Target(ARCH, ARCH.gpu("gfx942"))

CHANGES: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"dtype_y": Dtype.FP32}, "_cfp32"),
    ({"vector_b": 4}, "_v8x4x8"),
    ({"lds_buffers": 2}, "_lds2"),
    ({"wave_groups": 2}, "_wg2"),
    ({"blocks_per_cu": 2}, "_bpc2"),
    ({"merged_groups": 8}, "_merge8"),
    ({"specialization": Specialization.FILTER_1X1_PAD0}, "_filter1x1pad0"),
    ({"specialization": Specialization.FILTER_1X1_STRIDE1_PAD0}, "_filter1x1stride1pad0"),
    ({"specialization": Specialization.FILTER_3X3}, "_filter3x3"),
    ({"split_k": SplitK.WORKSPACE}, "_splitkws"),
    ({"fused_op": FusedOp.RELU}, "_Relu_d0"),
    ({"fused_op": FusedOp.MULTI_D_ADD, "d_count": 1}, "_MultiDAdd_d1"),
    ({"d_count": 1, "merged_groups": 2, "vector_a": 1}, "_v1x8x8_merge2_PassThrough_d1"),
]


@pytest.mark.parametrize(
    ("changes", "suffix"), CHANGES, ids=[suffix or "-" for _, suffix in CHANGES]
)
def test_a_name_holds_every_field_and_is_read_back(changes: dict[str, Any], suffix: str) -> None:
    spec = replace(BASE, **changes)
    assert spec.name == NAME + suffix
    assert CONV.parse_name(spec.name) == spec
    assert GroupedConvSpec.from_json(spec.to_json()) == spec
    assert CONV.build(CONV.choice(spec, ARCH), ARCH) == spec


def test_what_is_implied_is_not_named() -> None:
    with pytest.raises(
        SpecError, match=f"names what is implied anyway; the kernel is called {NAME}"
    ):
        CONV.parse_name(f"{NAME}_v8x8x8")
    with pytest.raises(
        SpecError, match="is not the name of a grouped convolution kernel; those ha"
    ):
        CONV.parse_name("grouped_conv_sideways")


def test_a_name_without_dimensions_is_answered_with_the_whole_one() -> None:
    for name, dimensions in ((NAME, 2), (NAME.replace("_nhwgc_2d", "_ngcw_1d"), 1)):
        told = f"as its layout has {dimensions}, it is called {name}"
        with pytest.raises(SpecError, match=f"how many dimensions its images have; {told}$"):
            CONV.parse_name(name.replace(f"_{dimensions}d_", "_"))


@pytest.mark.parametrize(
    ("variant", "images", "read", "layout"),
    [
        (Variant.FORWARD, Layout.NHWGC, ("x", "w"), OperandLayout.RCR),
        (Variant.FORWARD, Layout.NGCHW, ("w", "x"), OperandLayout.RRR),
        (Variant.BACKWARD_DATA, Layout.NHWGC, ("y", "w"), OperandLayout.RRR),
        (Variant.BACKWARD_WEIGHT, Layout.NHWGC, ("y", "x"), OperandLayout.CRR),
    ],
)
def test_a_convolution_is_a_padded_product(
    variant: Variant, images: Layout, read: tuple[str, str], layout: OperandLayout
) -> None:
    written = ({"x", "w", "y"} - set(read)).pop()
    dtypes: dict[str, Any] = {f"dtype_{read[0]}": Dtype.FP8, f"dtype_{read[1]}": Dtype.BF8}
    dtypes[f"dtype_{written}"] = Dtype.FP32
    spec = replace(BASE, variant=variant, layout=images, **dtypes)
    assert CONV.parse_name(spec.name) == spec
    assert CONV.build(CONV.choice(spec, ARCH), ARCH) == spec
    assert (spec.dtype_a, spec.dtype_b, spec.dtype_c) == (Dtype.FP8, Dtype.BF8, Dtype.FP32)
    assert spec.operand_layout is layout and spec.pad_m and spec.pad_n and spec.pad_k
    assert spec.vectors == Dim3(8, 8, 8)


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        (replace(BASE, ndim_spatial=3), "dimensions"),
        (replace(BASE, ndim_spatial=4, layout=Layout.NDHWGC), "dimensions"),
        (replace(BASE, split_k=SplitK.WORKSPACE, vector_c=4), "split_k_direction"),
        (replace(WEIGHT, fused_op=FusedOp.RELU), "fused_direction"),
        (replace(BASE, fused_op=FusedOp.RELU, merged_groups=2), "fused_direction"),
        (replace(BASE, fused_op=FusedOp.MULTI_D_ADD), "bias"),
        (replace(BASE, d_count=1), "bias"),
        (replace(BASE, merged_groups=3), "merged_groups"),
        (replace(BASE, variant=Variant.BACKWARD_DATA, merged_groups=2), "merged_groups"),
        (replace(WEIGHT, specialization=Specialization.FILTER_1X1_PAD0), "specialization"),
        (replace(FIRST, variant=Variant.BACKWARD_DATA), "channels_first"),
        (replace(FIRST, merged_groups=2), "channels_first"),
        (replace(FIRST, specialization=Specialization.FILTER_3X3), "channels_first"),
        (replace(FIRST, vector_b=8), "scattered_positions"),
        (replace(BASE, vector_a=16), "vector_width"),
        (replace(BASE, vector_c=3), "vector_width"),
        (replace(WEIGHT, split_k=SplitK.WORKSPACE), "vector_width"),
        (replace(BASE, epilogue=Epilogue.DEFAULT), "single_stores"),
        (replace(BASE, specialization=Specialization.FILTER_3X3), "one_channel"),
        (replace(BASE, lds_buffers=2), "lds_buffers"),
        (replace(BASE, pipeline=Pipeline.COMPV4), "lds_buffers"),
        (replace(BASE, wave_groups=2), "wave_groups"),
        (replace(TURNS, wave_groups=1), "wave_groups"),
        (replace(BASE, tile=Dim3(128, 128, 64), blocks_per_cu=3), "blocks_per_cu"),
        (replace(BASE, blocks_per_cu=9), "blocks_per_cu"),
        (replace(TURNS, waves=Dim3(2, 2, 1)), "wave_k"),
        (replace(TURNS, variant=Variant.BACKWARD_DATA), "compv5_layout"),
        (replace(TURNS, epilogue=Epilogue.CSHUFFLE, vector_c=8), "compv5_epilogue"),
        (replace(BASE, dtype_x=Dtype.PK_FP4, dtype_w=Dtype.PK_FP4), "packed_dtype"),
        (replace(BASE, pipeline=Pipeline.PRESHUFFLEV2), "preshuffle_pipeline"),
        (replace(BASE, scheduler=Scheduler.DEFAULT), "preshuffle_pipeline"),
        (replace(BASE, tile=Dim3(96, 64, 64)), "tile_divisible"),
        (replace(BASE, tile=Dim3(64, 64, 128), vector_a=1), "vector_load"),
    ],
)
def test_a_violation_names_its_rule(spec: GroupedConvSpec, rule: str) -> None:
    verdict = CONV.judge(spec, GFX942)
    assert f"grouped_conv.{rule}" in [finding.rule.id for finding in verdict.violations]
    whole = replace(FIRST, vector_b=8, specialization=Specialization.FILTER_1X1_STRIDE1_PAD0)
    shared = replace(BASE, blocks_per_cu=3)
    assert all(CONV.judge(one, GFX942).legal for one in (BASE, WEIGHT, FIRST, TURNS, whole, shared))


@pytest.mark.parametrize(
    ("spec", "waves"),
    [
        (BASE, 1),
        (replace(BASE, blocks_per_cu=2), 2),
        (replace(BASE, blocks_per_cu=3), 3),
        (replace(BASE, tile=Dim3(128, 128, 64), waves=Dim3(4, 4, 1), blocks_per_cu=2), 8),
        (replace(TURNS, blocks_per_cu=3), 2),
    ],
)
def test_the_compiler_is_told_of_workgroups_that_share_a_compute_unit(
    spec: GroupedConvSpec, waves: int
) -> None:
    """HIP's launch bounds count waves of one of four SIMDs: a workgroup has 4, 16 or 2."""
    assert CONV.is_legal(spec, Target.of(ARCH, "gfx950"))
    source = render_kernel(CONV, spec, ARCH)
    kernels = re.findall(r"__launch_bounds__\(FirstPipeline::BlockSize, (\d+)\)", source)
    assert kernels and set(kernels) == {str(waves)}


def test_straight_loads_into_lds_are_as_wide_as_what_a_lane_has() -> None:
    gfx950 = Target(ARCH, ARCH.gpu("gfx950"))
    whole = replace(BASE, pipeline=Pipeline.COMP_ASYNC, lds_buffers=2)
    assert CONV.judge(whole, gfx950).legal
    # 64x16 elements are 4 for each of 256 lanes, however wide the vectors are.
    violations = CONV.judge(replace(whole, tile=Dim3(64, 64, 16)), gfx950).violations
    assert "grouped_conv.async_load" in [finding.rule.id for finding in violations]


def test_a_declaration_says_the_layout_of_any_number_of_dimensions() -> None:
    entry = {
        "tile": [64, 64, 64],
        "waves": [2, 2, 1],
        "warp_tile": [32, 32, 16],
        "pipeline": "compv3",
    }
    declared = {
        "family": "grouped_conv",
        "dtype": "fp16",
        "ndim_spatial": [1, 2, 3],
        "kernels": [{**entry, "layout": "channels_first"}, {**entry, "layout": "channels_last"}],
    }
    expansion = expand(parse_declaration(declared, FAMILIES, ARCH.gpus, "declared"), ARCH)
    layouts = [kernel.spec.layout for kernel in expansion.kernels]  # type: ignore[attr-defined]  # all are of this family
    assert not expansion.errors and sorted(layouts) == sorted(Layout)
    declared["kernels"] = [{**entry, "layout": "nchw"}]
    (error,) = expand(parse_declaration(declared, FAMILIES, ARCH.gpus, "declared"), ARCH).errors
    assert "expected one of channels_last, channels_first, nwgc, nhwgc" in error


def test_what_a_convolution_computes_is_repaired_last() -> None:
    # Not a kernel for filters of 1.
    assert nearest_legal(CONV, replace(FIRST, vector_b=8), GFX942) == FIRST
    backward = nearest_legal(CONV, replace(FIRST, variant=Variant.BACKWARD_DATA), GFX942)
    assert cast(GroupedConvSpec, backward).variant is Variant.BACKWARD_DATA


def test_the_sets_that_ship_are_legal_and_have_the_promised_names() -> None:
    declared = shipped_declarations(CONV, ARCH)
    names = {one.name for each in declared.values() for one in named_sets(each, "")}
    dtypes = {"fwd": ("fp16", "bf16", "fp32", "int8", "fp8")}
    assert names >= {
        f"grouped_conv_{direction}_{dtype}_{dimensions}d_{size}"
        for direction in ("fwd", "bwd_data", "bwd_weight")
        for dtype in dtypes.get(direction, ("fp16", "bf16"))
        for dimensions in (1, 2, 3)
        for size in ("all", "essential")
    }
    assert [name for name, one in declared.items() if expand(one, ARCH).errors] == []
    expansion = expand(declared["grouped_conv_16bit"], ARCH)
    for gpu in ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"):
        legal = [kernel for kernel in expansion.kernels if gpu in kernel.gpus]
        assert {kernel.spec.variant for kernel in legal} == set(Variant)  # type: ignore[attr-defined]  # all are of this family


def test_a_source_has_a_function_for_each_loop_variant_and_its_spec() -> None:
    source = render_kernel(CONV, BASE, ARCH)
    assert source.count('extern "C" __global__') == 3 and f"{NAME}__hot_full" in source
    assert "Direction::forward" in source and "Filter::any" in source
    parts = render_kernel(CONV, replace(WEIGHT, split_k=SplitK.WORKSPACE, vector_c=4), ARCH)
    assert parts.count('extern "C" __global__') == 4 and "__add_parts" in parts
