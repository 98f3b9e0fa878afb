# SPDX-License-Identifier: MIT
"""Both sides of the rules about variants: fused operations, shared k, preshuffled weights."""

from __future__ import annotations

from typing import Any

from ckarch import Fp8Encoding
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Pipeline, Scheduler, SplitK
from codegen_support import gemm, of_variant, target
from rule_case import Case


def _multi_d(**changes: Any) -> GemmSpec:
    return of_variant(Variant.MULTI_D, **changes)


def _activated(**changes: Any) -> GemmSpec:
    return _multi_d(**{"fused_op": FusedOp.RELU, "d_count": 0, **changes})


def _batched(**changes: Any) -> GemmSpec:
    return of_variant(Variant.BATCHED, **changes)


def _grouped(**changes: Any) -> GemmSpec:
    return of_variant(Variant.GROUPED, **changes)


def _stream_k(**changes: Any) -> GemmSpec:
    return of_variant(Variant.STREAM_K, **changes)


def _preshuffle(**changes: Any) -> GemmSpec:
    return of_variant(Variant.PRESHUFFLE, **changes)


def _integers(**changes: Any) -> GemmSpec:
    int8 = {
        "dtype_a": Dtype.INT8,
        "dtype_b": Dtype.INT8,
        "dtype_c": Dtype.INT32,
        "dtype_d": Dtype.INT32,
    }
    base = {**int8, "dtype_acc": Dtype.INT32, "tile": (128, 128, 64), "pipeline": Pipeline.COMPV3}
    return gemm(**{**base, **changes})


def _fp32_from_fp16_ds(epilogue: Epilogue) -> GemmSpec:
    return _multi_d(dtype_c=Dtype.FP32, dtype_d=Dtype.FP16, epilogue=epilogue)


