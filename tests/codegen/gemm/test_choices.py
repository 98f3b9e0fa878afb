# SPDX-License-Identifier: MIT
"""What entries of a GEMM declaration mean, and what their wildcards stand for."""

from __future__ import annotations

from typing import Any

import pytest
from ckgen.core.declaration import parse_declaration
from ckgen.core.errors import SpecError
from ckgen.core.expand import expand
from ckgen.families import FAMILIES
from ckgen.gemm.choices import ALL_PADS, ENTRY_FIELDS
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.choices import TILE_TABLE
from ckgen.product.spec import Dtype, FusedOp, Pipeline, SplitK
from codegen_support import (
    ARCH,
    BASE,
    ENTRY,
    GEMM,
    TOY,
    Color,
    ToySpec,
    declaration,
    gemm,
    of_variant,
    target,
)


def expand_one(entry: dict[str, Any], **fields: Any) -> GemmSpec:
    data = declaration(entry, **fields)
    (kernel,) = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "x.json"), ARCH).kernels
    assert isinstance(kernel.spec, GemmSpec)
    return kernel.spec


def wildcard(field: str, gpu: str, **chosen: Any) -> list[str]:
    by_name = {entry.name: entry for entry in ENTRY_FIELDS}
    base = {"variant": Variant.STANDARD, "dtype": Dtype.FP16, "dtype_a": None, "dtype_b": None}
    return [str(value) for value in by_name[field].choices(target(gpu), {**base, **chosen})]


def test_what_is_not_said_has_its_default() -> None:
    assert expand_one(ENTRY) == BASE


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"dtype": "bf16"}, ("bf16", "bf16", "bf16", "fp32")),
        ({"dtype": "fp16", "dtype_c": "fp32"}, ("fp16", "fp16", "fp32", "fp32")),
        ({"dtype": "fp8"}, ("fp8", "fp8", "fp16", "fp32")),
        ({"dtype": "fp8", "dtype_b": "bf8"}, ("fp8", "bf8", "fp16", "fp32")),
        ({"dtype": "bf8", "dtype_b": "fp8", "dtype_c": "bf16"}, ("bf8", "fp8", "bf16", "fp32")),
        ({"dtype": "int8"}, ("int8", "int8", "int32", "int32")),
    ],
)
def test_accumulator_and_output_follow_from_the_operands(
    fields: dict[str, str], expected: tuple[str, ...]
) -> None:
    spec = expand_one({**ENTRY, "tile": [64, 64, 64], **fields, "pipeline": "compv4"})
    got = (spec.dtype_a, spec.dtype_b, spec.dtype_c, spec.dtype_acc)
    assert tuple(str(dtype) for dtype in got) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, Dtype.FP16),
        ({"dtype_c": "fp32"}, Dtype.FP32),
        ({"dtype_c": "fp32", "dtype_d": "fp16"}, Dtype.FP16),
    ],
)
def test_d_tensors_have_the_dtype_of_c_unless_said_otherwise(
    fields: dict[str, str], expected: Dtype
) -> None:
    entry = {"variant": "multi_d", "fused_op": "MultiDAdd", "d_count": 1}
    assert expand_one({**ENTRY, **entry, **fields}).dtype_d is expected


@pytest.mark.parametrize("variant", Variant)
def test_a_kernel_of_every_variant_can_be_declared(variant: Variant) -> None:
    spec = of_variant(variant)
    entry = {
        "variant": variant.value,
        "tile": list(spec.tile),
        "waves": list(spec.waves),
        "warp_tile": list(spec.warp_tile),
        "pipeline": spec.pipeline.value,
        "scheduler": spec.scheduler.value,
        "split_k": spec.split_k.value,
        "fused_op": spec.fused_op.value,
        "d_count": spec.d_count,
    }
    assert expand_one(entry) == spec


