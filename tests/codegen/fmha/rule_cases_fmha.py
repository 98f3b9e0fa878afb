# SPDX-License-Identifier: MIT
"""Both sides of every rule of attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ckgen.core.target import Target
from ckgen.fmha.spec import FmhaSpec
from codegen_support import target
from fmha_support import fmha

GFX908, GFX90A, GFX942, GFX950 = (
    target("gfx908"),
    target("gfx90a"),
    target("gfx942"),
    target("gfx950"),
)
GFX1100, GFX1201 = target("gfx1100"), target("gfx1201")


@dataclass(frozen=True)
class FmhaCase:
    """A kernel that a rule accepts, one that it refuses, and what it says about the latter.

    ``alone``: no other rule refuses it, so that only this rule keeps it out.
    """

    rule: str
    accepts: FmhaSpec
    refuses: FmhaSpec
    says: str
    where: Target = GFX942
    alone: bool = True


_SMALL: dict[str, Any] = {
    "tile": (64, 64, 32, 64, 32, 64),
    "waves": (4, 1, 1),
    "warp_tile": (16, 16, 16),
    "occupancy": 1,
}
"""A tile of head size 64 that every GPU takes."""
_BACK: dict[str, Any] = {"variant": "dq_dk_dv"}
_TRLOAD: dict[str, Any] = {
    "pipeline": "trload",
    "tile": (32, 32, 64, 64, 32, 64),
    "pads": (1, 1, 1, 1),
}
_V3: dict[str, Any] = {"pipeline": "v3", "hdim_q": 128, "tile": (256, 32, 128, 128, 32, 128)}
_FEW: dict[str, Any] = {**_BACK, "pipeline": "qr_trload"}
_ASYNC: dict[str, Any] = {"pipeline": "qr_async"}
_SPLIT: dict[str, Any] = {"variant": "splitkv"}
_COMBINE: dict[str, Any] = {"variant": "combine", "max_splits": 8}
_PAGED: dict[str, Any] = {"variant": "pagedkv", "hdim_q": 128}
_PREFILL: dict[str, Any] = {"variant": "batch_prefill", "hdim_q": 128}
_APPEND: dict[str, Any] = {"variant": "appendkv"}
_CONVERT: dict[str, Any] = {"variant": "convert_dq"}
_FP8: dict[str, Any] = {"dtype": "fp8", "hdim_q": 128}

SIGNATURE_CASES = [
    FmhaCase(
        "fmha.variant_on_gpu",
        fmha(**_SPLIT, **_SMALL),
        fmha(**_PREFILL, occupancy=1),
        "gfx1201 has no loads straight to LDS",
        GFX1201,
        alone=False,
    ),
    FmhaCase(
        "fmha.variant_on_gpu",
        fmha(**_COMBINE),
        fmha(variant="dot_do_o"),
        "CK's dot_do_o does not fit the matrix instructions of gfx1100",
        GFX1100,
        alone=False,
    ),
    FmhaCase(
        "fmha.dtype_of_variant",
        fmha(variant="sum", hdim_q=256),
        fmha(variant="sum", hdim_q=256, dtype="fp8"),
        "sum is not made for fp8, only for fp16, bf16, fp32",
        alone=False,
    ),
    FmhaCase(
        "fmha.dtype_of_variant",
        fmha(**_SPLIT),
        fmha(**_SPLIT, dtype="fp32", **_SMALL),
        "splitkv is not made for fp32, only for fp16, bf16, fp8, fp8bf16",
        alone=False,
    ),
    FmhaCase("fmha.fp8_on_gpu", fmha(), fmha(**_FP8), "gfx90a has no instructions for fp8", GFX90A),
    FmhaCase(
        "fmha.fp8_on_gpu",
        fmha(variant="sink", hdim_q=256),
        fmha(**_FP8),
        "gfx1100 has no instructions for fp8",
        GFX1100,
        alone=False,
    ),
    FmhaCase(
        "fmha.fp32_on_gpu",
        fmha(**_SMALL),
        fmha(dtype="fp32", **_SMALL),
        "gfx1201 does not multiply fp32",
        GFX1201,
        alone=False,
    ),
    FmhaCase(
        "fmha.mode_of_variant",
        fmha(**_APPEND),
        fmha(**_APPEND, mode="group"),
        "appendkv has no kernels of mode group",
    ),
    FmhaCase(
        "fmha.features_of_variant",
        fmha(dropout=True, occupancy=1),
        fmha(**_SPLIT, dropout=True),
        "splitkv has no dropout, only mask, lse",
    ),
    FmhaCase(
        "fmha.features_of_variant",
        fmha(**_BACK, mask=True),
        fmha(**_BACK, soft_cap=True),
        "dq_dk_dv has no soft_cap",
    ),
    FmhaCase(
        "fmha.features_always_on",
        fmha(**_SPLIT),
        fmha(**_SPLIT, lse=False),
        "splitkv always has lse",
    ),
    FmhaCase(
        "fmha.features_always_on",
        fmha(**_PAGED),
        fmha(**_PAGED, paged=False),
        "pagedkv always has paged",
    ),
    FmhaCase(
        "fmha.bias_of_variant",
        fmha(bias="alibi"),
        fmha(**_COMBINE, bias="alibi"),
        "combine computes no scores",
    ),
    FmhaCase(
        "fmha.rotary_of_variant",
        fmha(**_APPEND, rotary="half"),
        fmha(rotary="half"),
        "fwd rotates nothing",
    ),
    FmhaCase(
        "fmha.fp8_append",
        fmha(**_APPEND, dtype="fp8"),
        fmha(**_APPEND, dtype="fp8", rotary="half"),
        "appendkv cannot rotate fp8",
    ),
    FmhaCase(
        "fmha.fp8_append",
        fmha(**_APPEND, paged=True),
        fmha(**_APPEND, dtype="fp8", paged=True),
        "appendkv of fp8 has no pages",
    ),
    FmhaCase(
        "fmha.soft_cap_without_bias",
        fmha(soft_cap=True),
        fmha(soft_cap=True, bias="alibi"),
        "the soft cap does not go with alibi bias",
    ),
    FmhaCase(
        "fmha.scales_of_fp8", fmha(**_FP8, scales=True), fmha(scales=True), "fp16 is not scaled"
    ),
    FmhaCase(
        "fmha.fp8_features",
        fmha(**_FP8, mask=True),
        fmha(**_FP8, dropout=True),
        "fp8 has no dropout",
    ),
    FmhaCase("fmha.fp8_features", fmha(**_FP8), fmha(**_FP8, soft_cap=True), "fp8 has no soft cap"),
    FmhaCase(
        "fmha.skip_in_groups",
        fmha(mode="group", skip_min=True),
        fmha(skip_min=True),
        "in mode batch all sequences have the same rows",
    ),
    FmhaCase(
        "fmha.merged_heads",
        fmha(**_SPLIT, merged=True),
        fmha(**_SPLIT, merged=True, mask=True),
        "merged heads do not go with a mask",
    ),
    FmhaCase(
        "fmha.merged_heads",
        fmha(**_SPLIT, bias="alibi"),
        fmha(**_SPLIT, merged=True, bias="alibi"),
        "merged heads do not go with alibi bias",
    ),
    FmhaCase(
        "fmha.merged_in_batches",
        fmha(**_SPLIT, mode="group"),
        fmha(**_SPLIT, merged=True, mode="group"),
        "merged heads are for mode batch",
    ),
    FmhaCase(
        "fmha.bias_grad_of_bias",
        fmha(**_BACK, bias="elementwise", bias_grad=True),
        fmha(**_BACK, bias="alibi", bias_grad=True),
        "alibi bias has no gradient",
    ),
    FmhaCase(
        "fmha.bias_grad_of_bias",
        fmha(**_BACK),
        fmha(**_BACK, bias_grad=True),
        "there is no bias to have a gradient",
    ),
    FmhaCase(
        "fmha.parts_to_combine",
        fmha(**_COMBINE),
        fmha(variant="combine", max_splits=24),
        "combine takes up to 8, 16, 32, 64, 128 parts, not 24",
    ),
    FmhaCase("fmha.parts_to_combine", fmha(), fmha(max_splits=8), "fwd combines nothing"),
]

PIPELINE_CASES = [
    FmhaCase(
        "fmha.pipeline_of_variant",
        fmha(**_ASYNC),
        fmha(**_SPLIT, pipeline="qr_async", **_SMALL),
        "splitkv has the pipelines qr, not qr_async",
    ),
    FmhaCase(
        "fmha.pipeline_of_variant",
        fmha(**_COMBINE),
        fmha(**_COMBINE, pipeline="qr", tile=(32,)),
        "combine has the pipelines none, not qr",
    ),
    FmhaCase(
        "fmha.async_on_gpu",
        fmha(**_SMALL),
        fmha(**_ASYNC, **_SMALL),
        "gfx1201 has no loads straight to LDS, which qr_async needs",
        GFX1201,
    ),
    FmhaCase(
        "fmha.transposing_on_gpu",
        fmha(),
        fmha(**_TRLOAD),
        "gfx942 has no transposing reads from LDS, which trload needs",
    ),
    FmhaCase(
        "fmha.transposing_on_gpu",
        fmha(**_BACK),
        fmha(**_FEW),
        "gfx942 has no transposing reads from LDS, which qr_trload needs",
    ),
    FmhaCase(
        "fmha.pipeline_dtype",
        fmha(**_ASYNC, dtype="bf16"),
        fmha(**_ASYNC, dtype="fp32", **_SMALL),
        "the pipeline qr_async is for fp16 and bf16, not fp32",
    ),
    FmhaCase(
        "fmha.trload_features",
        fmha(**_TRLOAD, mask=True, lse=True),
        fmha(**_TRLOAD, dropout=True),
        "the pipeline trload has no dropout",
        GFX950,
    ),
    FmhaCase(
        "fmha.trload_features",
        fmha(**_TRLOAD),
        fmha(**_TRLOAD, bias="alibi"),
        "the pipeline trload has no alibi bias",
        GFX950,
    ),
    FmhaCase(
        "fmha.v3_features",
        fmha(**_V3, mask=True, lse=True),
        fmha(**_V3, dropout=True),
        "the pipeline v3 has no dropout",
        GFX950,
    ),
    FmhaCase(
        "fmha.v3_mode",
        fmha(**_V3),
        fmha(**_V3, mode="group"),
        "the pipeline v3 does not know packed sequences",
        GFX950,
    ),
    FmhaCase(
        "fmha.few_rows_mode",
        fmha(**_FEW),
        fmha(**_FEW, mode="group"),
        "the pipeline qr_trload does not know packed sequences",
        GFX950,
    ),
    FmhaCase(
        "fmha.few_rows_mode",
        fmha(**_FEW),
        fmha(**_FEW, mask=True),
        "the pipeline qr_trload has no mask",
        GFX950,
    ),
    FmhaCase(
        "fmha.few_rows_order",
        fmha(**_BACK, deterministic=True),
        fmha(**_FEW, deterministic=True),
        "is not made deterministic",
        GFX950,
    ),
    FmhaCase(
        "fmha.few_rows_bias",
        fmha(**_FEW, bias="alibi"),
        fmha(**_FEW, bias="elementwise"),
        "adds the bias of other keys than those it has",
        GFX950,
    ),
    FmhaCase(
        "fmha.few_rows_slopes",
        fmha(**_FEW, hdim_q=128),
        fmha(**_FEW, hdim_q=128, bias="alibi"),
        "has slopes for head sizes up to 64, not 128",
        GFX950,
    ),
]

HEAD_CASES = [
    FmhaCase(
        "fmha.head_size_range",
        fmha(),
        fmha(hdim_q=60, **_SMALL),
        "hdim_q 60 is not a multiple of 8 from 8 to 256",
        alone=False,
    ),
    FmhaCase(
        "fmha.head_size_range",
        fmha(hdim_q=256),
        fmha(hdim_q=512, **_SMALL),
        "hdim_q 512 is not a multiple of 8 from 8 to 256",
        alone=False,
    ),
    FmhaCase(
        "fmha.one_head_size",
        fmha(hdim_q=192, hdim_v=128),
        fmha(**_PAGED, hdim_v=64, pads=(1, 1, 1, 1), tile=(128, 128, 32, 128, 32, 128)),
        "pagedkv has one head size, not 128 and 64",
        alone=False,
    ),
    FmhaCase(
        "fmha.head_size_on_gpu",
        fmha(hdim_q=96, hdim_v=128),
        fmha(hdim_q=96, pads=(1, 1, 1, 1), **_SMALL | {"tile": (64, 64, 32, 128, 32, 96)}),
        "fwd of fp16 has no head size 96 on gfx942, only 32, 64, 96 with 128, 128",
    ),
    FmhaCase(
        "fmha.head_size_on_gpu",
        fmha(**_SMALL),
        fmha(hdim_q=32, **_SMALL | {"tile": (64, 32, 16, 32, 32, 32)}),
        "fwd of fp16 has no head size 32 on gfx1100, only 64, 128",
        GFX1100,
    ),
    FmhaCase(
        "fmha.unequal_heads",
        fmha(hdim_q=192, hdim_v=128, mask=True),
        fmha(hdim_q=192, hdim_v=128, bias="alibi"),
        "head sizes 192 with 128 have no alibi bias",
    ),
    FmhaCase(
        "fmha.unequal_heads",
        fmha(hdim_q=192, dropout=True),
        fmha(hdim_q=192, hdim_v=128, dropout=True),
        "head sizes 192 with 128 have no dropout",
    ),
    FmhaCase(
        "fmha.transposing_heads",
        fmha(**_TRLOAD),
        fmha(
            pipeline="trload",
            hdim_q=32,
            tile=(32, 32, 16, 32, 16, 32),
            waves=(1, 1, 1),
            warp_tile=(32, 32, 16),
        ),
        "the pipeline trload is for head sizes of 64 or 128, not 32 with 32",
        GFX950,
    ),
]

GEOMETRY_CASES = [
    FmhaCase(
        "fmha.extents_complete",
        fmha(),
        fmha(tile=(128, 64, 32)),
        "tile of fwd has 6 numbers, not 3",
    ),
    FmhaCase(
        "fmha.extents_complete",
        fmha(**_COMBINE),
        fmha(**_COMBINE, warp_tile=(16, 16, 16)),
        "warp_tile of combine has 0 numbers, not 3",
    ),
    FmhaCase(
        "fmha.extents_positive",
        fmha(),
        fmha(tile=(128, 64, 32, 64, 0, 64)),
        "tile 128x64x32x64x0x64 has an extent of 0",
    ),
    FmhaCase(
        "fmha.fixed_tile",
        fmha(**_COMBINE),
        fmha(**_COMBINE, waves=(2,)),
        "combine is written for tile 32 and waves 4, not 32 and 2",
    ),
    FmhaCase(
        "fmha.append_tile",
        fmha(**_APPEND),
        fmha(**_APPEND, tile=(64, 32)),
        "appendkv is written for tile 64x64, not 64x32",
    ),
    FmhaCase(
        "fmha.converted_columns",
        fmha(**_CONVERT, deterministic=True, tile=(64, 128)),
        fmha(**_CONVERT, deterministic=True, tile=(64, 64)),
        "dq_dk_dv of head size 64 makes slices of 128 columns, not 64",
    ),
    FmhaCase(
        "fmha.converted_columns",
        fmha(**_CONVERT),
        fmha(**_CONVERT, tile=(64, 128)),
        "that is not deterministic has no slices of 128 columns",
    ),
    FmhaCase(
        "fmha.tile_covers_heads",
        fmha(),
        fmha(**_SMALL | {"tile": (64, 64, 16, 64, 32, 32)}),
        "bk0max 32 is less than hdim_q 64",
    ),
    FmhaCase(
        "fmha.tile_covers_heads",
        fmha(),
        fmha(**_SMALL | {"tile": (64, 64, 32, 32, 32, 64)}),
        "bn1 32 is less than hdim_v 64",
    ),
    FmhaCase(
        "fmha.qualified_depth",
        fmha(),
        fmha(pads=(1, 1, 1, 1), **_SMALL | {"tile": (64, 64, 16, 64, 32, 80)}),
        "bk0max 80 is neither 48",
    ),
    FmhaCase(
        "fmha.whole_steps",
        fmha(),
        fmha(**_SMALL | {"tile": (64, 64, 48, 64, 32, 64)}),
        "bk0 48 does not divide bk0max 64",
        alone=False,
    ),
    FmhaCase(
        "fmha.whole_steps",
        fmha(),
        fmha(**_SMALL | {"tile": (64, 64, 32, 64, 48, 64)}),
        "bk1 48 does not divide bn0 64",
    ),
    FmhaCase(
        "fmha.two_steps",
        fmha(),
        fmha(**_SMALL | {"tile": (64, 64, 64, 64, 32, 64)}),
        "bk0 64 is all of bk0max 64",
    ),
    FmhaCase(
        "fmha.v3_steps",
        fmha(**_V3),
        fmha(
            **_V3 | {"tile": (256, 64, 128, 128, 32, 128)}, waves=(8, 1, 1), warp_tile=(32, 32, 16)
        ),
        "v3 takes each product in one step",
        GFX950,
    ),
    FmhaCase(
        "fmha.waves_along_rows",
        fmha(),
        fmha(**_SMALL | {"waves": (2, 2, 1)}),
        "waves 2x2x1 divide the columns of a row",
    ),
    FmhaCase(
        "fmha.v3_waves",
        fmha(**_V3),
        fmha(**_V3, waves=(4, 1, 1)),
        "v3 is for 8 waves, not 4",
        GFX950,
        alone=False,
    ),
    FmhaCase(
        "fmha.tile_divisible",
        fmha(),
        fmha(tile=(100, 64, 32, 64, 32, 64), waves=(4, 1, 1), warp_tile=(32, 32, 16)),
        "bm0 100 is not a multiple of 128, which waves 4x1x1 with warp tile 32x32x16 cover",
    ),
    FmhaCase(
        "fmha.backward_depth",
        fmha(**_BACK),
        fmha(**_BACK, tile=(32, 128, 32, 32, 64, 32, 32), waves=(1, 4, 1, 4, 1, 1, 1, 4, 1)),
        "bk0 32 and bk2 64 are not the head sizes 64 and 64",
    ),
    FmhaCase(
        "fmha.backward_rows",
        fmha(**_BACK),
        fmha(**_BACK, tile=(32, 128, 64, 16, 64, 32, 32)),
        "bk1 16 and bk3 32 are not bm0 32",
    ),
    FmhaCase(
        "fmha.backward_waves",
        fmha(**_BACK),
        fmha(**_BACK, waves=(1, 4, 1, 2, 1, 1, 1, 4, 1)),
        "are not as many for each product",
    ),
    FmhaCase(
        "fmha.backward_divisible",
        fmha(**_BACK),
        fmha(**_BACK, tile=(32, 96, 64, 32, 64, 32, 32)),
        "q k' of 32x96x64 is not a multiple of 16x64x16",
    ),
    FmhaCase(
        "fmha.backward_steps",
        fmha(**_BACK),
        fmha(**_BACK, tile=(32, 128, 64, 32, 64, 32, 48)),
        "bk4 48 does not divide bn0 128",
    ),
    FmhaCase(
        "fmha.few_rows_waves",
        fmha(**_FEW),
        fmha(**_FEW, tile=(32, 128, 64, 32, 64, 32, 32), waves=(1, 4, 1, 4, 1, 1, 1, 4, 1)),
        "the pipeline qr_trload is for one wave",
        GFX950,
    ),
]

HARDWARE_CASES = [
    FmhaCase(
        "fmha.warp_tile_on_gpu",
        fmha(**_SMALL),
        fmha(**_SMALL | {"tile": (128, 64, 32, 64, 32, 64), "warp_tile": (32, 32, 16)}),
        "gfx1201 has no warp tile 32x32x16 for fp16, only 16x16x16",
        GFX1201,
    ),
    FmhaCase(
        "fmha.deep_warp_tile",
        fmha(**_SMALL),
        fmha(**_SMALL | {"warp_tile": (16, 16, 32)}),
        "gfx942 multiplies 16x16x32 by two instructions",
    ),
    FmhaCase(
        "fmha.fp8_warp_tile",
        fmha(**_FP8),
        fmha(**_FP8, warp_tile=(16, 16, 32)),
        "fp8 on gfx942 takes warp tile 32x32x32, not 16x16x32",
    ),
    FmhaCase(
        "fmha.block_size",
        fmha(**_SMALL),
        fmha(**_SMALL | {"tile": (512, 64, 32, 64, 32, 64), "waves": (32, 1, 1)}),
        "waves 32x1x1 are 2048 lanes, more than 1024",
    ),
    FmhaCase(
        "fmha.async_vectors",
        fmha(**_ASYNC),
        fmha(**_ASYNC, hdim_q=32),
        "K of 64x16 is not a multiple of the 2048 elements that gfx950",
        GFX950,
    ),
    FmhaCase(
        "fmha.wide_schedule",
        fmha(hdim_q=256),
        fmha(hdim_q=256, tile=(128, 32, 16, 256, 32, 256), waves=(4, 1, 1), warp_tile=(32, 32, 16)),
        "a wave has 2 matrix instructions in a step, which is no multiple of 8",
    ),
    FmhaCase(
        "fmha.lds_size",
        fmha(hdim_q=128, **_ASYNC),
        fmha(
            hdim_q=128,
            **_ASYNC,
            tile=(128, 512, 32, 128, 32, 128),
            waves=(4, 1, 1),
            warp_tile=(32, 32, 16),
        ),
        "it needs 110592 bytes of LDS, and a workgroup of gfx942 may use 65536",
    ),
    FmhaCase(
        "fmha.registers",
        fmha(hdim_q=256),
        fmha(
            hdim_q=256,
            tile=(256, 128, 32, 256, 32, 256),
            waves=(4, 1, 1),
            warp_tile=(32, 32, 16),
            occupancy=2,
        ),
        "a lane needs at least 512 registers, and has 256 at occupancy 2",
    ),
    FmhaCase(
        "fmha.occupancy_range",
        fmha(occupancy=1),
        fmha(occupancy=0),
        "the occupancy 0 is not from 1 to 8",
    ),
    FmhaCase(
        "fmha.v3_occupancy",
        fmha(**_V3),
        fmha(**_V3, occupancy=1),
        "v3 is for occupancy 2, not 1",
        GFX950,
    ),
    FmhaCase(
        "fmha.async_occupancy",
        fmha(**_ASYNC, hdim_q=128),
        fmha(**_ASYNC, hdim_q=128, occupancy=2),
        "qr_async of head size 128 spills at occupancy 2",
    ),
    FmhaCase(
        "fmha.atomic_sums",
        fmha(**_BACK, deterministic=True),
        fmha(**_BACK),
        "gfx942 cannot add fp32 to memory atomically",
        target("gfx942", buffer_atomic_adds=()),
    ),
]

PAD_CASES = [
    FmhaCase(
        "fmha.pad_values",
        fmha(**_BACK, pads=(1, 1, 8, 8)),
        fmha(pads=(1, 1, 8, 8)),
        "the pad 8 of hdim_q is none of 0, 1",
    ),
    FmhaCase(
        "fmha.pads_of_variant",
        fmha(**_CONVERT, pads=(0, 0, 1, 0)),
        fmha(**_CONVERT, pads=(1, 0, 1, 1)),
        "the pad of hdim_v is 0 in every convert_dq, not 1",
    ),
    FmhaCase(
        "fmha.group_pads",
        fmha(mode="group"),
        fmha(mode="group", pads=(1, 0, 0, 0)),
        "mode group needs the pad of keys",
    ),
    FmhaCase(
        "fmha.group_pads",
        fmha(**_COMBINE, mode="group"),
        fmha(**_COMBINE, mode="group", pads=(0, 0, 0, 0)),
        "mode group needs the pad of rows of q",
    ),
    FmhaCase(
        "fmha.async_pads",
        fmha(**_ASYNC, pads=(1, 0, 1, 1)),
        fmha(**_ASYNC, pads=(1, 1, 0, 0)),
        "qr_async pads rows of q, hdim_q and hdim_v",
    ),
    FmhaCase(
        "fmha.v3_pads",
        fmha(**_V3),
        fmha(**_V3, pads=(1, 1, 1, 1)),
        "v3 has pads 1x1x0x0, not 1x1x1x1",
        GFX950,
    ),
    FmhaCase(
        "fmha.transposing_pads",
        fmha(**_FEW, pads=(1, 1, 0, 0)),
        fmha(**_FEW, pads=(1, 1, 1, 1)),
        "pads head sizes by 0 or 8, not 1",
        GFX950,
    ),
    FmhaCase(
        "fmha.wide_bias_pads",
        fmha(dtype="fp8", pads=(0, 1, 0, 0), **_SMALL),
        fmha(dtype="fp8", pads=(0, 0, 0, 0), **_SMALL),
        "fp8 kernels for gfx1201 pad keys, not only as 0x0x0x0 says",
        GFX1201,
    ),
    FmhaCase(
        "fmha.converted_rows_pads",
        fmha(**_CONVERT, hdim_q=96, pads=(1, 0, 0, 0)),
        fmha(**_CONVERT, hdim_q=96, pads=(0, 0, 0, 0)),
        "convert_dq of hdim_q 96 pads rows, not only as 0x0x0x0 says",
    ),
    FmhaCase(
        "fmha.wide_tile_pads",
        fmha(**_SPLIT, hdim_q=96, pads=(1, 1, 1, 1)),
        fmha(**_SPLIT, hdim_q=96),
        "bn1 128 is more than hdim_v 96, which is not padded",
    ),
    FmhaCase(
        "fmha.wide_tile_pads",
        fmha(**_SMALL | {"tile": (64, 64, 32, 64, 32, 128)}, pads=(1, 1, 1, 0)),
        fmha(**_SMALL | {"tile": (64, 64, 32, 64, 32, 128)}),
        "bk0max 128 is more than hdim_q 64, which is not padded",
    ),
]

CASES = [
    *SIGNATURE_CASES,
    *PIPELINE_CASES,
    *HEAD_CASES,
    *GEOMETRY_CASES,
    *HARDWARE_CASES,
    *PAD_CASES,
]
