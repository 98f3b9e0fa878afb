# SPDX-License-Identifier: MIT
"""What entries of a GEMM declaration mean, and what their wildcards stand for."""

from __future__ import annotations

from typing import Any

import pytest
from ckgen.core.declaration import parse_declaration
from ckgen.core.errors import SpecError
from ckgen.core.expand import expand
from ckgen.families import FAMILIES
from ckgen.gemm.choices import ALL_PADS, ENTRY_FIELDS, TILE_TABLE
from ckgen.gemm.dtypes import allowed_outputs, default_dtypes
from ckgen.gemm.spec import Dtype, GemmSpec, Pipeline
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
    target,
)


def expand_one(entry: dict[str, Any], **fields: Any) -> GemmSpec:
    data = declaration(entry, **fields)
    (kernel,) = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "x.json"), ARCH).kernels
    assert isinstance(kernel.spec, GemmSpec)
    return kernel.spec


def wildcard(field: str, gpu: str, **chosen: Any) -> list[str]:
    by_name = {entry.name: entry for entry in ENTRY_FIELDS}
    base = {"dtype": Dtype.FP16, "dtype_a": None, "dtype_b": None}
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
    spec = expand_one({**ENTRY, "tile": [128, 128, 64], **fields, "pipeline": "compv3"})
    got = (spec.dtype_a, spec.dtype_b, spec.dtype_c, spec.dtype_acc)
    assert tuple(str(dtype) for dtype in got) == expected


def test_a_pair_that_cannot_be_multiplied_can_still_be_named() -> None:
    assert default_dtypes(Dtype.FP16, Dtype.FP8, ARCH) == (Dtype.FP32, Dtype.FP16)


def test_integers_are_stored_as_integers() -> None:
    assert allowed_outputs(Dtype.INT8, Dtype.INT8, ARCH) == (Dtype.INT32,)


def test_a_wildcard_stands_for_what_the_gpu_has() -> None:
    assert wildcard("waves", "gfx942") == ["1x4x1", "2x2x1", "4x1x1"]
    assert wildcard("warp_tile", "gfx1100") == ["16x16x16"]
    assert wildcard("warp_tile", "gfx942", dtype=Dtype.INT8) == ["32x32x16", "16x16x32"]
    assert wildcard("pipeline", "gfx942") == [pipeline.value for pipeline in Pipeline]
    assert "fp8" in wildcard("dtype", "gfx942") and "fp8" not in wildcard("dtype", "gfx1100")
    assert wildcard("dtype_c", "gfx942") == ["fp16", "fp32"]


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
    ]
    for spec in specs:
        choice = GEMM.choice(spec, ARCH)
        assert list(choice) == [field.name for field in ENTRY_FIELDS]
        assert GEMM.build(choice, ARCH) == spec
    toy = ToySpec(Color.RED, 32)
    assert TOY.build(TOY.choice(toy, ARCH), ARCH) == toy


def test_a_spec_with_an_accumulator_of_its_own_has_no_choice() -> None:
    with pytest.raises(SpecError, match="accumulates in fp16, and no declaration can say so; fp16 x"):
        GEMM.choice(gemm(dtype_acc=Dtype.FP16), ARCH)