def test_a_wildcard_stands_for_what_the_gpu_has() -> None:
    assert wildcard("waves", "gfx942") == ["1x4x1", "2x2x1", "4x1x1", "1x1x2"]
    assert wildcard("warp_tile", "gfx1100") == ["16x16x16"]
    assert wildcard("warp_tile", "gfx942", dtype=Dtype.INT8) == ["32x32x16", "16x16x32"]
    assert wildcard("pipeline", "gfx950") == [pipeline.value for pipeline in Pipeline]
    assert "comp_async" not in wildcard("pipeline", "gfx942")
    assert "fp8" in wildcard("dtype", "gfx942") and "fp8" not in wildcard("dtype", "gfx1100")
    assert wildcard("dtype_c", "gfx942") == ["fp16", "bf16", "fp32"]
    assert wildcard("dtype_d", "gfx942") == ["fp16", "bf16", "fp32"]
    assert wildcard("d_count", "gfx942") == [str(count) for count in range(MAX_DS + 1)]
    assert wildcard("fused_op", "gfx942") == [op.value for op in FusedOp]


def test_a_wildcard_for_warp_tiles_knows_those_that_only_preshuffled_weights_have() -> None:
    usual = wildcard("warp_tile", "gfx950")
    shuffled = wildcard("warp_tile", "gfx950", variant=Variant.PRESHUFFLE)
    assert set(shuffled) - set(usual) == {"32x32x32", "16x16x64"}
    assert set(usual) - set(shuffled) == {"4x64x16"}
    assert wildcard("warp_tile", "gfx90a", variant=Variant.PRESHUFFLE, dtype=Dtype.INT8) == []


def test_a_wildcard_for_tiles_stands_for_the_documented_table() -> None:
    assert wildcard("tile", "gfx942") == [str(tile) for tile in TILE_TABLE]
    assert len(set(TILE_TABLE)) == len(TILE_TABLE)


def test_a_wildcard_for_pads_stands_for_all_eight() -> None:
    assert len(set(ALL_PADS)) == 8


@pytest.mark.parametrize("gpu", ARCH.gpus)
@pytest.mark.parametrize("layout", ["rcr", "rrr", "crr", "ccr"])
def test_the_catalogue_has_kernels_for_every_gpu_and_layout(gpu: str, layout: str) -> None:
    data = dict(GEMM.catalogue({"dtype": "fp16", "layout": layout}))
    data["kernels"] = [{**entry, "gpus": [gpu]} for entry in data["kernels"]]
    expansion = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "catalogue"), ARCH)
    assert expansion.errors == ()
    assert len(expansion.kernels) > 100


def test_every_entry_field_is_described() -> None:
    assert all(field.description for field in ENTRY_FIELDS)


def test_the_choice_that_describes_a_spec_builds_it_again() -> None:
    specs = [
        BASE,
        gemm(dtype_b=Dtype.BF16),
        gemm(dtype_c=Dtype.FP32, pad_m=True, pad_k=True, persistent=True),
        gemm(dtype_a=Dtype.FP8, dtype_b=Dtype.BF8, dtype_c=Dtype.BF16),
        gemm(split_k=SplitK.WORKSPACE),
        of_variant(Variant.MULTI_D, dtype_d=Dtype.FP32, d_layout=DLayout.COLUMNS),
        *(of_variant(variant) for variant in Variant),
    ]
    for spec in specs:
        choice = GEMM.choice(spec, ARCH)
        assert list(choice) == [field.name for field in ENTRY_FIELDS]
        assert GEMM.build(choice, ARCH) == spec
    toy = ToySpec(Color.RED, 32)
    assert TOY.build(TOY.choice(toy, ARCH), ARCH) == toy


def test_a_spec_with_an_accumulator_of_its_own_has_no_choice() -> None:
    with pytest.raises(
        SpecError, match="accumulates in fp16, and no declaration can say so; fp16 x"
    ):
        GEMM.choice(gemm(dtype_acc=Dtype.FP16), ARCH)
