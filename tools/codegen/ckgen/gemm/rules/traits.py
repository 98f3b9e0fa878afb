# SPDX-License-Identifier: MIT
"""Rules about which dtypes, layouts and variants of a GEMM go with which pipeline."""

from __future__ import annotations

from ckgen.core.rules import Rules
from ckgen.core.target import Target
from ckgen.gemm.spec import DLayout, GemmSpec, Variant
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.rules.traits import takes_turns
from ckgen.product.spec import Layout

PACKED_RULES = Rules("gemm")


@PACKED_RULES.rule(
    "A and B of a packed dtype such as pk_fp4 need contiguous k: the elements that share a byte "
    "are neighbours along k.",
    ("layout",),
)
def packed_layout(spec: GemmSpec, target: Target) -> str | None:
    """Kernels carry packed elements in bytes, which a transposition would have to take apart."""
    packed = [dtype for dtype in (spec.dtype_a, spec.dtype_b) if target.arch.dtype(dtype).pack > 1]
    if not packed or spec.layout is Layout.RCR:
        return None
    return f"{packed[0]} does not go with the layout {spec.layout}, only with rcr"


TRAIT_RULES = Rules("gemm")


@TRAIT_RULES.rule(
    "The pipeline compv5 does not go with grouped and stream_k kernels or D tensors by columns, in "
    "which every wave stores what it has.",
    ("variant", "d_layout", "pipeline"),
)
def compv5_variant(spec: GemmSpec, target: Target) -> str | None:
    if not takes_turns(spec):
        return None
    if spec.variant in (Variant.GROUPED, Variant.STREAM_K):
        return f"the variant {spec.variant} lets every wave store, and {spec.pipeline} only one"
    if spec.d_layout is DLayout.COLUMNS:
        return f"D tensors by columns let every wave store, and {spec.pipeline} only one"
    return None


@TRAIT_RULES.rule(
    "A persistent kernel needs a pipeline that can be run in a loop over tiles.",
    ("persistent", "pipeline"),
)
def persistent_pipeline(spec: GemmSpec, target: Target) -> str | None:
    if not spec.persistent or PIPELINE_CLASSES[spec.pipeline].persistent:
        return None
    return f"the pipeline {spec.pipeline} has no persistent form and would run as if it were not"
