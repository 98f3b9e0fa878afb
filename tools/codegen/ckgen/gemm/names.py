# SPDX-License-Identifier: MIT
"""Reading a GEMM kernel's name back into its spec."""

from __future__ import annotations

import re
from dataclasses import replace

from ckgen.core.errors import SpecError
from ckgen.core.naming import one_of
from ckgen.gemm.spec import VARIANT_WORDS, DLayout, GemmSpec, Variant
from ckgen.product.names import (
    DTYPES,
    FUSED,
    GEOMETRY,
    LOOP,
    SPLIT,
    named,
    product_dtypes,
    product_fields,
)
from ckgen.product.spec import Dtype, FusedOp, Layout

FORM = (
    "gemm_<dtype>_<layout>_<pipeline>_<epilogue>_<scheduler>_<padM>_<padN>_<padK>_<persistent>"
    "_<tile>_<waves>_<warptile>"
)


_VARIANTS = {word: variant for variant, word in VARIANT_WORDS.items()}
_FLAGS = ("pad_m", "pad_n", "pad_k", "persistent")

_NAME = re.compile(
    rf"gemm_(?P<a>{one_of(Dtype)})_(?P<layout>{one_of(Layout)})(?P<d_layout>{one_of(DLayout)})?"
    rf"{LOOP}{''.join(f'_(?P<{flag}>True|False)' for flag in _FLAGS)}{GEOMETRY}"
    rf"{DTYPES}(?:_d(?P<d>{one_of(Dtype)}))?{SPLIT}(?:_multid_{FUSED})?"
    rf"(?:_(?P<variant>{'|'.join(_VARIANTS)}))?",
    re.ASCII,
)


def parse_name(name: str) -> GemmSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(f"{name!r} is not the name of a GEMM kernel; those have the form {FORM}")
    fields = product_fields(match)
    a, b, c, accumulator = product_dtypes(match)
    fused = fields["d_count"] != 0 or fields["fused_op"] is not FusedOp.PASS_THROUGH
    unnamed = Variant.MULTI_D if fused else Variant.STANDARD
    spec = GemmSpec(
        variant=_VARIANTS[match["variant"]] if match["variant"] else unnamed,
        dtype_a=a,
        dtype_b=b,
        dtype_c=c,
        dtype_acc=accumulator,
        dtype_d=Dtype(match["d"]) if match["d"] else c,
        layout=Layout(match["layout"]),
        d_layout=DLayout(match["d_layout"]) if match["d_layout"] else DLayout.ROWS,
        pad_m=match["pad_m"] == "True",
        pad_n=match["pad_n"] == "True",
        pad_k=match["pad_k"] == "True",
        persistent=match["persistent"] == "True",
        **fields,
    )
    if fields["d_count"] and not match["d_layout"]:
        raise SpecError(_without_d_layout(spec, name))
    return named(spec, name)


def _without_d_layout(spec: GemmSpec, name: str) -> str:
    """What to write in place of a name of before D tensors had a layout."""
    meant = replace(spec, fused_op=spec.fused_op.with_ds)
    other = meant.fused_op is not spec.fused_op
    why = f", and {spec.fused_op} of a sum with them is {meant.fused_op}" if other else ""
    return (
        f"{name!r} does not say whether its D tensors lie by rows or by columns{why}; "
        f"by rows it is called {meant.name}"
    )
