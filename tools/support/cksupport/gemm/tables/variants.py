# SPDX-License-Identifier: MIT
"""Which variants there are of which products, and in which layouts."""

from __future__ import annotations

from typing import Any

from ckarch import ArchSpecs
from ckgen.gemm.spec import (
    Dtype,
    Epilogue,
    FusedOp,
    Layout,
    Pipeline,
    SplitK,
    Variant,
)

from cksupport.product.axes import ALL_PADDED, SHUFFLED, dtype_pairs
from cksupport.questions import Fields, Place, Question, Table, fields

_PLAIN: dict[str, Any] = {"pipeline": (Pipeline.COMPV3, Pipeline.COMPV4)}
_SHUFFLED = {"pipeline": SHUFFLED.pipeline, "scheduler": SHUFFLED.scheduler}

_VARIANTS: dict[str, dict[str, Any]] = {
    "persistent": {**_PLAIN, "persistent": True},
    "split_k atomic": {**_PLAIN, "split_k": SplitK.ATOMIC},
    "split_k workspace": {**_PLAIN, "split_k": SplitK.WORKSPACE},
    "batched": {**_PLAIN, "variant": Variant.BATCHED},
    "grouped": {**_PLAIN, "variant": Variant.GROUPED},
    "multi_d": {
        **_PLAIN,
        "variant": Variant.MULTI_D,
        "fused_op": FusedOp.MULTI_D_ADD,
        "d_count": 2,
    },
    "preshuffle": {**_SHUFFLED, "variant": Variant.PRESHUFFLE},
    "stream_k atomic": {**_PLAIN, "variant": Variant.STREAM_K, "split_k": SplitK.ATOMIC},
    "stream_k workspace": {**_PLAIN, "variant": Variant.STREAM_K, "split_k": SplitK.WORKSPACE},
}


def variant_dtypes(arch: ArchSpecs) -> Table:
    """GPU x dtypes of A and B x variant."""
    name = "variants"
    questions = tuple(
        Question(Place(name, gpu, label, variant), _fields(variant, a, b, Layout.RCR))
        for gpu in arch.gpus
        for a, b, label in dtype_pairs(arch)
        for variant in _VARIANTS
    )
    note = (
        "Dtypes of A and B against the variant; layout rcr, the usual output dtype or fp32, m, n "
        "and k padded if possible; multi_d adds two D tensors."
    )
    return Table(name, "Variants", note, questions)


def variant_layouts(arch: ArchSpecs) -> Table:
    """GPU x layout x variant."""
    name = "variant_layouts"
    questions = tuple(
        Question(Place(name, gpu, str(layout), variant), _fields(variant, Dtype.FP16, None, layout))
        for gpu in arch.gpus
        for layout in Layout
        for variant in _VARIANTS
    )
    note = "The layout of A, B and C against the variant; fp16, padded if possible."
    return Table(name, "Layouts of variants", note, questions)


def _fields(variant: str, a: Dtype, b: Dtype | None, layout: Layout) -> Fields:
    return fields(
        dtype=a,
        dtype_b=b,
        # Not every dtype can be added to in memory, and where the usual one cannot, fp32 can.
        dtype_c=(None, Dtype.FP32),
        layout=layout,
        pad=(ALL_PADDED, (True, True, False)),
        epilogue=(Epilogue.CSHUFFLE, Epilogue.DEFAULT),
        **_VARIANTS[variant],
    )
