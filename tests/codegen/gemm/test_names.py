# SPDX-License-Identifier: MIT
"""GEMM names: what users know, unique, and readable back."""

from __future__ import annotations

from typing import Any

import pytest
from ckgen.core.errors import SpecError
from ckgen.gemm.names import parse_name
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.spec import (
    Dtype,
    Epilogue,
    FusedOp,
    Layout,
    Pipeline,
    Scheduler,
    SplitK,
    implied_dtypes,
)
from codegen_support import ARCH, BASE, BASE_NAME, gemm, of_variant

GOLDEN: list[tuple[dict[str, Any], str]] = [
    ({}, BASE_NAME),
    (
        {"pipeline": Pipeline.MEM, "scheduler": Scheduler.INTERWAVE, "pad_k": True},
        "gemm_fp16_rcr_mem_cshuffle_interwave_False_False_True_False_128x128x32_2x2x1_32x32x16",
    ),
    (
        {"layout": Layout.CRR, "epilogue": Epilogue.DEFAULT, "persistent": True, "pad_m": True},
        "gemm_fp16_crr_compv4_default_intrawave_True_False_False_True_128x128x32_2x2x1_32x32x16",
    ),
    (
        {"dtype_a": Dtype.FP8, "dtype_b": Dtype.FP8, "tile": (256, 64, 128), "pad_n": True},
        "gemm_fp8_rcr_compv4_cshuffle_intrawave_False_True_False_False_256x64x128_2x2x1_32x32x16",
    ),
    (
        {"dtype_a": Dtype.FP8, "dtype_b": Dtype.BF8, "dtype_c": Dtype.FP32},
        "gemm_fp8_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
        "_bbf8_cfp32",
    ),
    (
        {
            "dtype_a": Dtype.INT8,
            "dtype_b": Dtype.INT8,
            "dtype_c": Dtype.INT32,
            "dtype_acc": Dtype.INT32,
        },
        "gemm_int8_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16",
    ),
    (
        {"dtype_a": Dtype.PK_FP4, "dtype_b": Dtype.PK_FP4, "dtype_acc": Dtype.FP16},
        "gemm_pk_fp4_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1"
        "_32x32x16_accfp16",
    ),
    (
        {"split_k": SplitK.ATOMIC},
        "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
        "_splitk",
    ),
    (
        {"split_k": SplitK.ATOMIC, "dtype_c": Dtype.FP32},
        "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
        "_cfp32_splitk",
    ),
    ({"split_k": SplitK.WORKSPACE}, f"{BASE_NAME}_splitkws"),
    ({"variant": Variant.BATCHED}, f"{BASE_NAME}_batched"),
    ({"variant": Variant.GROUPED, "dtype_c": Dtype.FP32}, f"{BASE_NAME}_cfp32_grouped"),
    ({"variant": Variant.STREAM_K, "split_k": SplitK.ATOMIC}, f"{BASE_NAME}_splitk_streamk"),
    ({"variant": Variant.STREAM_K, "split_k": SplitK.WORKSPACE}, f"{BASE_NAME}_splitkws_streamk"),
    (
        {"variant": Variant.MULTI_D, "fused_op": FusedOp.MULTI_D_ADD_RELU, "d_count": 2},
        "gemm_fp16_rcrr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1"
        "_32x32x16_multid_MultiDAddRelu_d2",
    ),
    (
        {
            "variant": Variant.MULTI_D,
            "fused_op": FusedOp.MULTI_D_MULTIPLY,
            "d_count": 1,
            "d_layout": DLayout.COLUMNS,
            "dtype_d": Dtype.FP32,
        },
        "gemm_fp16_rcrc_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1"
        "_32x32x16_dfp32_multid_MultiDMultiply_d1",
    ),
    ({"variant": Variant.MULTI_D, "fused_op": FusedOp.TANH}, f"{BASE_NAME}_multid_Tanh_d0"),
    (
        {
            "variant": Variant.PRESHUFFLE,
            "pipeline": Pipeline.PRESHUFFLEV2,
            "scheduler": Scheduler.DEFAULT,
        },
        "gemm_fp16_rcr_preshufflev2_cshuffle_default_False_False_False_False_128x128x32_2x2x1"
        "_32x32x16_preshuffle",
    ),
    (
        {"pipeline": Pipeline.COMP_ASYNC},
        "gemm_fp16_rcr_comp_async_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1"
        "_32x32x16",
    ),
]


@pytest.mark.parametrize(("changes", "name"), GOLDEN)
def test_names_are_the_ones_users_know(changes: dict[str, Any], name: str) -> None:
    assert gemm(**changes).name == name


