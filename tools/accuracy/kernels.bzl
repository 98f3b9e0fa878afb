"""The kernels of cases.json, by the GPU that they are for."""

_MANY = "compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"
_ANY = "compv3_cshuffle_intrawave_64x64x32_2x2x1_32x32x16_v1x1x1"
_GEMM = "compv3_cshuffle_intrawave_True_True_True_False"
_DIRECTIONS = ["fwd", "bwd_data", "bwd_weight"]

# What default tests compile anyway.
COMMON = {
    "gfx942": ["gemm_fp16_rcr_{}_64x64x64_2x2x1_32x32x16".format(_GEMM)] + [
        "grouped_conv_{}_fp16_{}_{}".format(direction, place, rest)
        for direction in _DIRECTIONS
        for place, rest in [
            ("nwgc_1d", _ANY),
            ("nhwgc_2d", _MANY),
            ("ndhwgc_3d", _ANY),
        ]
    ] + [
        "grouped_conv_{}_bf16_nhwgc_2d_{}".format(direction, _ANY)
        for direction in _DIRECTIONS
    ] + [
        "grouped_conv_bwd_weight_fp16_nhwgc_2d_{}_{}".format(_MANY, rest)
        for rest in [
            "splitk",
            "v8x8x4_splitkws",
        ]
    ] + [
        "grouped_conv_fwd_fp32_nhwgc_2d_compv3_cshuffle_intrawave_64x64x32_2x2x1_16x16x16_v4x4x4",
        "grouped_conv_fwd_fp8_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_16x16x32_v16x16x8",
        "grouped_conv_fwd_int8_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_16x16x32_v16x16x4",
    ],
    "gfx950": ["gemm_pk_fp4_rcr_{}_64x64x256_2x2x1_16x16x128".format(_GEMM)],
}

# What only this page needs: products of the other dtypes.
MORE = {
    "gfx942": [
        "gemm_{}_rcr_{}_64x64x64_2x2x1_32x32x16".format(dtype, _GEMM)
        for dtype in [
            "bf16",
            "bf8",
            "fp8",
            "int8",
        ]
    ] + [
        "gemm_fp32_rcr_{}_64x64x32_2x2x1_16x16x16".format(_GEMM),
    ] + [
        ("gemm_{}_rcr_compv4_cshuffle_intrawave_True_True_True_False_" +
         "128x128x64_2x2x1_32x32x16_b{}").format(a, b)
        for a, b in [
            ("fp8", "bf8"),
            ("bf8", "fp8"),
        ]
    ],
}
