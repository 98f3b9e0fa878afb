# SPDX-License-Identifier: MIT
"""Reading a GEMM kernel's name back into its spec."""

from __future__ import annotations

import re
from enum import Enum

from ckgen.core.errors import SpecError
from ckgen.core.tile import Dim3
from ckgen.gemm.spec import (
    Dtype,
    Epilogue,
    GemmSpec,
    Layout,
    Pipeline,
    Scheduler,
    Variant,
    implied_dtypes,
)

FORM = (
    "gemm_<dtype>_<layout>_<pipeline>_<epilogue>_<scheduler>_<padM>_<padN>_<padK>_<persistent>"
    "_<tile>_<waves>_<warptile>"
)


def _one_of(choices: type[Enum]) -> str:
    return "|".join(re.escape(str(member.value)) for member in choices)


_BOOL = "True|False"
_EXTENTS = r"[1-9]\d*x[1-9]\d*x[1-9]\d*"
_NAME = re.compile(
    rf"gemm_(?P<a>{_one_of(Dtype)})_(?P<layout>{_one_of(Layout)})"
    rf"_(?P<pipeline>{_one_of(Pipeline)})_(?P<epilogue>{_one_of(Epilogue)})"
    rf"_(?P<scheduler>{_one_of(Scheduler)})"
    rf"_(?P<pad_m>{_BOOL})_(?P<pad_n>{_BOOL})_(?P<pad_k>{_BOOL})_(?P<persistent>{_BOOL})"
    rf"_(?P<tile>{_EXTENTS})_(?P<waves>{_EXTENTS})_(?P<warp_tile>{_EXTENTS})"
    rf"(?:_b(?P<b>{_one_of(Dtype)}))?(?:_c(?P<c>{_one_of(Dtype)}))?"
    rf"(?:_acc(?P<acc>{_one_of(Dtype)}))?(?P<split_k>_splitk)?",
    re.ASCII,
)


def parse_name(name: str) -> GemmSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(f"{name!r} is not the name of a GEMM kernel; those have the form {FORM}")
    a = Dtype(match["a"])
    implied_acc, implied_c = implied_dtypes(a)
    spec = GemmSpec(
        variant=Variant.STANDARD,
        dtype_a=a,
        dtype_b=Dtype(match["b"]) if match["b"] else a,
        dtype_c=Dtype(match["c"]) if match["c"] else implied_c,
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
        split_k=match["split_k"] is not None,
    )
    if spec.name != name:
        raise SpecError(f"{name!r} names what is implied anyway; the kernel is called {spec.name}")
    return spec
