"""The grouped convolution kernels that tests run: of each direction and dimension, for any number
of channels and for many.
"""

_LAYOUTS = {
    1: "nwgc",
    2: "nhwgc",
    3: "ndhwgc",
}

_CHANNELS_FIRST = {
    1: "ngcw",
    2: "ngchw",
    3: "ngcdhw",
}

# Takes channels one by one, so that it computes every problem.
_ANY = "compv3_cshuffle_intrawave_64x64x32_2x2x1_32x32x16_v1x1x1"

# Takes eight at a time.
_MANY = "compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"

# For GPUs with WMMA: eight waves.
_MANY_BY_WMMA = "compv3_cshuffle_intrawave_128x128x32_4x2x1_16x16x16"
_ANY_BY_WMMA = "compv3_cshuffle_intrawave_128x32x32_4x2x1_16x16x16_v1x1x1"

_OTHERS = {
    "bwd_data": [],
    "bwd_weight": [
        _MANY + "_splitk",
        _MANY + "_v4x4x4_merge8",
        _MANY + "_v8x8x4_splitkws",
    ],
    "fwd": [
        "compv3_cshuffle_intrawave_64x64x32_2x2x1_32x32x16_v1x1x1_merge8_filter3x3",
        "compv4_cshuffle_intrawave_128x128x32_2x2x1_32x32x16_filter1x1stride1pad0",
        _MANY + "_MultiDAddRelu_d1",
        _MANY + "_filter1x1pad0",
        _MANY + "_v4x4x4_merge8",
    ],
}

_OTHER_DTYPES = {
    "fp32": "compv3_cshuffle_intrawave_64x64x32_2x2x1_16x16x16_v4x4x4",
    "fp8": "compv3_cshuffle_intrawave_64x64x64_2x2x1_16x16x32_v16x16x8",
    "int8": "compv3_cshuffle_intrawave_64x64x64_2x2x1_16x16x32_v16x16x4",
}

CONV_DIRECTIONS = _OTHERS.keys()

_GPUS_WITH_WMMA = ["gfx1100", "gfx1201"]

CONV_GPUS = ["gfx90a", "gfx942", "gfx950"] + _GPUS_WITH_WMMA

CONV_DIMENSIONS = _LAYOUTS.keys()

def conv_sets(direction, dimensions):
    """The sets that have all kernels of a direction and dimension.

    Args:
        direction: one of CONV_DIRECTIONS.
        dimensions: one of CONV_DIMENSIONS.

    Returns:
        their labels.
    """
    dtypes = ["fp16", "bf16"] + (_OTHER_DTYPES.keys() if direction == "fwd" else [])
    return [
        "//kernels:grouped_conv_{}_{}_{}d_all".format(direction, dtype, dimensions)
        for dtype in dtypes
    ]

def _kernel(direction, dtype, dimensions, rest, layouts = _LAYOUTS):
    return "//kernels:grouped_conv_{}_{}_{}_{}d_{}".format(
        direction,
        dtype,
        layouts[dimensions],
        dimensions,
        rest,
    )

def _channels_first_kernels():
    return [
        _kernel("fwd", "fp16", dimensions, _ANY, _CHANNELS_FIRST)
        for dimensions in _CHANNELS_FIRST
    ] + [
        _kernel("fwd", "bf16", 2, rest, _CHANNELS_FIRST)
        for rest in (_MANY + "_v8x1x8", _MANY + "_filter1x1stride1pad0")
    ]

def conv_kernels(direction, gpu):
    """The kernels of a direction on a GPU: one in each dimension, and on one of them all sorts.

    Args:
        direction: one of CONV_DIRECTIONS.
        gpu: one of CONV_GPUS.

    Returns:
        their labels.
    """
    if gpu in _GPUS_WITH_WMMA:
        first = [
            _kernel(direction, "fp16", 2, _ANY_BY_WMMA, _CHANNELS_FIRST),
        ] if direction == "fwd" else []
        return [_kernel(direction, "fp16", 2, _MANY_BY_WMMA)] + first
    if gpu != "gfx942":
        return [_kernel(direction, "fp16", dimensions, _MANY) for dimensions in _LAYOUTS]
    return [
        _kernel(direction, dtype, dimensions, _ANY)
        for dtype in ("fp16", "bf16")
        for dimensions in _LAYOUTS
    ] + [
        _kernel(direction, "fp16", 2, rest)
        for rest in [_MANY] + _OTHERS[direction]
    ] + [
        _kernel(direction, dtype, 2, rest)
        for dtype, rest in _OTHER_DTYPES.items()
        if direction == "fwd"
    ] + (_channels_first_kernels() if direction == "fwd" else [])
