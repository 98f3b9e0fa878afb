# SPDX-License-Identifier: MIT
"""Rules about the elements that are moved at a time."""

from __future__ import annotations

from ckgen.core.rules import Rules
from ckgen.core.target import Target
from ckgen.grouped_conv.choices import VECTORS
from ckgen.grouped_conv.spec import GroupedConvSpec, Order, Specialization
from ckgen.product.spec import Epilogue

MAX_BYTES = 16
"""What one lane loads or stores at once."""

VECTOR_RULES = Rules("grouped_conv")


@VECTOR_RULES.rule(
    f"A vector has 1, 2, 4, 8 or 16 elements, and {MAX_BYTES} bytes at most.",
    ("vector_a", "vector_b", "vector_c"),
)
def vector_width(spec: GroupedConvSpec, target: Target) -> str | None:
    dtypes = (spec.dtype_a, spec.dtype_b, spec.dtype_stored)
    for operand, vector, dtype in zip("ABC", spec.vectors, dtypes, strict=False):
        width = int(vector * target.arch.dtype(dtype).bytes)
        if vector not in VECTORS or width > MAX_BYTES:
            return f"vectors of {vector} {dtype} for {operand} are {width} bytes"
    return None


@VECTOR_RULES.rule(
    "The default epilogue stores what a lane holds, one element at a time.",
    ("vector_c", "epilogue"),
)
def single_stores(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.epilogue is Epilogue.CSHUFFLE or spec.vector_c == 1:
        return None
    return f"the {spec.epilogue} epilogue stores elements one by one, not {spec.vector_c}"


@VECTOR_RULES.rule(
    "Kernels for filters of 3x3 read one channel of each group: their vectors of A and B are 1.",
    ("vector_a", "vector_b", "specialization"),
)
def one_channel(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.specialization is not Specialization.FILTER_3X3 or spec.vectors[:2] == (1, 1):
        return None
    return f"one channel is not read in vectors of {spec.vector_a} and {spec.vector_b}"


@VECTOR_RULES.rule(
    "With channels first the positions of x are read one by one, because pads and strides tear "
    "them apart; only filter_1x1_stride1_pad0 reads whole images.",
    ("vector_b", "specialization", "layout"),
)
def scattered_positions(spec: GroupedConvSpec, target: Target) -> str | None:
    whole_rows = spec.specialization is Specialization.FILTER_1X1_STRIDE1_PAD0
    if spec.layout.order is Order.CHANNELS_LAST or spec.vector_b == 1 or whole_rows:
        return None
    return f"positions of x under the filter are not read in vectors of {spec.vector_b}"