@pytest.mark.parametrize(("changes", "name"), GOLDEN)
def test_a_name_reads_back_into_its_spec(changes: dict[str, Any], name: str) -> None:
    assert parse_name(name) == gemm(**changes)


@pytest.mark.parametrize(
    ("op", "meant", "why"),
    [
        ("Relu", "MultiDAddRelu", ", and Relu of a sum with them is MultiDAddRelu"),
        ("PassThrough", "MultiDAdd", ", and PassThrough of a sum with them is MultiDAdd"),
        ("MultiDAddGelu", "MultiDAddGelu", ""),
        ("MultiDMultiply", "MultiDMultiply", ""),
    ],
)
def test_a_name_without_the_layout_of_d_is_answered_with_the_one_that_is_meant(
    op: str, meant: str, why: str
) -> None:
    with pytest.raises(SpecError) as refused:
        parse_name(f"{BASE_NAME}_multid_{op}_d1")
    written = f"{BASE_NAME.replace('rcr', 'rcrr')}_multid_{meant}_d1"
    assert str(refused.value).endswith(
        f"by rows or by columns{why}; by rows it is called {written}"
    )
    assert parse_name(written).fused_op == meant


def test_the_base_spec_is_the_one_of_the_base_name() -> None:
    assert parse_name(BASE_NAME) == BASE


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gemm",
        BASE_NAME.replace("gemm_", "conv_"),
        BASE_NAME.replace("rcr", "rrc"),
        BASE_NAME.replace("compv4", "compv9"),
        BASE_NAME.replace("False", "false"),
        BASE_NAME.replace("128x128x32", "128x128"),
        BASE_NAME.replace("128x128x32", "0128x128x32"),
        BASE_NAME + "_shuffled",
        BASE_NAME + "_splitk_cfp32",
        BASE_NAME + "_batched_splitk",
        BASE_NAME + "_multid_d2",
        BASE_NAME + "_multid_MultiDAdd_d",
        BASE_NAME.replace("rcr", "rcrx"),
        BASE_NAME + "\n",
        BASE_NAME.upper(),
        BASE_NAME + '"; int x; //',
    ],
)
def test_what_is_not_a_name_is_refused_with_the_form(name: str) -> None:
    with pytest.raises(SpecError, match="those have the form gemm_<dtype>_<layout>_<pipeline>"):
        parse_name(name)


@pytest.mark.parametrize(
    "suffix",
    [
        "_bfp16",
        "_cfp16",
        "_accfp32",
        "_dfp16",
        "_standard",
        "_multid_PassThrough_d0",
        "_multid_Relu_d0_multid",
        "_multid_Relu_d00",
    ],
)
def test_a_name_that_says_what_is_implied_is_refused(suffix: str) -> None:
    with pytest.raises(SpecError, match="names what is implied anyway"):
        parse_name(BASE_NAME + suffix)


@pytest.mark.parametrize("op", FusedOp)
@pytest.mark.parametrize("d_count", range(MAX_DS + 1))
@pytest.mark.parametrize("d_layout", DLayout)
def test_every_fused_operation_has_a_name_of_its_own(
    op: FusedOp, d_count: int, d_layout: DLayout
) -> None:
    spec = gemm(variant=Variant.MULTI_D, fused_op=op, d_count=d_count, d_layout=d_layout)
    assert parse_name(spec.name) == spec


def test_no_two_variants_of_a_kernel_share_a_name() -> None:
    specs = {
        gemm(variant=variant, split_k=split_k, fused_op=op, d_count=d_count)
        for variant in Variant
        for split_k in SplitK
        for op in (FusedOp.PASS_THROUGH, FusedOp.RELU, FusedOp.MULTI_D_ADD)
        for d_count in (0, 1)
    }
    assert len({spec.name for spec in specs}) == len(specs)


@pytest.mark.parametrize("variant", Variant)
def test_a_legal_kernel_of_each_variant_reads_back(variant: Variant) -> None:
    spec = of_variant(variant)
    assert parse_name(spec.name) == spec
    assert GemmSpec.from_json(spec.to_json()) == spec


def test_names_imply_what_the_arch_table_gives_by_default() -> None:
    for combination in ARCH.dtype_combinations:
        implied = tuple(str(dtype) for dtype in implied_dtypes(Dtype(combination.a)))
        assert implied == (combination.accumulator, combination.output), combination


def test_every_dtype_that_can_be_multiplied_has_a_place_in_the_spec() -> None:
    used = {c.a for c in ARCH.dtype_combinations} | {c.accumulator for c in ARCH.dtype_combinations}
    assert used <= {dtype.value for dtype in Dtype}
