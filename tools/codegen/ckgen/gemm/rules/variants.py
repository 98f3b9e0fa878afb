# SPDX-License-Identifier: MIT
"""Rules about what goes with which variant."""

from __future__ import annotations

from ckarch import Fp8Encoding

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.dtypes import EIGHT_BIT_FLOATS
from ckgen.product.spec import FusedOp, Layout, Pipeline, SplitK

_ONE_LAUNCH_PER_PART = (Variant.BATCHED, Variant.GROUPED, Variant.MULTI_D, Variant.PRESHUFFLE)

D_RULES = Rules("gemm")


@D_RULES.rule(
    "A fused operation other than PassThrough makes the variant multi_d, and nothing else does.",
    ("variant", "fused_op"),
    Purpose.NAMES,
)
def fused_op_variant(spec: GemmSpec, target: Target) -> str | None:
    fused = spec.fused_op is not FusedOp.PASS_THROUGH
    if fused is (spec.variant is Variant.MULTI_D):
        return None
    if fused:
        return f"the fused operation {spec.fused_op} goes with the variant multi_d"
    return "the variant multi_d needs a fused operation other than PassThrough"


@D_RULES.rule(
    f"Operations called MultiD... take 1 to {MAX_DS} D tensors, the others none.",
    ("d_count", "fused_op"),
    Purpose.MEANING,
)
def d_tensors(spec: GemmSpec, target: Target) -> str | None:
    takes = spec.fused_op.takes_ds
    if takes and not 1 <= spec.d_count <= MAX_DS:
        return f"{spec.fused_op} takes 1 to {MAX_DS} D tensors, not {spec.d_count}"
    if not takes and spec.d_count:
        return f"{spec.fused_op} takes no D tensors, not {spec.d_count}"
    return None


@D_RULES.rule(
    "Without D tensors nothing is said about them: their dtype is C's, and their layout r.",
    ("dtype_d", "d_layout"),
    Purpose.NAMES,
)
def d_unused(spec: GemmSpec, target: Target) -> str | None:
    if spec.d_count or (spec.dtype_d is spec.dtype_c and spec.d_layout is DLayout.ROWS):
        return None
    return "without D tensors their dtype is C's and their layout r"


@D_RULES.rule(
    "The dtype of D tensors must be one whose elements have an address each, and whose encoding "
    "the GPU knows.",
    ("dtype_d",),
    Purpose.MEANING,
)
def d_dtype(spec: GemmSpec, target: Target) -> str | None:
    if not spec.d_count:
        return None
    pack = target.arch.dtype(spec.dtype_d).pack
    if pack > 1:
        return f"D tensors of {spec.dtype_d}, of which {pack} share a byte, would be read as bytes"
    if spec.dtype_d in EIGHT_BIT_FLOATS and target.gpu.fp8_encoding is Fp8Encoding.NONE:
        return f"{target.name} has no encoding for D tensors of {spec.dtype_d}"
    return None


VARIANT_RULES = Rules("gemm")


@VARIANT_RULES.rule(
    "Only the variants standard and stream_k divide the k of a tile among workgroups, and stream_k "
    "always does.",
    ("split_k", "variant"),
)
def parts_variant(spec: GemmSpec, target: Target) -> str | None:
    if spec.variant is Variant.STREAM_K and spec.split_k is SplitK.NONE:
        return "stream_k shares tiles between workgroups, and split_k none does not add up"
    if spec.variant in _ONE_LAUNCH_PER_PART and spec.split_k is not SplitK.NONE:
        return f"the variant {spec.variant} computes the k of a tile whole"
    return None


@VARIANT_RULES.rule(
    "The variants grouped and stream_k share their tiles among workgroups in their own way and are "
    "not called persistent.",
    ("persistent",),
    Purpose.NAMES,
)
def persistent_anyway(spec: GemmSpec, target: Target) -> str | None:
    if not spec.persistent or spec.variant not in (Variant.GROUPED, Variant.STREAM_K):
        return None
    return f"the variant {spec.variant} decides itself which workgroup computes which tile"


@VARIANT_RULES.rule(
    "A persistent kernel is CK's own loop over tiles, which neither parts of k for a workspace nor "
    "D tensors by columns go with.",
    ("persistent", "split_k", "d_layout"),
)
def persistent_variant(spec: GemmSpec, target: Target) -> str | None:
    if not spec.persistent or spec.variant is Variant.STREAM_K:
        return None
    if spec.split_k is SplitK.WORKSPACE:
        return "parts of k for a workspace are computed by workgroups of their own"
    if spec.d_layout is DLayout.COLUMNS:
        return "D tensors by columns are read by a workgroup that computes one tile"
    return None


@VARIANT_RULES.rule(
    "A share of stream_k may be a single tile of k deep, which compv6 takes only with padding, or "
    "if k is contiguous neither in A nor in B.",
    ("pad_k", "pipeline", "layout"),
)
def stream_k_shallow(spec: GemmSpec, target: Target) -> str | None:
    """What is read beyond the last k is multiplied by zeros,
    unless a row or column goes on there.
    """
    if spec.variant is not Variant.STREAM_K or spec.pipeline is not Pipeline.COMPV6 or spec.pad_k:
        return None
    if spec.layout is Layout.CRR:
        return None
    return "a share may be one tile of k deep, and compv6 reads three"
