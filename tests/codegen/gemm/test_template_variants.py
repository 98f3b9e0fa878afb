# SPDX-License-Identifier: MIT
"""What the GEMM template makes of each variant."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ckgen.core.generate import render_kernel
from ckgen.gemm.spec import DLayout, GemmSpec, Variant
from ckgen.product.pipelines import loop_variants
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Pipeline, SplitK
from codegen_support import ARCH, GEMM, of_variant

ONE_FUNCTION = {Variant.GROUPED: "groups", Variant.STREAM_K: "share"}
BY_LOOPS = [variant for variant in Variant if variant not in ONE_FUNCTION]
TAKING_DS = [op for op in FusedOp if op.value.startswith("MultiD")]

COMBINATION_AND_ACTIVATION = {
    FusedOp.MULTI_D_ADD: ("Added", "PassThrough"),
    FusedOp.MULTI_D_MULTIPLY: ("Multiplied", "PassThrough"),
    FusedOp.RELU: ("Alone", "Relu"),
    FusedOp.GELU: ("Alone", "Gelu"),
    FusedOp.FAST_GELU: ("Alone", "FastGelu"),
    FusedOp.SILU: ("Alone", "Silu"),
    FusedOp.SIGMOID: ("Alone", "Sigmoid"),
    FusedOp.TANH: ("Alone", "TanH"),
    FusedOp.MULTI_D_ADD_RELU: ("Added", "Relu"),
    FusedOp.MULTI_D_ADD_GELU: ("Added", "Gelu"),
    FusedOp.MULTI_D_ADD_FAST_GELU: ("Added", "FastGelu"),
    FusedOp.MULTI_D_ADD_SILU: ("Added", "Silu"),
    FusedOp.MULTI_D_ADD_SIGMOID: ("Added", "Sigmoid"),
    FusedOp.MULTI_D_ADD_TANH: ("Added", "TanH"),
}


def render(variant: Variant, **changes: Any) -> tuple[GemmSpec, str]:
    spec = of_variant(variant, **changes)
    return spec, render_kernel(GEMM, spec, ARCH)


def passes(text: str) -> tuple[str, str]:
    """What the compiler sees for a GPU, and what it sees for the host."""
    device, host = re.split(r"^#else$", text, flags=re.MULTILINE)
    return device, host


def parameters(text: str) -> dict[str, str]:
    """The parameter list of every kernel, by the end of its name."""
    found = re.findall(r"(?:__global__|\(\(global\)\)).*?void \w+?__(\w+)\(([^)]*)\)", text)
    return {suffix: re.sub(r"\s+", " ", listed).strip() for suffix, listed in found}


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("split_k", SplitK)
def test_the_host_pass_declares_exactly_the_functions_of_the_device_pass(
    variant: Variant, split_k: SplitK
) -> None:
    _, text = render(variant, split_k=split_k)
    device, host = passes(text)
    assert list(parameters(device)) == list(parameters(host))


@pytest.mark.parametrize("variant", Variant)
def test_the_library_says_which_variant_it_is(variant: Variant) -> None:
    spec, text = render(variant)
    assert f"ck_kernel::gemm::Variant::{variant.value}," in text
    assert f"/*d_count*/ {spec.d_count}," in text


@pytest.mark.parametrize(("variant", "suffix"), ONE_FUNCTION.items())
def test_one_device_function_serves_all_loops_where_a_launch_may_need_several(
    variant: Variant, suffix: str
) -> None:
    spec, text = render(variant)
    device, host = passes(text)
    assert list(parameters(device)) == [suffix]
    for loops in loop_variants(spec, ARCH):
        tail = f"ck_kernel::gemm::Tail::{loops.tail.lower()}"
        hot = str(loops.hot).lower()
        assert f"Kernel<{hot}, ck_tile::TailNumber::{loops.tail}>, {hot}, {tail}>" in device
    entries = re.findall(r"reinterpret_cast<const void\*>\(&(\w+)\)\},", host)
    assert entries == [f"{spec.name}__{suffix}"]


@pytest.mark.parametrize("variant", BY_LOOPS)
def test_other_variants_have_a_device_function_for_each_loop_variant(variant: Variant) -> None:
    spec, text = render(variant)
    suffixes = [loops.suffix for loops in loop_variants(spec, ARCH)]
    assert list(parameters(passes(text)[0])) == suffixes
    assert "AnyLoops" not in text


def test_a_grouped_kernel_takes_its_products_from_memory() -> None:
    device, host = passes(render(Variant.GROUPED)[1])
    assert parameters(device) == {"groups": "ck_kernel::gemm::GroupsArgs args"}
    assert parameters(host) == {"groups": "ck_kernel::gemm::GroupsArgs"}


def test_a_batched_kernel_takes_the_strides_between_its_products() -> None:
    device, host = passes(render(Variant.BATCHED)[1])
    assert set(parameters(device).values()) == {
        "Product args, std::int64_t stride_a, std::int64_t stride_b, std::int64_t stride_c"
    }
    assert set(parameters(host).values()) == {"Product, std::int64_t, std::int64_t, std::int64_t"}
    assert device.count("(args, stride_a, stride_b, stride_c);") == len(parameters(device))


@pytest.mark.parametrize(
    ("variant", "listed", "called"),
    [
        (Variant.STANDARD, "ck_kernel::gemm::AddPartsArgs parts", "add_parts<AccDataType, CDat"),
        (
            Variant.STREAM_K,
            "Product args, ck_kernel::gemm::AddPartsArgs parts",
            "add_shares<FirstKernel, AccDataType, CDataType>(kConfig, args, parts);",
        ),
    ],
)
def test_a_kernel_with_a_workspace_has_a_function_that_adds_up_what_is_there(
    variant: Variant, listed: str, called: str
) -> None:
    spec, text = render(variant, split_k=SplitK.WORKSPACE)
    device, host = passes(text)
    assert parameters(device)["add_parts"] == listed
    assert called in device
    assert f"reinterpret_cast<const void*>(&{spec.name}__add_parts)}};" in host
    assert "using Stored      = AccDataType;" in device


@pytest.mark.parametrize("variant", Variant)
def test_without_a_workspace_nothing_is_added_up_afterwards(variant: Variant) -> None:
    text = render(variant)[1]
    assert "add_parts" not in text and "add_shares" not in text
    assert re.search(r"sizeof\(kEntries\[0\]\),\s+nullptr\};", text)


def test_every_part_of_a_workspace_kernel_has_a_c_of_its_own() -> None:
    spec, text = render(Variant.STANDARD, split_k=SplitK.WORKSPACE)
    assert text.count("ck_kernel::gemm::compute_part<") == len(loop_variants(spec, ARCH))


def test_every_fused_operation_is_a_combination_and_an_activation() -> None:
    assert set(COMBINATION_AND_ACTIVATION) == set(FusedOp) - {FusedOp.PASS_THROUGH}


@pytest.mark.parametrize("op", COMBINATION_AND_ACTIVATION)
def test_a_fused_operation_reaches_the_epilogue(op: FusedOp) -> None:
    d_count = 3 if op in TAKING_DS else 0
    combination, activation = COMBINATION_AND_ACTIVATION[op]
    text = render(Variant.MULTI_D, fused_op=op, d_count=d_count)[1]
    fused = (
        f"using Fused = ck_kernel::gemm::Fused<AccDataType, ck_kernel::gemm::{combination}, "
        f"ck_tile::element_wise::{activation}>;"
    )
    assert fused in text
    assert re.search(r"CLayout,\s+Fused,", text)


@pytest.mark.parametrize("variant", [v for v in Variant if v is not Variant.MULTI_D])
def test_without_a_fused_operation_the_epilogue_passes_the_product_through(
    variant: Variant,
) -> None:
    text = render(variant)[1]
    assert "Fused" not in text
    assert re.search(r"CLayout,\s+ck_tile::element_wise::PassThrough,", text)


@pytest.mark.parametrize("d_count", [1, 2, 4])
def test_every_d_tensor_has_its_type_and_layout(d_count: int) -> None:
    text = render(Variant.MULTI_D, d_count=d_count, dtype_d=Dtype.FP32)[1]
    assert "using DDataType   = float;" in text
    assert f"DsDataType = ck_tile::tuple<{', '.join(['DDataType'] * d_count)}>;" in text
    assert f"DsLayout   = ck_tile::tuple<{', '.join(['CLayout'] * d_count)}>;" in text


def test_an_activation_alone_has_no_d_tensors() -> None:
    text = render(Variant.MULTI_D, fused_op=FusedOp.SILU, d_count=0)[1]
    assert "using DsDataType = ck_tile::tuple<>;" in text
    assert "DDataType" not in text.replace("DsDataType", "")


def test_column_ds_are_read_by_our_own_windows_and_rows_by_cks() -> None:
    spec, columns = render(Variant.MULTI_D, d_layout=DLayout.COLUMNS)
    calls = columns.count("ck_kernel::gemm::compute_with_column_ds<")
    assert calls == len(loop_variants(spec, ARCH))
    assert re.search(r"/\*d\*/ \{2, false\}", columns)
    rows = render(Variant.MULTI_D)[1]
    assert "column_ds" not in rows
    assert re.search(r"/\*d\*/ \{2, true\}", rows)


def test_a_preshuffle_kernel_tells_ck_so() -> None:
    text = render(Variant.PRESHUFFLE)[1]
    assert "/*preshuffled*/ true>;" in text
    assert "ck_tile::WeightPreshufflePipelineAGmemBGmemCRegV2<" in text
    assert "ck_tile::GemmPipelineScheduler::Default," in text
    assert "preshuffled" not in render(Variant.STANDARD)[1]


def test_packed_elements_are_carried_in_bytes_and_the_spec_counts_elements() -> None:
    spec, text = render(
        Variant.STANDARD,
        dtype_a=Dtype.PK_FP4,
        dtype_b=Dtype.PK_FP4,
        tile=(64, 64, 256),
        warp_tile=(16, 16, 128),
    )
    assert "/*tile*/ {64, 64, 128}" in text and "/*warp_tile*/ {16, 16, 64}" in text
    assert "using ADataType   = ck_tile::int8_t;" in text
    assert "__builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(" in text
    assert "64x64x256" in spec.name and spec.name in text
    assert "PairsOfFp4" not in render(Variant.STANDARD)[1]


def test_waves_that_take_turns_are_groups_of_their_own() -> None:
    _, text = render(
        Variant.STANDARD, pipeline=Pipeline.COMPV5, waves=(1, 1, 2), epilogue=Epilogue.DEFAULT
    )
    assert "/*wave groups*/ 2" in text
    assert "wave groups" not in render(Variant.STANDARD)[1]
