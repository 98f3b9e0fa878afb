# SPDX-License-Identifier: MIT
"""Rules about head sizes."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.fmha.spec import Bias, FmhaSpec, Pipeline, Variant
from ckgen.fmha.tilings import head_sizes

HEAD_RULES = Rules("fmha")

_LARGEST = 256
_TRANSPOSED = {
    Pipeline.V3: (128,),
    **dict.fromkeys((Pipeline.TRLOAD, Pipeline.KR_TRLOAD, Pipeline.QR_TRLOAD), (64, 128)),
}


@HEAD_RULES.rule(
    "Head sizes are multiples of 8 from 8 to 256; smaller ones of a problem are padded.",
    ("hdim_q", "hdim_v"),
)
def head_size_range(spec: FmhaSpec, target: Target) -> str | None:
    for name, size in (("hdim_q", spec.hdim_q), ("hdim_v", spec.hdim_v)):
        if size % 8 or not 0 < size <= _LARGEST:
            return f"{name} {size} is not a multiple of 8 from 8 to {_LARGEST}"
    return None


@HEAD_RULES.rule(
    "Only fwd has kernels for two different head sizes; "
    "a kernel that knows one of them has it twice.",
    ("hdim_v", "hdim_q"),
    Purpose.NAMES,
)
def one_head_size(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is Variant.FWD or spec.hdim_q == spec.hdim_v:
        return None
    return f"{spec.variant} has one head size, not {spec.hdim_q} and {spec.hdim_v}"


@HEAD_RULES.rule(
    "A variant has kernels for the head sizes that CK has tiles for on the GPU.",
    ("hdim_q", "hdim_v"),
)
def head_size_on_gpu(spec: FmhaSpec, target: Target) -> str | None:
    have = head_sizes(target.gpu, spec.variant, spec.dtype)
    if (spec.hdim_q, spec.hdim_v) in have:
        return None
    listed = ", ".join(str(q) if q == v else f"{q} with {v}" for q, v in have)
    sizes = str(spec.hdim_q) if spec.hdim_q == spec.hdim_v else f"{spec.hdim_q} with {spec.hdim_v}"
    return (
        f"{spec.variant} of {spec.dtype} has no head size {sizes} on {target.name}, only "
        f"{listed or 'none at all'}"
    )


@HEAD_RULES.rule(
    "Head sizes 192 with 128 have neither bias nor dropout.", ("hdim_v", "bias", "dropout")
)
def unequal_heads(spec: FmhaSpec, target: Target) -> str | None:
    if (spec.hdim_q, spec.hdim_v) != (192, 128):
        return None
    if spec.bias is not Bias.NONE:
        return f"head sizes 192 with 128 have no {spec.bias} bias"
    return "head sizes 192 with 128 have no dropout" if spec.dropout else None


@HEAD_RULES.rule(
    "trload and v3 are for equal head sizes of 64 or 128, v3 for 128 only.",
    ("hdim_q", "hdim_v", "pipeline"),
)
def transposing_heads(spec: FmhaSpec, target: Target) -> str | None:
    sizes = _TRANSPOSED.get(spec.pipeline)
    if sizes is None or (spec.hdim_q in sizes and spec.hdim_q == spec.hdim_v):
        return None
    return (
        f"the pipeline {spec.pipeline} is for head sizes of {' or '.join(map(str, sizes))}, not "
        f"{spec.hdim_q} with {spec.hdim_v}"
    )
