# SPDX-License-Identifier: MIT
"""Rules about what the directions of a convolution can do."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.grouped_conv.choices import DIMENSIONS, MERGED_GROUPS
from ckgen.grouped_conv.spec import GroupedConvSpec, Order, Specialization, Variant
from ckgen.product.geometry import unshared
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import FusedOp, SplitK

DIRECTION_RULES = Rules("grouped_conv")


@DIRECTION_RULES.rule(
    "An image has 1, 2 or 3 dimensions, and the layout as many.", ("layout", "ndim_spatial")
)
def dimensions(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.ndim_spatial not in DIMENSIONS:
        return f"an image has {spec.ndim_spatial} dimensions"
    if spec.layout.ndim_spatial == spec.ndim_spatial:
        return None
    return f"the layout {spec.layout} has {spec.layout.ndim_spatial} of {spec.ndim_spatial}"


@DIRECTION_RULES.rule(
    "Only the sums of backward_weight, which are over all positions of all images, are divided "
    "among workgroups.",
    ("split_k", "variant"),
)
def split_k_direction(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.split_k is SplitK.NONE or spec.variant is Variant.BACKWARD_WEIGHT:
        return None
    return f"{spec.variant} does not divide its sums among workgroups"


@DIRECTION_RULES.rule(
    "Operations are fused into the forward direction alone, one group at a time.",
    ("fused_op", "d_count", "merged_groups", "variant"),
)
def fused_direction(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.d_count == 0 and spec.fused_op is FusedOp.PASS_THROUGH:
        return None
    if spec.variant is not Variant.FORWARD:
        return f"{spec.variant} computes a gradient, to which {spec.fused_op} is not applied"
    if spec.merged_groups > 1:
        return f"{spec.fused_op} is not applied to {spec.merged_groups} groups at once"
    return None


@DIRECTION_RULES.rule(
    "Operations called MultiD... take one bias, the others none.", ("d_count", "fused_op")
)
def bias(spec: GroupedConvSpec, target: Target) -> str | None:
    wanted = 1 if spec.fused_op.takes_ds else 0
    if spec.d_count == wanted:
        return None
    return f"{spec.fused_op} takes {wanted} bias, not {spec.d_count}"


@DIRECTION_RULES.rule(
    "Groups are merged by powers of two up to 64, because CK tells them apart by exclusive or, and "
    "not in backward_data.",
    ("merged_groups", "variant"),
)
def merged_groups(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.merged_groups == 1:
        return None
    if spec.merged_groups not in MERGED_GROUPS:
        return f"{spec.merged_groups} groups at once are not a power of two up to 64"
    if spec.variant is Variant.BACKWARD_DATA:
        return f"{spec.variant} computes one group at a time"
    return None


@DIRECTION_RULES.rule(
    "Images with channels first are convolved forward, one group at a time, with filters of any "
    "size or of 1: CK has no descriptors for them, and those of ckdispatch are for these.",
    ("layout", "variant", "merged_groups", "specialization"),
)
def channels_first(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.layout.order is Order.CHANNELS_LAST:
        return None
    if spec.variant is not Variant.FORWARD:
        return f"{spec.variant} was asked for with {spec.layout}"
    if spec.merged_groups > 1:
        return f"{spec.merged_groups} groups at once were asked for with {spec.layout}"
    if spec.specialization is Specialization.FILTER_3X3:
        return f"{spec.specialization} was asked for with {spec.layout}"
    return None


@DIRECTION_RULES.rule(
    "Kernels for some filters alone are of the forward direction: in the others CK computes the "
    "same addresses with and without.",
    ("specialization",),
    Purpose.NAMES,
)
def specialization(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.specialization is Specialization.DEFAULT or spec.variant is Variant.FORWARD:
        return None
    return f"{spec.variant} has the same addresses with {spec.specialization} as without"


@DIRECTION_RULES.rule(
    "The pipeline decides how many buffers of LDS there are: two for compv4 and comp_async, one "
    "for the others. CK's functions of those take one, and a second would only keep workgroups "
    "from a compute unit.",
    ("lds_buffers", "pipeline"),
)
def lds_buffers(spec: GroupedConvSpec, target: Target) -> str | None:
    has = PIPELINE_CLASSES[spec.pipeline].lds_buffers
    if spec.lds_buffers == has:
        return None
    return f"the pipeline {spec.pipeline} has lds_buffers {has}, not {spec.lds_buffers}"


@DIRECTION_RULES.rule(
    "Waves are one group, those of compv5 two that take turns: with one group CK's compv5 has "
    "wrong sums, even of a single tile of k.",
    ("wave_groups", "pipeline"),
)
def wave_groups(spec: GroupedConvSpec, target: Target) -> str | None:
    has = PIPELINE_CLASSES[spec.pipeline].wave_groups
    if spec.wave_groups == has:
        return None
    return f"the pipeline {spec.pipeline} has wave_groups {has}, not {spec.wave_groups}"


@DIRECTION_RULES.rule(
    "The workgroups that are to share a compute unit must fit into it, with their LDS and with as "
    "many waves as its SIMDs hold.",
    ("blocks_per_cu", "tile", "waves"),
    Purpose.SPEED,
)
def blocks_per_cu(spec: GroupedConvSpec, target: Target) -> str | None:
    if spec.blocks_per_cu == 1:
        return None
    lack = unshared(spec, spec.blocks_per_cu, target)
    return f"blocks_per_cu {spec.blocks_per_cu} takes {lack}" if lack else None


@DIRECTION_RULES.rule(
    "Convolutions are not computed in packed dtypes such as pk_fp4: the positions of a filter tear "
    "channels apart that share a byte.",
    ("dtype_x", "dtype_w"),
)
def packed_dtype(spec: GroupedConvSpec, target: Target) -> str | None:
    packed = [one for one in (spec.dtype_x, spec.dtype_w) if target.arch.dtype(one).pack > 1]
    if not packed:
        return None
    return f"{packed[0]}, of which several elements share a byte, was asked for"
