# SPDX-License-Identifier: MIT
"""Rules about which pipeline, epilogue and scheduler go together."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.pipelines import PIPELINE_CLASSES
from ckgen.gemm.spec import GemmSpec, Pipeline, Scheduler


def _interwave_only_mem(spec: GemmSpec, target: Target) -> str | None:
    if spec.scheduler is not Scheduler.INTERWAVE or spec.pipeline is Pipeline.MEM:
        return None
    return f"the interwave scheduler does not exist for the pipeline {spec.pipeline}, only for mem"


def _unsupported_traits(spec: GemmSpec, target: Target) -> str | None:
    traits = (spec.pipeline, spec.epilogue, spec.scheduler)
    if traits not in target.arch.unsupported_traits:
        return None
    return f"the combination {', '.join(traits)} is listed as unsupported"


def _compv5_unusable(spec: GemmSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.COMPV5:
        return None
    return (
        f"the pipeline compv5 with the {spec.epilogue} epilogue gives no usable kernel: cshuffle "
        "fails a static assertion in CK, and the default epilogue spills thousands of registers"
    )


def _persistent_pipeline(spec: GemmSpec, target: Target) -> str | None:
    if not spec.persistent or PIPELINE_CLASSES[spec.pipeline].persistent:
        return None
    return f"the pipeline {spec.pipeline} has no persistent form and would run as if it were not"


TRAIT_RULES: tuple[Rule, ...] = (
    Rule(
        "gemm.interwave_only_mem",
        "The interwave scheduler works only with the mem pipeline.",
        ("scheduler", "pipeline"),
        _interwave_only_mem,
    ),
    Rule(
        "gemm.unsupported_traits",
        "Pipeline, epilogue and scheduler must not be a combination that the arch table rules out.",
        ("scheduler", "epilogue", "pipeline"),
        _unsupported_traits,
    ),
    Rule(
        "gemm.compv5_unusable",
        "The compv5 pipeline is refused: this compiler makes no usable kernel of it, with either "
        "epilogue.",
        ("pipeline",),
        _compv5_unusable,
    ),
    Rule(
        "gemm.persistent_pipeline",
        "A persistent kernel needs a pipeline that can be run in a loop over tiles.",
        ("persistent", "pipeline"),
        _persistent_pipeline,
    ),
)
