# SPDX-License-Identifier: MIT
"""Reading a GEMM kernel's name back into its spec."""

from __future__ import annotations

import re

from ckgen.core.errors import SpecError
from ckgen.core.naming import EXTENTS, one_of
from ckgen.core.tile import Dim3
from ckgen.gemm.spec import (
    SPLIT_K_WORDS,
    VARIANT_WORDS,
    DLayout,
    Dtype,
    Epilogue,
    FusedOp,
    GemmSpec,
    Layout,
    Pipeline,
    Scheduler,
    SplitK,
    Variant,
    implied_dtypes,
)

FORM = (
    "gemm_<dtype>_<layout>_<pipeline>_<epilogue>_<scheduler>_<padM>_<padN>_<padK>_<persistent>"
    "_<tile>_<waves>_<warptile>"
)


_VARIANTS = {word: variant for variant, word in VARIANT_WORDS.items()}
_SPLIT_KS = {word: split_k for split_k, word in SPLIT_K_WORDS.items()}


_BOOL = "True|False"
_NAME = re.compile(
    rf"gemm_(?P<a>{one_of(Dtype)})_(?P<layout>{one_of(Layout)})(?P<d_layout>{one_of(DLayout)})?"
    rf"_(?P<pipeline>{one_of(Pipeline)})_(?P<epilogue>{one_of(Epilogue)})"
    rf"_(?P<scheduler>{one_of(Scheduler)})"
    rf"_(?P<pad_m>{_BOOL})_(?P<pad_n>{_BOOL})_(?P<pad_k>{_BOOL})_(?P<persistent>{_BOOL})"
    rf"_(?P<tile>{EXTENTS})_(?P<waves>{EXTENTS})_(?P<warp_tile>{EXTENTS})"
    rf"(?:_b(?P<b>{one_of(Dtype)}))?(?:_c(?P<c>{one_of(Dtype)}))?"
    rf"(?:_acc(?P<acc>{one_of(Dtype)}))?(?:_d(?P<d>{one_of(Dtype)}))?"
    rf"(?:_(?P<split_k>{'|'.join(_SPLIT_KS)}))?"
    rf"(?:_multid_(?P<fused_op>{one_of(FusedOp)})_d(?P<d_count>\d+))?"
    rf"(?:_(?P<variant>{'|'.join(_VARIANTS)}))?",
    re.ASCII,
)


def parse_name(name: str) -> GemmSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(f"{name!r} is not the name of a GEMM kernel; those have the form {FORM}")
    a = Dtype(match["a"])
    implied_acc, implied_c = implied_dtypes(a)
    c = Dtype(match["c"]) if match["c"] else implied_c
    op = FusedOp(match["fused_op"] or FusedOp.PASS_THROUGH)
    d_count = int(match["d_count"] or 0)
    fused = d_count != 0 or op is not FusedOp.PASS_THROUGH
    unnamed = Variant.MULTI_D if fused else Variant.STANDARD
    spec = GemmSpec(
        variant=_VARIANTS[match["variant"]] if match["variant"] else unnamed,
        dtype_a=a,
        dtype_b=Dtype(match["b"]) if match["b"] else a,
        dtype_c=c,
        dtype_acc=Dtype(match["acc"]) if match["acc"] else implied_acc,
        layout=Layout(match["layout"]),
        tile=Dim3.parse(match["tile"]),
        waves=Dim3.parse(match["waves"]),
        warp_tile=Dim3.parse(match["warp_tile"]),
        pipeline=Pipeline(match["pipeline"]),
        epilogue=Epilogue(match["epilogue"]),
        scheduler=Scheduler(match["scheduler"]),
        pad_m=match["pad_m"] == "True",
        pad_n=match["pad_n"] == "True",
        pad_k=match["pad_k"] == "True",
        persistent=match["persistent"] == "True",
        split_k=_SPLIT_KS.get(match["split_k"], SplitK.NONE),
        fused_op=op,
        d_count=d_count,
        dtype_d=Dtype(match["d"]) if match["d"] else c,
        d_layout=DLayout(match["d_layout"]) if match["d_layout"] else DLayout.ROWS,
    )
    if spec.name != name:
        raise SpecError(f"{name!r} names what is implied anyway; the kernel is called {spec.name}")
    return spec
