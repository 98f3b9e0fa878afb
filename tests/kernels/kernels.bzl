"""The kernel that stands for each GPU in tests that need one."""

_MFMA = "//kernels:" + \
        "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"

_WMMA = "//kernels:" + \
        "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x128x32_2x4x1_16x16x16"

ONE_KERNEL = {
    "gfx1100": _WMMA,
    "gfx1200": _WMMA,
    "gfx1201": _WMMA,
    "gfx908": _MFMA,
    "gfx90a": _MFMA,
    "gfx942": _MFMA,
    "gfx950": _MFMA,
}