VARIANT_CASES = [
    Case(
        "gemm.fused_op_variant",
        _activated(),
        _activated(variant=Variant.STANDARD),
        "the fused operation Relu goes with the variant multi_d",
    ),
    Case(
        "gemm.fused_op_variant",
        _multi_d(),
        _multi_d(variant=Variant.BATCHED),
        "the fused operation MultiDAdd goes with the variant multi_d",
    ),
    Case(
        "gemm.fused_op_variant",
        gemm(),
        gemm(variant=Variant.MULTI_D),
        "the variant multi_d needs a fused operation other than PassThrough",
    ),
    Case(
        "gemm.d_tensors",
        _multi_d(d_count=1),
        _multi_d(d_count=0),
        f"MultiDAdd takes 1 to {MAX_DS} D tensors, not 0",
    ),
    Case(
        "gemm.d_tensors",
        _multi_d(d_count=MAX_DS),
        _multi_d(d_count=MAX_DS + 1),
        f"MultiDAdd takes 1 to {MAX_DS} D tensors, not {MAX_DS + 1}",
    ),
    Case("gemm.d_tensors", _activated(), _activated(d_count=1), "Relu takes no D tensors, not 1"),
    Case("gemm.d_tensors", gemm(), gemm(d_count=2), "PassThrough takes no D tensors, not 2"),
    Case(
        "gemm.d_unused",
        _multi_d(dtype_d=Dtype.FP32),
        gemm(dtype_d=Dtype.FP32),
        "without D tensors their dtype is C's and their layout r",
    ),
    Case(
        "gemm.d_unused",
        _multi_d(d_layout=DLayout.COLUMNS),
        _activated(d_layout=DLayout.COLUMNS),
        "without D tensors their dtype is C's and their layout r",
    ),
    Case(
        "gemm.d_dtype",
        _multi_d(dtype_d=Dtype.INT8),
        _multi_d(dtype_d=Dtype.PK_FP4),
        "D tensors of pk_fp4, of which 2 share a byte, would be read as bytes",
    ),
    Case(
        "gemm.d_dtype",
        _multi_d(dtype_d=Dtype.BF16),
        _multi_d(dtype_d=Dtype.FP8),
        "gfx942 has no encoding for D tensors of fp8",
        target(fp8_encoding=Fp8Encoding.NONE),
    ),
    Case(
        "gemm.fused_integers",
        _integers(variant=Variant.MULTI_D, fused_op=FusedOp.RELU),
        _integers(variant=Variant.MULTI_D, fused_op=FusedOp.TANH),
        "CK has no Tanh of int32, in which int8 accumulates",
    ),
    Case(
        "gemm.d_integers",
        _integers(variant=Variant.MULTI_D, fused_op=FusedOp.MULTI_D_ADD, d_count=1),
        _integers(
            variant=Variant.MULTI_D, fused_op=FusedOp.MULTI_D_ADD, d_count=1, dtype_d=Dtype.FP32
        ),
        "D tensors of fp32 would lose their fractions, because int8 accumulates in int32",
    ),
    Case(
        "gemm.fused_epilogue",
        _activated(),
        _activated(epilogue=Epilogue.DEFAULT),
        "the default epilogue ignores Relu, because it has no D tensors",
    ),
    Case(
        "gemm.fused_epilogue",
        _fp32_from_fp16_ds(Epilogue.CSHUFFLE),
        _fp32_from_fp16_ds(Epilogue.DEFAULT),
        "the default epilogue would round the result to fp16, the dtype of the D tensors",
    ),
    Case(
        "gemm.fused_epilogue",
        _multi_d(epilogue=Epilogue.DEFAULT),
        _multi_d(epilogue=Epilogue.DEFAULT, dtype_d=Dtype.BF16),
        "the default epilogue would round the result to bf16",
    ),
    Case(
        "gemm.fused_epilogue",
        _multi_d(epilogue=Epilogue.DEFAULT, dtype_d=Dtype.FP32),
        _multi_d(epilogue=Epilogue.DEFAULT, dtype_d=Dtype.FP8),
        "the default epilogue would round the result to fp8",
    ),
    Case(
        "gemm.parts_variant",
        _stream_k(),
        _stream_k(split_k=SplitK.NONE),
        "stream_k shares tiles between workgroups, and split_k none does not add up",
    ),
    Case(
        "gemm.parts_variant",
        gemm(split_k=SplitK.ATOMIC),
        _batched(split_k=SplitK.ATOMIC),
        "the variant batched computes the k of a tile whole",
    ),
    Case(
        "gemm.parts_variant",
        gemm(split_k=SplitK.WORKSPACE),
        _grouped(split_k=SplitK.WORKSPACE),
        "the variant grouped computes the k of a tile whole",
    ),
    Case(
        "gemm.parts_variant",
        _stream_k(split_k=SplitK.WORKSPACE),
        _multi_d(split_k=SplitK.WORKSPACE),
        "the variant multi_d computes the k of a tile whole",
    ),
    Case(
        "gemm.parts_variant",
        _preshuffle(),
        _preshuffle(split_k=SplitK.ATOMIC),
        "the variant preshuffle computes the k of a tile whole",
    ),
    Case(
        "gemm.persistent_anyway",
        _batched(persistent=True),
        _grouped(persistent=True),
        "the variant grouped decides itself which workgroup computes which tile",
    ),
    Case(
        "gemm.persistent_anyway",
        gemm(split_k=SplitK.ATOMIC, persistent=True),
        _stream_k(persistent=True),
        "the variant stream_k decides itself which workgroup computes which tile",
    ),
    Case(
        "gemm.persistent_variant",
        _preshuffle(persistent=True),
        gemm(split_k=SplitK.WORKSPACE, persistent=True),
        "parts of k for a workspace are computed by workgroups of their own",
    ),
    Case(
        "gemm.persistent_variant",
        _multi_d(persistent=True),
        _multi_d(persistent=True, d_layout=DLayout.COLUMNS),
        "D tensors by columns are read by a workgroup that computes one tile",
    ),
    Case(
        "gemm.stream_k_shallow",
        _stream_k(pipeline=Pipeline.COMPV6, pad_k=True),
        _stream_k(pipeline=Pipeline.COMPV6),
        "a share may be one tile of k deep, and compv6 reads three",
    ),
    Case(
        "gemm.stream_k_shallow",
        _stream_k(pipeline=Pipeline.COMPV6, layout=Layout.CRR),
        _stream_k(pipeline=Pipeline.COMPV6, layout=Layout.CCR),
        "a share may be one tile of k deep, and compv6 reads three",
    ),
    Case(
        "gemm.preshuffle_pipeline",
        _preshuffle(),
        _preshuffle(pipeline=Pipeline.COMPV3),
        "the pipeline compv3 does not go with the variant preshuffle",
    ),
    Case(
        "gemm.preshuffle_pipeline",
        gemm(),
        gemm(pipeline=Pipeline.PRESHUFFLEV2, scheduler=Scheduler.DEFAULT),
        "the pipeline preshufflev2 does not go with the variant standard",
    ),
    Case(
        "gemm.preshuffle_scheduler",
        _preshuffle(),
        _preshuffle(scheduler=Scheduler.INTRAWAVE),
        "the pipeline preshufflev2 has one scheduler, default, and not intrawave",
    ),
    Case(
        "gemm.preshuffle_pipeline",
        gemm(),
        gemm(scheduler=Scheduler.DEFAULT),
        "the scheduler default does not go with the pipeline compv4",
    ),
    Case(
        "gemm.preshuffle_layout",
        _preshuffle(),
        _preshuffle(layout=Layout.RRR),
        "weights are preshuffled from columns, and the layout is rrr",
    ),
    Case(
        "gemm.preshuffle_layout",
        _preshuffle(),
        _preshuffle(layout=Layout.CCR),
        "weights are preshuffled from columns, and the layout is ccr",
        alone=False,
    ),
    Case(
        "gemm.preshuffle_warp_tile",
        _preshuffle(tile=(64, 64, 64), epilogue=Epilogue.DEFAULT),
        _preshuffle(tile=(64, 64, 64), warp_tile=(64, 4, 16), epilogue=Epilogue.DEFAULT),
        "warp tile 64x4x16 is 4 columns wide",
    ),
    Case(
        "gemm.preshuffle_warp_tile",
        _preshuffle(tile=(64, 64, 128), warp_tile=(16, 16, 32), waves=(1, 4, 1)),
        _preshuffle(tile=(64, 64, 128), warp_tile=(16, 16, 64), waves=(1, 4, 1)),
        "CK has no warp tile 16x16x64 of fp16_fp16_fp32 on gfx950",
        target("gfx950"),
    ),
    Case(
        "gemm.preshuffle_lds",
        _preshuffle(tile=(32, 64, 64), warp_tile=(16, 16, 16)),
        _preshuffle(tile=(64, 256, 256), waves=(4, 1, 1), warp_tile=(16, 16, 16)),
        "a lane reads 8 bytes of A at a time, which is not a multiple of 16",
    ),
    Case(
        "gemm.preshuffle_lds",
        _preshuffle(tile=(128, 128, 16), warp_tile=(32, 32, 8)),
        _preshuffle(tile=(64, 128, 16), warp_tile=(32, 32, 8)),
        "the waves write 128 rows of A at a time, not the 64 of the tile",
    ),
    Case(
        "gemm.preshuffle_lds",
        _preshuffle(tile=(128, 128, 64)),
        _preshuffle(tile=(96, 256, 32), waves=(2, 2, 1), epilogue=Epilogue.DEFAULT),
        "the waves write 64 rows of A at a time, not the 96 of the tile",
        target("gfx950"),
    ),
    Case(
        "gemm.preshuffle_lds",
        _preshuffle(),
        _preshuffle(dtype_a=Dtype.FP8, dtype_b=Dtype.FP8, tile=(128, 128, 8), waves=(2, 2, 1)),
        "a row of the A tile takes 8/16 lanes, which do not divide a wave",
        alone=False,
    ),
    Case(
        "gemm.warp_tile_supported",
        _preshuffle(warp_tile=(16, 16, 32)),
        of_variant(Variant.STANDARD, tile=(64, 64, 64), warp_tile=(16, 16, 64)),
        "warp tile 16x16x64 is not among those of gfx950 for fp16_fp16_fp32 (",
        target("gfx950"),
    ),
    Case(
        "gemm.warp_tile_supported",
        _preshuffle(),
        _preshuffle(warp_tile=(4, 64, 16)),
        "warp tile 4x64x16 is not among those of gfx942 for preshuffled fp16_fp16_fp32 (",
        alone=False,
    ),
]
