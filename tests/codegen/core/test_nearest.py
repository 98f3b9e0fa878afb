# SPDX-License-Identifier: MIT
"""The nearest legal spec, and refusals that name it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from ckgen.core.nearest import describe_change, distance, nearest_legal, refusal
from ckgen.core.rules import Rule, first_violation
from ckgen.core.tile import Extents
from ckgen.families import FAMILIES
from ckgen.fmha.spec import FmhaSpec
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.rules.fused import OPERATIONS_OF_INTEGERS
from ckgen.product.spec import Dtype, FusedOp
from codegen_support import GEMM, TOY, Color, ToyFamily, ToySpec, gemm, target

FMHA_BASE = cast(
    FmhaSpec, FAMILIES["fmha"].parse_name("fmha_sum_fp16_batch_h256x256_t64_w4_p1x0x1x1_o2")
)


def test_a_legal_spec_is_its_own_nearest() -> None:
    spec = ToySpec(Color.RED, 8)
    assert nearest_legal(TOY, spec, target()) is spec


def test_several_violations_are_repaired_together() -> None:
    nearest = nearest_legal(TOY, ToySpec(Color.BLUE, 100), target("gfx1100"))
    assert nearest == ToySpec(Color.GREEN, 32)


def test_where_nothing_is_legal_nothing_is_found() -> None:
    assert nearest_legal(TOY, ToySpec(Color.BLUE, 100), target(wave_size=4)) is None


class MatchingToys(ToyFamily):
    """Toys that are red if they are small and of another colour if they are not, and never red."""

    rules = (
        Rule(
            "toy.matching",
            "Red toys have size 8, others 16.",
            ("color", "size"),
            lambda spec, where: None if (spec.size == 8) is (spec.color is Color.RED) else "no",
        ),
        Rule(
            "toy.not_red",
            "A toy must not be red.",
            ("color",),
            lambda spec, where: "it is red" if spec.color is Color.RED else None,
        ),
    )


def test_a_change_that_breaks_a_rule_before_is_mended_by_another() -> None:
    nearest = nearest_legal(MatchingToys(), ToySpec(Color.RED, 8), target())
    assert nearest == ToySpec(Color.GREEN, 16)


def test_a_small_change_is_preferred_to_a_large_one() -> None:
    nearest = nearest_legal(GEMM, gemm(warp_tile=(32, 32, 4)), target())
    assert nearest == gemm(warp_tile=(32, 32, 8))


@pytest.mark.parametrize(
    ("op", "ds", "meant", "then"),
    [
        (FusedOp.RELU, 1, FusedOp.MULTI_D_ADD_RELU, 1),
        (FusedOp.FAST_GELU, 3, FusedOp.MULTI_D_ADD_FAST_GELU, 3),
        (FusedOp.PASS_THROUGH, 2, FusedOp.MULTI_D_ADD, 2),
        (FusedOp.GELU, 7, FusedOp.MULTI_D_ADD_GELU, 4),
        (FusedOp.MULTI_D_MULTIPLY, 5, FusedOp.MULTI_D_MULTIPLY, 4),
        (FusedOp.MULTI_D_ADD_TANH, 0, FusedOp.TANH, 0),
        (FusedOp.MULTI_D_ADD, 0, FusedOp.MULTI_D_ADD, 1),
        (FusedOp.MULTI_D_MULTIPLY, 0, FusedOp.MULTI_D_MULTIPLY, 1),
    ],
)
def test_a_fused_operation_keeps_its_mathematics(
    op: FusedOp, ds: int, meant: FusedOp, then: int
) -> None:
    spec = gemm(variant=Variant.MULTI_D, fused_op=op, d_count=ds)
    nearest = nearest_legal(GEMM, spec, target())
    assert nearest == replace(spec, fused_op=meant, d_count=then)


def test_integers_have_no_gelu_so_that_another_operation_is_the_nearest() -> None:
    spec = gemm(
        variant=Variant.MULTI_D,
        fused_op=FusedOp.GELU,
        d_count=1,
        dtype_a=Dtype.INT8,
        dtype_b=Dtype.INT8,
        dtype_c=Dtype.INT32,
        dtype_acc=Dtype.INT32,
    )
    nearest = nearest_legal(GEMM, spec, target())
    assert nearest is not None
    assert cast(GemmSpec, nearest).fused_op in OPERATIONS_OF_INTEGERS


def test_a_convolution_with_a_bias_keeps_its_mathematics() -> None:
    conv = FAMILIES["grouped_conv"]
    name = "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"
    nearest = nearest_legal(conv, conv.parse_name(f"{name}_Silu_d1"), target())
    assert nearest == conv.parse_name(f"{name}_MultiDAddSilu_d1")


def test_no_choice_is_near_that_computes_something_else() -> None:
    conv = FAMILIES["grouped_conv"]
    name = "fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"
    forward = conv.parse_name(f"grouped_conv_fwd_{name}_Relu_d0")
    assert conv.is_legal(forward, target())
    # Gradients have no operation: neither forward nor a gradient without it was wished for.
    backward = conv.parse_name(f"grouped_conv_bwd_weight_{name}_Relu_d0")
    assert not conv.is_legal(backward, target())
    assert nearest_legal(conv, backward, target()) is None
    merged = conv.parse_name(f"grouped_conv_fwd_{name}_merge2_Relu_d0")
    assert nearest_legal(conv, merged, target()) == forward


def test_distance_grows_with_the_change() -> None:
    base = gemm()
    assert distance(base, base, {}) == 0
    near = distance(base, gemm(tile=(128, 128, 64)), {})
    far = distance(base, gemm(tile=(128, 128, 256)), {})
    assert 0 < near < far
    assert distance(base, gemm(tile=(128, 128, 64)), {"tile": 10.0}) == 10 * near


def test_rows_of_extents_differ_more_where_they_are_of_other_lengths() -> None:
    def spec(*tile: int) -> FmhaSpec:
        return replace(FMHA_BASE, tile=Extents(tile))

    near, far = distance(spec(64, 32), spec(64, 64), {}), distance(spec(64, 32), spec(64, 128), {})
    assert 0 < near < far < distance(spec(64, 32), spec(*range(9)), {})
    assert describe_change(spec(64), spec()) == "tile of no extents"
    assert describe_change(spec(64), spec(64, 32)) == "tile 64x32"


def test_a_refusal_names_rule_values_and_nearest_choice() -> None:
    spec = gemm(tile=(100, 128, 32))
    finding = first_violation(GEMM.rules, spec, target())
    assert finding is not None
    assert refusal(GEMM, finding, spec, target()) == (
        "gemm.tile_divisible: tile 100x128x32 is not a multiple of 64x64x16, which waves 2x2x1 "
        "with warp tile 32x32x16 cover; the nearest legal choice is tile 128x128x32"
    )


def test_a_refusal_without_a_legal_neighbour_says_so() -> None:
    where = target(wave_layouts=())
    spec = gemm()
    finding = first_violation(GEMM.rules, spec, where)
    assert finding is not None
    assert refusal(GEMM, finding, spec, where).endswith("; no similar kernel is legal on gfx942")


def test_changes_read_like_the_fields() -> None:
    changed = gemm(tile=(64, 64, 32), pad_m=True)
    assert describe_change(gemm(), changed) == "tile 64x64x32 and pad_m true"
    assert describe_change(gemm(), gemm()) == "the same"
