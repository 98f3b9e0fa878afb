# SPDX-License-Identifier: MIT
"""Both sides of the rules about the product itself: hardware, traits, shapes, memory, stores."""

from __future__ import annotations

from dataclasses import replace

from ckgen.gemm.spec import DLayout, GemmSpec, Variant
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Pipeline, Scheduler, SplitK
from codegen_support import ARCH, gemm, target
from rule_case import Case


def _fp8(**changes: object) -> GemmSpec:
    fp8 = {"dtype_a": Dtype.FP8, "dtype_b": Dtype.FP8, "pipeline": Pipeline.COMPV3}
    return gemm(**{**fp8, "tile": (128, 128, 128), **changes})


def _int8(**changes: object) -> GemmSpec:
    int8 = {"dtype_a": Dtype.INT8, "dtype_b": Dtype.INT8, "dtype_acc": Dtype.INT32}
    return _fp8(**{**int8, "warp_tile": (16, 16, 32), **changes})


def _fp4(**changes: object) -> GemmSpec:
    fp4 = {"dtype_a": Dtype.PK_FP4, "dtype_b": Dtype.PK_FP4, "warp_tile": (16, 16, 128)}
    return _fp8(**{**fp4, **changes})


def _async(**changes: object) -> GemmSpec:
    return gemm(**{"pipeline": Pipeline.COMP_ASYNC, "warp_tile": (16, 16, 32), **changes})


def _mixed(**changes: object) -> GemmSpec:
    return _fp8(**{"dtype_b": Dtype.BF8, "tile": (128, 128, 64), **changes})


def _uneven(**changes: object) -> GemmSpec:
    shape = {"tile": (192, 64, 32), "waves": (4, 1, 1), "warp_tile": (16, 16, 16)}
    return gemm(**{**shape, **changes})


def _rdna(**changes: object) -> GemmSpec:
    base = {"waves": (4, 2, 1), "warp_tile": (16, 16, 16), "pipeline": Pipeline.COMPV3}
    return gemm(**{**base, **changes})


def _bf16(**changes: object) -> GemmSpec:
    bf16 = {"dtype_a": Dtype.BF16, "dtype_b": Dtype.BF16, "dtype_c": Dtype.BF16}
    return gemm(**{**bf16, **changes})


def _sixteen_waves(**changes: object) -> GemmSpec:
    base = {"waves": (8, 2, 1), "warp_tile": (16, 16, 16), "epilogue": Epilogue.DEFAULT}
    return gemm(**{**base, **changes})


def _turns(**changes: object) -> GemmSpec:
    base = {"tile": (64, 64, 32), "waves": (1, 1, 2), "pipeline": Pipeline.COMPV5}
    return gemm(**{**base, "epilogue": Epilogue.DEFAULT, **changes})


_BIAS = {"variant": Variant.MULTI_D, "fused_op": FusedOp.MULTI_D_ADD, "d_count": 1}


def _narrow(**changes: object) -> GemmSpec:
    base = {"tile": (64, 64, 64), "waves": (4, 1, 1), "warp_tile": (4, 64, 16)}
    return gemm(**{**base, "pipeline": Pipeline.COMPV3, **changes})


def _odd_warp_tile(**changes: object) -> GemmSpec:
    return gemm(**{"tile": (64, 96, 32), "warp_tile": (16, 48, 16), **changes})


MEM = Pipeline.MEM
COMPV3 = Pipeline.COMPV3
WIDE_WAVES = target(wave_layouts=((2, 2, 1), (4, 4, 1), (8, 4, 1), (2, 2, 2), (1, 4, 1), (4, 1, 1)))

