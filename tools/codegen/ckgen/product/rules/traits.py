# SPDX-License-Identifier: MIT
"""Rules about which dtypes, epilogue and scheduler go with which pipeline, whatever the GPU has."""

from __future__ import annotations

from ckgen.core.rules import Rules
from ckgen.core.target import Target
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Epilogue, Layout, Pipeline, ProductSpec, Scheduler

ONE_DTYPE_PIPELINES = (Pipeline.MEM, Pipeline.COMPV3)
"""Those whose policy has one dtype for both operands, which is that of A."""

PIPELINE_RULES = Rules()
"""Other rules ask what the pipeline needs, so it has to be decided before them."""


@PIPELINE_RULES.rule(
    "The variant preshuffle has the pipeline preshufflev2, and no other variant has it or the "
    "scheduler default.",
    ("pipeline", "scheduler", "preshuffled"),
)
def preshuffle_pipeline(spec: ProductSpec, target: Target) -> str | None:
    preshuffle = spec.pipeline is Pipeline.PRESHUFFLEV2
    if preshuffle is not spec.preshuffled:
        return f"the pipeline {spec.pipeline} does not go with the variant {spec.variant}"
    if not preshuffle and spec.scheduler is Scheduler.DEFAULT:
        return f"the scheduler {spec.scheduler} does not go with the pipeline {spec.pipeline}"
    return None


TRAIT_RULES = Rules()


@TRAIT_RULES.rule(
    "A and B of different dtypes need a pipeline that keeps them apart: mem and compv3 read B as "
    "if it were of A's dtype.",
    ("pipeline", "dtype_b"),
)
def mixed_dtypes(spec: ProductSpec, target: Target) -> str | None:
    """CK's universal policy takes the matrix instruction of ComputeDataType times ComputeDataType.

    Seen with fp8 x bf8 128x128x32 on gfx90a, compv3: 2 in B counts as 1.5, which is what the bits
    of 2 in E5M2 mean in E4M3. The policies of compv4 and compv6 name both dtypes and are right.
    """
    if spec.dtype_a is spec.dtype_b or spec.pipeline not in ONE_DTYPE_PIPELINES:
        return None
    return (
        f"the pipeline {spec.pipeline} multiplies {spec.dtype_a} x {spec.dtype_b} "
        f"as if B were of {spec.dtype_a} too"
    )


@TRAIT_RULES.rule(
    "The interwave scheduler works only with the mem pipeline.", ("scheduler", "pipeline")
)
def interwave_only_mem(spec: ProductSpec, target: Target) -> str | None:
    if spec.scheduler is not Scheduler.INTERWAVE or spec.pipeline is Pipeline.MEM:
        return None
    return f"the interwave scheduler does not exist for the pipeline {spec.pipeline}, only for mem"


@TRAIT_RULES.rule(
    "Pipeline, epilogue and scheduler must not be a combination that the arch table rules out.",
    ("scheduler", "epilogue", "pipeline"),
)
def unsupported_traits(spec: ProductSpec, target: Target) -> str | None:
    traits = (spec.pipeline, spec.epilogue, spec.scheduler)
    if traits not in target.arch.unsupported_traits:
        return None
    return f"the combination {', '.join(traits)} is listed as unsupported"


def takes_turns(spec: ProductSpec) -> bool:
    """Whether the waves of a workgroup have different tiles of k, as those of compv5."""
    return PIPELINE_CLASSES[spec.pipeline].takes_turns


@TRAIT_RULES.rule(
    "The pipeline compv5 needs A and B with contiguous k: CK sets its second wave a tile ahead "
    "along that axis, whatever the layout.",
    ("operand_layout", "pipeline"),
)
def compv5_layout(spec: ProductSpec, target: Target) -> str | None:
    layout = spec.operand_layout
    if not takes_turns(spec) or layout is Layout.RCR:
        return None
    return f"the pipeline {spec.pipeline} does not go with the layout {layout}, only with rcr"


@TRAIT_RULES.rule(
    "The pipeline compv5 needs the default epilogue: of its two waves the first stores C, and the "
    "barriers of cshuffle wait for the second, which has ended.",
    ("epilogue", "pipeline"),
)
def compv5_epilogue(spec: ProductSpec, target: Target) -> str | None:
    if not takes_turns(spec) or spec.epilogue is Epilogue.DEFAULT:
        return None
    return (
        f"of the waves of the pipeline {spec.pipeline} one stores C, and the {spec.epilogue} "
        "epilogue has barriers for all"
    )
