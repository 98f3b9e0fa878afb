# SPDX-License-Identifier: MIT
"""Rules about pipelines: which variant, GPU and features they go with."""

from __future__ import annotations

from ckgen.core.rules import Rules
from ckgen.core.target import Target
from ckgen.fmha.spec import PIPELINES, Bias, Dtype, FmhaSpec, Mode, Pipeline

PIPELINE_RULES = Rules("fmha")

_TRANSPOSING = frozenset({Pipeline.TRLOAD, Pipeline.V3, Pipeline.KR_TRLOAD, Pipeline.QR_TRLOAD})
_MOST_WITH_SLOPES = 64
_16_BIT_ONLY = _TRANSPOSING | {Pipeline.QR_ASYNC}


@PIPELINE_RULES.rule(
    "Each variant has its own pipelines, and those without matrix products have none.",
    ("pipeline",),
)
def pipeline_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    have = PIPELINES[spec.variant]
    return (
        None
        if spec.pipeline in have
        else f"{spec.variant} has the pipelines {', '.join(have)}, not {spec.pipeline}"
    )


@PIPELINE_RULES.rule("qr_async needs loads that go straight to LDS.", ("pipeline", "variant"))
def async_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.QR_ASYNC or target.gpu.loads_to_lds:
        return None
    return f"{target.name} has no loads straight to LDS, which {spec.pipeline} needs"


@PIPELINE_RULES.rule(
    "trload, kr_trload, qr_trload and v3 need reads from LDS that transpose.", ("pipeline",)
)
def transposing_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline not in _TRANSPOSING or target.gpu.lds_transposing_loads:
        return None
    return f"{target.name} has no transposing reads from LDS, which {spec.pipeline} needs"


@PIPELINE_RULES.rule(
    "Loads straight to LDS, and those that transpose, are of 16-bit elements.",
    ("pipeline", "dtype"),
)
def pipeline_dtype(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline not in _16_BIT_ONLY or spec.dtype in (Dtype.FP16, Dtype.BF16):
        return None
    return f"the pipeline {spec.pipeline} is for fp16 and bf16, not {spec.dtype}"


@PIPELINE_RULES.rule(
    "trload has no bias, dropout, soft cap or skipped sequences.",
    ("bias", "dropout", "soft_cap", "skip_min", "pipeline"),
)
def trload_features(spec: FmhaSpec, target: Target) -> str | None:
    return _only(spec, Pipeline.TRLOAD, ("dropout", "soft_cap", "skip_min"))


@PIPELINE_RULES.rule(
    "v3 has a mask and lse, but no bias, dropout, soft cap or skipped sequences.",
    ("bias", "dropout", "soft_cap", "skip_min", "pipeline"),
)
def v3_features(spec: FmhaSpec, target: Target) -> str | None:
    return _only(spec, Pipeline.V3, ("dropout", "soft_cap", "skip_min"))


@PIPELINE_RULES.rule("v3 is for mode batch.", ("mode", "pipeline"))
def v3_mode(spec: FmhaSpec, target: Target) -> str | None:
    return (
        "the pipeline v3 does not know packed sequences"
        if spec.pipeline is Pipeline.V3 and spec.mode is Mode.GROUP
        else None
    )


@PIPELINE_RULES.rule(
    "qr_trload, which keeps all rows of q, is for mode batch and has no mask.",
    ("mode", "mask", "pipeline"),
)
def few_rows_mode(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.QR_TRLOAD:
        return None
    if spec.mode is Mode.GROUP:
        return "the pipeline qr_trload does not know packed sequences"
    return "the pipeline qr_trload has no mask" if spec.mask else None


@PIPELINE_RULES.rule(
    "qr_trload writes dq itself and once, so that there is no order to choose.",
    ("deterministic", "pipeline"),
)
def few_rows_order(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.QR_TRLOAD or not spec.deterministic:
        return None
    return (
        "the pipeline qr_trload adds nothing up between workgroups, and is not made deterministic"
    )


@PIPELINE_RULES.rule(
    "qr_trload has no elementwise bias: it walks over keys, and CK moves the window of the bias "
    "over rows.",
    ("bias", "pipeline"),
)
def few_rows_bias(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.QR_TRLOAD or spec.bias is not Bias.ELEMENTWISE:
        return None
    return "the pipeline qr_trload adds the bias of other keys than those it has"


@PIPELINE_RULES.rule(
    "qr_trload with slopes is for head size 64: of 128 it spills registers, and its gradients are "
    "wrong.",
    ("bias", "hdim_q", "pipeline"),
)
def few_rows_slopes(spec: FmhaSpec, target: Target) -> str | None:
    if (
        spec.pipeline is not Pipeline.QR_TRLOAD
        or spec.bias is not Bias.ALIBI
        or spec.hdim_q <= _MOST_WITH_SLOPES
    ):
        return None
    return (
        f"the pipeline qr_trload has slopes for head sizes up to {_MOST_WITH_SLOPES}, not "
        f"{spec.hdim_q}"
    )


def _only(spec: FmhaSpec, pipeline: Pipeline, without: tuple[str, ...]) -> str | None:
    """A complaint about what ``pipeline`` is without."""
    if spec.pipeline is not pipeline:
        return None
    if spec.bias is not Bias.NONE:
        return f"the pipeline {pipeline} has no {spec.bias} bias"
    found = next((name for name in without if getattr(spec, name)), None)
    return f"the pipeline {pipeline} has no {found}" if found else None
