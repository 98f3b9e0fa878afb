# SPDX-License-Identifier: MIT
"""What the GEMM template makes of a spec."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ckgen.core.errors import SpecError
from ckgen.core.generate import render_kernel
from ckgen.gemm.context import template_context
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.pipelines import loop_variants
from ckgen.product.spec import Dtype, Epilogue, Layout, Pipeline, Scheduler, SplitK
from codegen_support import ARCH, BASE, GEMM, gemm, of_variant

HOSTILE = '"; } int main() { system("id"); } // \\ \n {{ 7 * 7 }} {% raw %}'


def render(**changes: Any) -> str:
    return render_kernel(GEMM, gemm(**changes), ARCH)


@pytest.mark.parametrize("pipeline", Pipeline)
@pytest.mark.parametrize("epilogue", Epilogue)
def test_every_loop_variant_is_one_device_function(pipeline: Pipeline, epilogue: Epilogue) -> None:
    spec = gemm(pipeline=pipeline, epilogue=epilogue)
    text = render_kernel(GEMM, spec, ARCH)
    functions = re.findall(r"__global__ .*?void (\w+)\(Product args\)", text)
    expected = [f"{spec.name}__{variant.suffix}" for variant in loop_variants(spec, ARCH)]
    assert functions == expected
    for name in expected:
        assert f"reinterpret_cast<const void*>(&{name})" in text


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"pipeline": Pipeline.MEM}, "ck_tile::GemmPipelineAgBgCrMem<"),
        ({"pipeline": Pipeline.COMPV3}, "ck_tile::BaseGemmPipelineAgBgCrCompV3<"),
        ({"pipeline": Pipeline.COMPV4}, "kDoubleLds  = true"),
        ({"pipeline": Pipeline.COMPV6}, "kDoubleLds  = false"),
        (
            {"pipeline": Pipeline.MEM, "scheduler": Scheduler.INTERWAVE},
            "ck_tile::GemmPipelineScheduler::Interwave",
        ),
        ({"epilogue": Epilogue.DEFAULT}, "ck_tile::DefaultGemm2DEpilogue<"),
        ({"epilogue": Epilogue.CSHUFFLE}, "ck_tile::CShuffleEpilogue<"),
        ({"layout": Layout.CRR}, "using ALayout = ck_tile::tensor_layout::gemm::ColumnMajor;"),
        ({"layout": Layout.RRR}, "using BLayout = ck_tile::tensor_layout::gemm::RowMajor;"),
        ({"dtype_a": Dtype.BF16, "dtype_b": Dtype.BF16}, "using ADataType   = ck_tile::bf16_t;"),
        ({"dtype_c": Dtype.FP32}, "using CDataType   = float;"),
        ({"tile": (64, 16, 64), "pipeline": Pipeline.MEM}, "/*prefetch_stages*/ 4"),
        ({"persistent": True}, "/*persistent*/ true"),
        ({"pad_n": True}, "/*pad_m, pad_n, pad_k*/ false, true, false"),
        ({"split_k": SplitK.ATOMIC}, "ck_kernel::gemm::SplitK::atomic,"),
        ({"split_k": SplitK.WORKSPACE}, "ck_kernel::gemm::SplitK::workspace,"),
        ({"split_k": SplitK.NONE}, "ck_tile::memory_operation_enum::set>>;"),
        ({"split_k": SplitK.WORKSPACE}, "using Stored      = AccDataType;"),
        ({"split_k": SplitK.NONE}, "using Stored      = CDataType;"),
        ({"split_k": SplitK.ATOMIC}, "ck_tile::memory_operation_enum::atomic_add>>;"),
        (
            {"split_k": SplitK.ATOMIC, "epilogue": Epilogue.DEFAULT, "dtype_c": Dtype.FP32},
            "ck_tile::memory_operation_enum::atomic_add>>;",
        ),
        ({"pipeline": Pipeline.COMP_ASYNC}, "ck_tile::GemmPipelineAgBgCrCompAsync<"),
        ({"dtype_c": Dtype.BF8}, "#if !defined(CK_KERNEL_CASTS_BF8)"),
        ({"dtype_c": Dtype.FP8, "epilogue": Epilogue.DEFAULT}, "/*raw stores, which CK has"),
    ],
)
def test_each_choice_reaches_the_source(changes: dict[str, Any], expected: str) -> None:
    assert expected in render(**changes)
    assert expected not in render() or not _differs(changes)


def _differs(changes: dict[str, Any]) -> bool:
    return any(getattr(BASE, field) != value for field, value in changes.items())


def test_the_library_describes_itself_with_its_whole_spec() -> None:
    (literal,) = re.findall(r"#define CK_KERNEL_SPEC (.*)", render())
    described = json.loads(json.loads(literal))
    assert described == {**BASE.to_json(), "name": BASE.name}
    assert GemmSpec.from_json(described) == BASE


def test_the_same_spec_gives_the_same_bytes() -> None:
    assert render() == render()


def test_different_specs_give_different_sources() -> None:
    assert render() != render(pad_m=True)


@pytest.mark.parametrize(
    "spec",
    [*map(of_variant, Variant), gemm(pipeline=Pipeline.MEM), gemm(split_k=SplitK.WORKSPACE)],
    ids=lambda spec: spec.name,
)
def test_sources_are_plain_ascii_without_trailing_blanks(spec: GemmSpec) -> None:
    text = render_kernel(GEMM, spec, ARCH)
    assert text.isascii() and text.endswith("\n")
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)
    assert "\n\n\n" not in text


@pytest.mark.parametrize("variant", Variant)
def test_nothing_but_closed_choices_and_numbers_reaches_the_template(variant: Variant) -> None:
    for value in template_context(of_variant(variant), ARCH)["cxx"].values():
        assert isinstance(value, (bool, int)) or re.fullmatch(r"[\w:/.]+", value)


@pytest.mark.parametrize("field", [*BASE.to_json(), "name"])
def test_a_hostile_string_in_a_spec_never_reaches_a_source(field: str) -> None:
    with pytest.raises(SpecError):
        GemmSpec.from_json({**BASE.to_json(), field: HOSTILE})


def test_an_extent_cannot_smuggle_text() -> None:
    with pytest.raises(SpecError, match="three positive numbers"):
        GemmSpec.from_json({**BASE.to_json(), "tile": [128, 128, "32> x; //"]})
