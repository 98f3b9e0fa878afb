# SPDX-License-Identifier: MIT
"""Rules about what a kernel computes: which variant has which features, dtypes and modes."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.fmha.spec import (
    ALWAYS,
    ANY_MODE,
    BIASED,
    SWITCHES,
    SWITCHES_OF,
    Bias,
    Dtype,
    FmhaSpec,
    Mode,
    Rotary,
    Variant,
)
from ckgen.fmha.tilings import Kind, kinds

SIGNATURE_RULES = Rules("fmha")

_GRADIENTS = frozenset({Variant.DOT_DO_O, Variant.DQ_DK_DV, Variant.CONVERT_DQ, Variant.SUM})
_16_BIT = frozenset({Dtype.FP16, Dtype.BF16})
_OUR_OWN = frozenset({Variant.SUM, Variant.SINK})
_ON_WMMA_TWICE = (
    frozenset({Variant.FWD, Variant.SPLITKV, Variant.COMBINE, Variant.PAGEDKV}) | _OUR_OWN
)
_MULTIPLYING = frozenset(
    {Variant.FWD, Variant.SPLITKV, Variant.PAGEDKV, Variant.BATCH_PREFILL, Variant.DQ_DK_DV}
)
MAX_SPLITS = (8, 16, 32, 64, 128)

_DTYPES: dict[Variant, frozenset[Dtype]] = {
    Variant.FWD: frozenset(Dtype),
    Variant.SPLITKV: _16_BIT | {Dtype.FP8, Dtype.FP8BF16},
    Variant.COMBINE: frozenset(Dtype),
    Variant.PAGEDKV: _16_BIT | {Dtype.FP8, Dtype.FP8BF16},
    Variant.APPENDKV: _16_BIT | {Dtype.FP8},
    Variant.BATCH_PREFILL: _16_BIT,
    **dict.fromkeys((*_GRADIENTS, Variant.SINK), _16_BIT | {Dtype.FP32}),
}


def _listed(words: frozenset[Dtype]) -> str:
    return ", ".join(dtype for dtype in Dtype if dtype in words)


@SIGNATURE_RULES.rule(
    "batch_prefill needs loads that go straight to LDS; where a wave holds operands twice there is "
    "only forward, in one launch, over pages or in parts.",
    ("variant",),
)
def variant_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is Variant.BATCH_PREFILL and not target.gpu.loads_to_lds:
        return f"{target.name} has no loads straight to LDS, which batch_prefill is made of"
    if Kind.WMMA_TWICE in kinds(target.gpu) and spec.variant not in _ON_WMMA_TWICE:
        return f"CK's {spec.variant} does not fit the matrix instructions of {target.name}"
    return None


@SIGNATURE_RULES.rule(
    "Each variant has its dtypes: backward none of 8 bits, batch_prefill only those of 16.",
    ("dtype", "variant"),
)
def dtype_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    have = _DTYPES[spec.variant]
    return (
        None
        if spec.dtype in have
        else f"{spec.variant} is not made for {spec.dtype}, only for {_listed(have)}"
    )


@SIGNATURE_RULES.rule(
    "fp8 needs a GPU with instructions for it: emulated it is slow, and wrong at head size 64.",
    ("dtype",),
)
def fp8_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    if not spec.dtype.is_fp8 or (target.gpu.fp8_encoding != "none" and not target.gpu.fp8_emulated):
        return None
    return f"{target.name} has no instructions for {spec.dtype}"


@SIGNATURE_RULES.rule("What multiplies fp32 needs matrix instructions for it.", ("dtype",))
def fp32_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    if (
        spec.dtype is not Dtype.FP32
        or spec.variant not in _MULTIPLYING
        or "fp32_fp32_fp32" in target.gpu.warp_tiles
    ):
        return None
    return f"{target.name} does not multiply fp32 by matrix instructions"


@SIGNATURE_RULES.rule(
    "appendkv, sum and sink know no packed sequences: they take each by its strides, "
    "and have mode batch.",
    ("mode",),
    Purpose.NAMES,
)
def mode_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    if spec.mode is Mode.BATCH or spec.variant in ANY_MODE:
        return None
    return f"{spec.variant} has no kernels of mode group"


@SIGNATURE_RULES.rule(
    "A feature is on only in kernels of a variant that has it.", SWITCHES, Purpose.NAMES
)
def features_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    have = SWITCHES_OF[spec.variant]
    for switch in SWITCHES:
        if switch not in have and getattr(spec, switch):
            return (
                f"{spec.variant} has no {switch}, only "
                f"{', '.join(s for s in SWITCHES if s in have) or 'what it always does'}"
            )
    return None


@SIGNATURE_RULES.rule(
    "splitkv always stores lse, which its parts are combined by; "
    "pagedkv and batch_prefill always have pages.",
    ("lse", "paged"),
    Purpose.NAMES,
)
def features_always_on(spec: FmhaSpec, target: Target) -> str | None:
    missing = [
        switch
        for switch in SWITCHES
        if switch in ALWAYS[spec.variant] and not getattr(spec, switch)
    ]
    return f"{spec.variant} always has {missing[0]}" if missing else None


@SIGNATURE_RULES.rule(
    "Only what computes scores, forward or backward, has a bias.", ("bias",), Purpose.NAMES
)
def bias_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    if spec.bias is Bias.NONE or spec.variant in BIASED:
        return None
    return f"{spec.variant} computes no scores that {spec.bias} bias could be added to"


@SIGNATURE_RULES.rule("Only appendkv rotates.", ("rotary",), Purpose.NAMES)
def rotary_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    return (
        None
        if spec.rotary is Rotary.NONE or spec.variant is Variant.APPENDKV
        else f"{spec.variant} rotates nothing"
    )


@SIGNATURE_RULES.rule(
    "appendkv of fp8 neither rotates nor knows pages.", ("rotary", "paged", "dtype")
)
def fp8_append(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is not Variant.APPENDKV or not spec.dtype.is_fp8:
        return None
    if spec.rotary is not Rotary.NONE:
        return f"appendkv cannot rotate {spec.dtype}"
    return f"appendkv of {spec.dtype} has no pages" if spec.paged else None


@SIGNATURE_RULES.rule("A soft cap excludes a bias, ALiBi too.", ("soft_cap", "bias"))
def soft_cap_without_bias(spec: FmhaSpec, target: Target) -> str | None:
    return (
        f"the soft cap does not go with {spec.bias} bias"
        if spec.soft_cap and spec.bias is not Bias.NONE
        else None
    )


@SIGNATURE_RULES.rule(
    "Scales of whole tensors are those of fp8.", ("scales", "dtype"), Purpose.NAMES
)
def scales_of_fp8(spec: FmhaSpec, target: Target) -> str | None:
    return f"{spec.dtype} is not scaled" if spec.scales and not spec.dtype.is_fp8 else None


@SIGNATURE_RULES.rule(
    "fp8 has neither dropout nor a soft cap: P is rounded to 8 bits before either could act on it.",
    ("dropout", "soft_cap", "dtype"),
)
def fp8_features(spec: FmhaSpec, target: Target) -> str | None:
    if not spec.dtype.is_fp8:
        return None
    if spec.dropout:
        return f"{spec.dtype} has no dropout"
    return f"{spec.dtype} has no soft cap" if spec.soft_cap else None


@SIGNATURE_RULES.rule(
    "Sequences of few rows can be left out only where each has a length of its own: in mode group.",
    ("skip_min", "mode"),
)
def skip_in_groups(spec: FmhaSpec, target: Target) -> str | None:
    return (
        "in mode batch all sequences have the same rows"
        if spec.skip_min and spec.mode is Mode.BATCH
        else None
    )


@SIGNATURE_RULES.rule(
    "Heads that became rows have neither a mask nor a bias, whose rows they would no longer be.",
    ("merged", "mask", "bias"),
)
def merged_heads(spec: FmhaSpec, target: Target) -> str | None:
    if not spec.merged or (not spec.mask and spec.bias is Bias.NONE):
        return None
    return f"merged heads do not go with {'a mask' if spec.mask else f'{spec.bias} bias'}"


@SIGNATURE_RULES.rule(
    "Merged heads are a batch's: in mode group rows of several heads are not evenly apart.",
    ("merged", "mode"),
)
def merged_in_batches(spec: FmhaSpec, target: Target) -> str | None:
    return "merged heads are for mode batch" if spec.merged and spec.mode is Mode.GROUP else None


@SIGNATURE_RULES.rule(
    "The gradient of a bias is that of an elementwise one.", ("bias_grad", "bias")
)
def bias_grad_of_bias(spec: FmhaSpec, target: Target) -> str | None:
    if not spec.bias_grad or spec.bias is Bias.ELEMENTWISE:
        return None
    return (
        f"{spec.bias} bias has no gradient"
        if spec.bias is not Bias.NONE
        else "there is no bias to have a gradient"
    )


@SIGNATURE_RULES.rule(
    "combine takes up to 8, 16, 32, 64 or 128 parts; other variants have no such limit.",
    ("max_splits",),
)
def parts_to_combine(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is Variant.COMBINE:
        known = ", ".join(map(str, MAX_SPLITS))
        return (
            None
            if spec.max_splits in MAX_SPLITS
            else f"combine takes up to {known} parts, not {spec.max_splits}"
        )
    return f"{spec.variant} combines nothing" if spec.max_splits else None