PRODUCT_CASES = [
    Case(
        "gemm.dtype_combination",
        gemm(),
        gemm(dtype_b=Dtype.FP8),
        "fp16 x fp8 is not a product that any GPU here computes",
        alone=False,
    ),
    Case(
        "gemm.dtype_combination",
        gemm(),
        gemm(dtype_acc=Dtype.FP16),
        "fp16 x fp16 accumulates in fp32, not in fp16",
        alone=False,
    ),
    Case(
        "gemm.dtype_combination",
        gemm(dtype_c=Dtype.BF16),
        gemm(dtype_c=Dtype.INT8),
        "fp16 x fp16 can be stored as fp16, bf16, fp32, not as int8",
    ),
    Case(
        "gemm.output_encoding",
        _fp8(dtype_c=Dtype.BF8),
        gemm(dtype_c=Dtype.FP8),
        "fp16 x fp16 does not say in which of its two encodings fp8 is meant",
    ),
    Case(
        "gemm.dtype_combination",
        _fp8(dtype_c=Dtype.FP8),
        _fp8(dtype_c=Dtype.INT8),
        "fp8 x fp8 can be stored as fp16, bf16, fp32, fp8, bf8, not as int8",
        alone=False,
    ),
    Case(
        "gemm.dtype_combination",
        _int8(dtype_c=Dtype.FP32),
        _int8(dtype_c=Dtype.INT8),
        "int8 x int8 can be stored as int32, fp16, fp32, not as int8",
    ),
    Case(
        "gemm.dtype_combination",
        _int8(dtype_c=Dtype.FP16),
        _int8(dtype_c=Dtype.BF16),
        "int8 x int8 can be stored as int32, fp16, fp32, not as bf16",
    ),
    Case(
        "gemm.dtype_combination",
        _rdna(),
        _rdna(dtype_a=Dtype.FP8, dtype_b=Dtype.FP8),
        "gfx1100 has no matrix instruction for fp8 x fp8",
        target("gfx1100"),
        alone=False,
    ),
    Case(
        "gemm.pipeline_supported",
        gemm(),
        gemm(pipeline=COMPV3),
        "gfx942 lacks what the pipeline compv3 needs",
        target(pipelines=("mem", "compv4")),
    ),
    Case(
        "gemm.wave_layout_supported",
        gemm(waves=(4, 1, 1)),
        gemm(waves=(4, 2, 1)),
        "waves 4x2x1 are not among those of gfx942 (1x4x1, 2x2x1, 4x1x1)",
    ),
    Case(
        "gemm.wave_layout_supported",
        _rdna(),
        _rdna(waves=(2, 2, 1)),
        "waves 2x2x1 are not among those of gfx1100",
        target("gfx1100"),
    ),
    Case(
        "gemm.wave_k",
        gemm(),
        gemm(waves=(2, 2, 2)),
        "waves 2x2x2 divide k among 2, and",
        WIDE_WAVES,
    ),
    Case(
        "gemm.wave_k",
        _turns(),
        _turns(waves=(2, 1, 2)),
        "the pipeline compv5 has waves 1x1x2, not 2x1x2",
    ),
    Case(
        "gemm.wave_k",
        _turns(),
        _turns(waves=(1, 1, 1)),
        "the pipeline compv5 has waves 1x1x2, not 1x1x1",
    ),
    Case(
        "gemm.accumulator_registers",
        _turns(),
        _turns(tile=(128, 128, 32)),
        "tile 128x128x32 with waves 1x1x2 needs 512 accumulators per lane",
    ),
    Case(
        "gemm.lds_capacity",
        _turns(),
        _turns(tile=(256, 128, 32)),
        "tile 256x128x32 with the pipeline compv5 needs 131072 bytes of LDS",
        alone=False,
    ),
    Case(
        "gemm.warp_tile_supported",
        gemm(warp_tile=(16, 16, 32)),
        gemm(warp_tile=(16, 16, 8)),
        "warp tile 16x16x8 is not among those of gfx942 for fp16_fp16_fp32 (32x32x8, ",
    ),
    Case(
        "gemm.warp_tile_correct",
        gemm(),
        _int8(dtype_c=Dtype.INT32),
        "warp tile 16x16x32 of int8_int8_int32 compiles but gives wrong results on gfx90a",
        target("gfx90a"),
    ),
    Case(
        "gemm.warp_tile_correct",
        gemm(),
        _int8(dtype_c=Dtype.INT32, warp_tile=(32, 32, 16)),
        "warp tile 32x32x16 of int8_int8_int32 compiles but gives wrong results on gfx908",
        target("gfx908"),
    ),
    Case(
        "gemm.warp_tile_layout",
        _fp8(warp_tile=(32, 32, 64), layout=Layout.RRR),
        _fp8(warp_tile=(32, 32, 32), layout=Layout.RRR),
        "warp tile 32x32x32 of fp8_fp8_fp32 does not go with the layout rrr on gfx950, only with",
        target("gfx950"),
    ),
    Case(
        "gemm.packed_layout",
        _fp4(),
        _fp4(layout=Layout.RRR),
        "pk_fp4 does not go with the layout rrr, only with rcr",
        target("gfx950"),
    ),
    Case(
        "gemm.mixed_dtypes",
        _mixed(pipeline=Pipeline.COMPV4),
        _mixed(pipeline=COMPV3),
        "the pipeline compv3 multiplies fp8 x bf8 as if B were of fp8 too",
    ),
    Case(
        "gemm.mixed_dtypes",
        _mixed(pipeline=Pipeline.COMPV6),
        _mixed(pipeline=MEM),
        "the pipeline mem multiplies fp8 x bf8 as if B were of fp8 too",
        target("gfx950"),
    ),
    Case(
        "gemm.interwave_only_mem",
        gemm(pipeline=MEM, scheduler=Scheduler.INTERWAVE),
        gemm(pipeline=COMPV3, scheduler=Scheduler.INTERWAVE),
        "the interwave scheduler does not exist for the pipeline compv3",
        alone=False,
    ),
    Case(
        "gemm.unsupported_traits",
        gemm(),
        gemm(epilogue=Epilogue.DEFAULT),
        "the combination compv4, default, intrawave is listed as unsupported",
        target(
            arch=replace(ARCH, unsupported_traits=frozenset({("compv4", "default", "intrawave")}))
        ),
    ),
    Case(
        "gemm.compv5_layout",
        _turns(),
        _turns(layout=Layout.RRR),
        "the pipeline compv5 does not go with the layout rrr, only with rcr",
    ),
    Case(
        "gemm.compv5_epilogue",
        _turns(),
        _turns(epilogue=Epilogue.CSHUFFLE),
        "of the waves of the pipeline compv5 one stores C, and the cshuffle epilogue has",
    ),
    Case(
        "gemm.compv5_variant",
        _turns(variant=Variant.BATCHED),
        _turns(variant=Variant.GROUPED),
        "the variant grouped lets every wave store, and compv5 only one",
    ),
    Case(
        "gemm.compv5_variant",
        _turns(**_BIAS),
        _turns(**_BIAS, d_layout=DLayout.COLUMNS),
        "D tensors by columns let every wave store, and compv5 only one",
    ),
    Case(
        "gemm.persistent_pipeline",
        gemm(persistent=True),
        gemm(pipeline=Pipeline.COMPV6, persistent=True),
        "the pipeline compv6 has no persistent form",
    ),
    Case(
        "gemm.block_size",
        gemm(waves=(4, 4, 1), tile=(128, 256, 64), pipeline=COMPV3),
        gemm(waves=(8, 4, 1), tile=(256, 128, 64), pipeline=COMPV3),
        "waves 8x4x1 of 64 lanes are 2048 threads, more than 1024",
        WIDE_WAVES,
    ),
    Case(
        "gemm.tile_minimum",
        gemm(tile=(16, 64, 64), waves=(4, 1, 1), warp_tile=(4, 64, 16), pipeline=COMPV3),
        gemm(tile=(8, 64, 64), waves=(2, 2, 1), warp_tile=(4, 32, 16), pipeline=COMPV3),
        "tile 8x64x64 is smaller than 16x16x8",
        alone=False,
    ),
    Case(
        "gemm.tile_divisible",
        gemm(tile=(192, 128, 32), epilogue=Epilogue.DEFAULT),
        gemm(tile=(96, 128, 32)),
        "tile 96x128x32 is not a multiple of 64x64x16, which waves 2x2x1 with warp tile 32x32x16",
        alone=False,
    ),
    Case(
        "gemm.tile_divisible",
        gemm(warp_tile=(16, 16, 32)),
        gemm(warp_tile=(16, 16, 32), tile=(128, 128, 16)),
        "tile 128x128x16 is not a multiple of 32x32x32",
    ),
    Case(
        "gemm.tile_k_power_of_two",
        gemm(layout=Layout.CRR, tile=(128, 128, 64)),
        gemm(layout=Layout.CRR, tile=(128, 128, 48)),
        "tile 128x128x48 has k 48, which is not a power of two",
    ),
    Case(
        "gemm.warp_tile_layout",
        _narrow(),
        _narrow(layout=Layout.CRR),
        "warp tile 4x64x16 of fp16_fp16_fp32 does not go with the layout crr on gfx950, "
        "only with rcr",
        target("gfx950"),
    ),
    Case(
        "gemm.vector_load",
        gemm(tile=(64, 64, 32)),
        gemm(
            tile=(192, 192, 16),
            warp_tile=(16, 16, 16),
            waves=(1, 4, 1),
            layout=Layout.CRR,
            epilogue=Epilogue.DEFAULT,
        ),
        "a row of the A tile 16x192 takes 192/4 lanes, which do not divide a wave of 64",
    ),
    Case(
        "gemm.vector_load",
        gemm(tile=(16, 64, 32), waves=(1, 4, 1), warp_tile=(16, 16, 32)),
        gemm(tile=(16, 64, 8), waves=(1, 4, 1), warp_tile=(16, 16, 8)),
        "the A tile 16x8 has fewer elements than the 256 threads",
        alone=False,
    ),
    Case(
        "gemm.vector_load",
        _sixteen_waves(tile=(128, 64, 16)),
        _sixteen_waves(tile=(128, 96, 16)),
        "16 waves cover 64 rows at a time, not the 96 of the B tile 96x16",
        target("gfx950"),
    ),
    Case(
        "gemm.async_load",
        _async(tile=(64, 64, 32)),
        _async(tile=(32, 64, 32)),
        "a lane loads 8 bytes of the A tile at a time",
        target("gfx950"),
    ),
    Case(
        "gemm.async_load",
        _async(tile=(32, 64, 64)),
        _async(tile=(64, 32, 32)),
        "a lane loads 8 bytes of the B tile at a time",
        target("gfx950"),
    ),
    Case(
        "gemm.lds_capacity",
        gemm(tile=(256, 256, 32)),
        gemm(tile=(256, 256, 64)),
        "with the pipeline compv4 needs 131072 bytes of LDS, and gfx942 has 65536",
    ),
    Case(
        "gemm.lds_capacity",
        gemm(tile=(256, 256, 64)),
        gemm(tile=(256, 256, 128)),
        "needs 262144 bytes of LDS, and gfx950 has 163840",
        target("gfx950"),
    ),
    Case(
        "gemm.lds_capacity",
        gemm(tile=(256, 256, 64), pipeline=COMPV3),
        gemm(tile=(256, 256, 128), pipeline=COMPV3),
        "tile 256x256x128 with the pipeline compv3 needs 131072 bytes of LDS",
    ),
    Case(
        "gemm.accumulator_registers",
        gemm(tile=(256, 256, 32)),
        gemm(tile=(512, 256, 32), pipeline=COMPV3),
        "needs 512 accumulators per lane, and gfx942 can spare 256",
    ),
    Case(
        "gemm.accumulator_registers",
        gemm(tile=(256, 256, 32), pipeline=COMPV3),
        gemm(tile=(512, 256, 32), pipeline=COMPV3),
        "needs 512 accumulators per lane, and gfx908 can spare 256",
        target("gfx908"),
    ),
    Case(
        "gemm.accumulator_registers",
        _sixteen_waves(tile=(256, 256, 32)),
        _sixteen_waves(tile=(512, 256, 32)),
        "needs 128 accumulators per lane, and gfx950 can spare 64",
        target("gfx950"),
    ),
    Case(
        "gemm.accumulator_registers",
        _rdna(tile=(256, 128, 32)),
        _rdna(tile=(256, 256, 32)),
        "needs 256 accumulators per lane, and gfx1100 can spare 128",
        target("gfx1100"),
    ),
    Case(
        "gemm.cshuffle_group",
        gemm(tile=(192, 192, 32)),
        _uneven(),
        "a wave repeats its warp tile 16x16x16 3 times along m, and the cshuffle epilogue stores 2",
    ),
    Case(
        "gemm.cshuffle_group",
        _uneven(epilogue=Epilogue.DEFAULT),
        _uneven(tile=(320, 64, 32)),
        "a wave repeats its warp tile 16x16x16 5 times along m",
    ),
    Case(
        "gemm.cshuffle_group",
        _uneven(dtype_c=Dtype.FP32),
        _uneven(dtype_c=Dtype.BF16),
        "with tile 192x64x32 a wave repeats",
    ),
    Case(
        "gemm.cshuffle_cover",
        _odd_warp_tile(epilogue=Epilogue.DEFAULT),
        _odd_warp_tile(),
        "a row of the shuffled part of C 32x96 takes 96/8 lanes, which do not divide a wave of 64",
        target(warp_tiles={"fp16_fp16_fp32": ((16, 48, 16),)}),
    ),
    Case(
        "gemm.split_k_atomic",
        gemm(split_k=SplitK.ATOMIC, pad_m=True),
        _bf16(split_k=SplitK.ATOMIC, pad_m=True),
        "gfx942 cannot add bf16 to C in one bounds-checked step, only fp16, fp32, int32, "
        "and m is padded",
    ),
    Case(
        "gemm.split_k_atomic",
        _bf16(split_k=SplitK.ATOMIC),
        _bf16(split_k=SplitK.ATOMIC, pad_m=True),
        "cannot add bf16 to C",
        target("gfx950"),
    ),
    Case(
        "gemm.split_k_atomic",
        _rdna(split_k=SplitK.ATOMIC),
        _rdna(split_k=SplitK.ATOMIC, pad_m=True),
        "gfx1100 cannot add fp16 to C in one bounds-checked step, only int32",
        target("gfx1100"),
    ),
    Case(
        "gemm.split_k_atomic",
        _rdna(split_k=SplitK.ATOMIC, pad_m=True),
        _rdna(split_k=SplitK.ATOMIC, pad_m=True, dtype_c=Dtype.FP32),
        "cannot add fp32 to C in one bounds-checked step, only fp16",
        target("gfx1201", buffer_atomic_adds=("fp16",)),
    ),
    Case(
        "gemm.split_k_atomic",
        gemm(pad_m=True),
        gemm(split_k=SplitK.ATOMIC, pad_m=True),
        "cannot add fp16 to C in one bounds-checked step",
        target(buffer_atomic_adds=()),
    ),
    Case(
        "gemm.split_k_pairs",
        gemm(split_k=SplitK.ATOMIC, epilogue=Epilogue.DEFAULT, dtype_c=Dtype.FP32),
        gemm(split_k=SplitK.ATOMIC, epilogue=Epilogue.DEFAULT),
        "fp16 is added to C in pairs, and the default epilogue hands over 1 at a time",
    ),
]
