# SPDX-License-Identifier: MIT
"""Reading a grouped convolution kernel's name back into its spec."""

from __future__ import annotations

import re

from ckgen.core.errors import SpecError
from ckgen.core.naming import EXTENTS, one_of
from ckgen.core.tile import Dim3
from ckgen.grouped_conv.spec import (
    DEFAULT_VECTORS,
    DIRECTION_WORDS,
    SPECIALIZATION_WORDS,
    GroupedConvSpec,
    Layout,
    Specialization,
    operands,
)
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
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Dtype

FORM = (
    "grouped_conv_<direction>_<dtype>_<layout>_<N>d_<pipeline>_<epilogue>_<scheduler>"
    "_<tile>_<waves>_<warptile>"
)

_DIRECTIONS = {word: variant for variant, word in DIRECTION_WORDS.items()}
_SPECIALIZATIONS = {word: special for special, word in SPECIALIZATION_WORDS.items()}

_NUMBER = r"[1-9]\d*"

_NAME = re.compile(
    rf"grouped_conv_(?P<direction>{'|'.join(_DIRECTIONS)})_(?P<a>{one_of(Dtype)})"
    rf"_(?P<layout>{one_of(Layout)})(?:_(?P<ndim>{_NUMBER})d)?{LOOP}{GEOMETRY}{DTYPES}"
    rf"(?:_v(?P<vectors>{EXTENTS}))?(?:_lds(?P<lds>{_NUMBER}))?"
    rf"(?:_wg(?P<groups>{_NUMBER}))?(?:_bpc(?P<blocks>{_NUMBER}))?(?:_merge(?P<merged>{_NUMBER}))?"
    rf"(?:_(?P<special>{'|'.join(_SPECIALIZATIONS)}))?{SPLIT}(?:_{FUSED})?",
    re.ASCII,
)


def parse_name(name: str) -> GroupedConvSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(
            f"{name!r} is not the name of a grouped convolution kernel; those have the form {FORM}"
        )
    variant, layout = _DIRECTIONS[match["direction"]], Layout(match["layout"])
    tensors, _ = operands(variant, layout.order)
    *dtypes, accumulator = product_dtypes(match)
    dtype_of = dict(zip(tensors, dtypes, strict=False))
    vectors = Dim3.parse(match["vectors"]) if match["vectors"] else DEFAULT_VECTORS
    special = match["special"]
    fields = product_fields(match)
    pipeline = PIPELINE_CLASSES[fields["pipeline"]]
    spec = GroupedConvSpec(
        variant=variant,
        ndim_spatial=int(match["ndim"] or layout.ndim_spatial),
        layout=layout,
        dtype_acc=accumulator,
        dtype_x=dtype_of["x"],
        dtype_w=dtype_of["w"],
        dtype_y=dtype_of["y"],
        vector_a=vectors.m,
        vector_b=vectors.n,
        vector_c=vectors.k,
        lds_buffers=int(match["lds"] or pipeline.lds_buffers),
        wave_groups=int(match["groups"] or pipeline.wave_groups),
        blocks_per_cu=int(match["blocks"] or 1),
        merged_groups=int(match["merged"] or 1),
        specialization=_SPECIALIZATIONS[special] if special else Specialization.DEFAULT,
        **fields,
    )
    if not match["ndim"]:
        raise SpecError(
            f"{name!r} does not say how many dimensions its images have; as its layout has "
            f"{spec.ndim_spatial}, it is called {spec.name}"
        )
    return named(spec, name)
