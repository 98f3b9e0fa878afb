# SPDX-License-Identifier: MIT
"""Reading a grouped convolution kernel's name back into its spec."""

from __future__ import annotations

import re

from ckgen.core.errors import SpecError
from ckgen.core.naming import EXTENTS, one_of
from ckgen.core.tile import Dim3
from ckgen.gemm.spec import (
    SPLIT_K_WORDS,
    Dtype,
    Epilogue,
    FusedOp,
    Pipeline,
    Scheduler,
    SplitK,
    implied_dtypes,
)
from ckgen.grouped_conv.spec import (
    DEFAULT_VECTORS,
    DIRECTION_WORDS,
    SPECIALIZATION_WORDS,
    GroupedConvSpec,
    Layout,
    Specialization,
    operands,
)

FORM = (
    "grouped_conv_<direction>_<dtype>_<layout>_<N>d_<pipeline>_<epilogue>_<scheduler>"
    "_<tile>_<waves>_<warptile>"
)

_DIRECTIONS = {word: variant for variant, word in DIRECTION_WORDS.items()}
_SPECIALIZATIONS = {word: special for special, word in SPECIALIZATION_WORDS.items()}
_SPLIT_KS = {word: split_k for split_k, word in SPLIT_K_WORDS.items()}

_NAME = re.compile(
    rf"grouped_conv_(?P<direction>{'|'.join(_DIRECTIONS)})_(?P<a>{one_of(Dtype)})"
    rf"_(?P<layout>{one_of(Layout)})_(?P<ndim>[1-9]\d*)d"
    rf"_(?P<pipeline>{one_of(Pipeline)})_(?P<epilogue>{one_of(Epilogue)})"
    rf"_(?P<scheduler>{one_of(Scheduler)})"
    rf"_(?P<tile>{EXTENTS})_(?P<waves>{EXTENTS})_(?P<warp_tile>{EXTENTS})"
    rf"(?:_b(?P<b>{one_of(Dtype)}))?(?:_c(?P<c>{one_of(Dtype)}))?"
    rf"(?:_acc(?P<acc>{one_of(Dtype)}))?"
    rf"(?:_v(?P<vectors>{EXTENTS}))?(?:_merge(?P<merged>[1-9]\d*))?"
    rf"(?:_(?P<special>{'|'.join(_SPECIALIZATIONS)}))?"
    rf"(?:_(?P<split_k>{'|'.join(_SPLIT_KS)}))?"
    rf"(?:_(?P<fused_op>{one_of(FusedOp)})_d(?P<d_count>\d+))?",
    re.ASCII,
)


def parse_name(name: str) -> GroupedConvSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(
            f"{name!r} is not the name of a grouped convolution kernel; those have the form {FORM}"
        )
    variant = _DIRECTIONS[match["direction"]]
    a = Dtype(match["a"])
    implied_acc, implied_c = implied_dtypes(a)
    b = Dtype(match["b"]) if match["b"] else a
    c = Dtype(match["c"]) if match["c"] else implied_c
    layout = Layout(match["layout"])
    tensors, _ = operands(variant, layout.order)
    dtypes = dict(zip(tensors, (a, b, c)))
    vectors = Dim3.parse(match["vectors"]) if match["vectors"] else DEFAULT_VECTORS
    special = match["special"]
    spec = GroupedConvSpec(
        variant=variant,
        ndim_spatial=int(match["ndim"]),
        dtype_x=dtypes["x"],
        dtype_w=dtypes["w"],
        dtype_y=dtypes["y"],
        dtype_acc=Dtype(match["acc"]) if match["acc"] else implied_acc,
        layout=layout,
        tile=Dim3.parse(match["tile"]),
        waves=Dim3.parse(match["waves"]),
        warp_tile=Dim3.parse(match["warp_tile"]),
        pipeline=Pipeline(match["pipeline"]),
        epilogue=Epilogue(match["epilogue"]),
        scheduler=Scheduler(match["scheduler"]),
        vector_a=vectors.m,
        vector_b=vectors.n,
        vector_c=vectors.k,
        merged_groups=int(match["merged"] or 1),
        specialization=_SPECIALIZATIONS[special] if special else Specialization.DEFAULT,
        split_k=_SPLIT_KS.get(match["split_k"], SplitK.NONE),
        fused_op=FusedOp(match["fused_op"] or FusedOp.PASS_THROUGH),
        d_count=int(match["d_count"] or 0),
    )
    if spec.name != name:
        raise SpecError(f"{name!r} names what is implied anyway; the kernel is called {spec.name}")
    return spec
