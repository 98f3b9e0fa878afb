# SPDX-License-Identifier: MIT
"""The spec of one attention kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ckgen.core.choice import Choice
from ckgen.core.spec import KernelSpec
from ckgen.core.tile import Extents


class Variant(Choice):
    """Which part of attention a kernel computes."""

    FWD = "fwd"
    SPLITKV = "splitkv"
    COMBINE = "combine"
    PAGEDKV = "pagedkv"
    APPENDKV = "appendkv"
    BATCH_PREFILL = "batch_prefill"
    DOT_DO_O = "dot_do_o"
    DQ_DK_DV = "dq_dk_dv"
    CONVERT_DQ = "convert_dq"
    SUM = "sum"
    SINK = "sink"


class Dtype(Choice):
    """What q, k, v and o are; of ``fp8bf16`` and ``fp8fp32`` o is the second word."""

    FP16 = "fp16"
    BF16 = "bf16"
    FP32 = "fp32"
    FP8 = "fp8"
    FP8BF16 = "fp8bf16"
    FP8FP32 = "fp8fp32"

    @property
    def operand(self) -> str:
        """What q, k and v are."""
        return "fp8" if self.value.startswith("fp8") else self.value

    @property
    def output(self) -> str:
        """What o is."""
        return self.value.removeprefix("fp8") or "fp8"

    @property
    def is_fp8(self) -> bool:
        """Whether q, k and v are of 8 bits."""
        return self.operand == "fp8"


class Mode(Choice):
    """Whether sequences lie in a dimension of their own, or packed one behind the other."""

    BATCH = "batch"
    GROUP = "group"


class Bias(Choice):
    """What is added to the scores."""

    NONE = "none"
    ELEMENTWISE = "elementwise"
    ALIBI = "alibi"


class Rotary(Choice):
    """Which elements of a head are rotated together: neighbours, or those of its two halves."""

    NONE = "none"
    INTERLEAVED = "interleaved"
    HALF = "half"


class Pipeline(Choice):
    """How tiles travel from memory to the matrix instructions;
    kernels without these have ``none``.
    """

    NONE = "none"
    QR = "qr"
    QR_ASYNC = "qr_async"
    TRLOAD = "trload"
    V3 = "v3"
    KR = "kr"
    KR_TRLOAD = "kr_trload"
    QR_TRLOAD = "qr_trload"


ATTENDING = frozenset({Variant.FWD, Variant.SPLITKV, Variant.PAGEDKV, Variant.BATCH_PREFILL})
"""The variants that multiply q, k and v, each with the tile [bm0, bn0, bk0, bn1, bk1, bk0max]."""

PIPELINES: dict[Variant, tuple[Pipeline, ...]] = {
    **dict.fromkeys(Variant, (Pipeline.NONE,)),
    Variant.FWD: (Pipeline.QR, Pipeline.QR_ASYNC, Pipeline.TRLOAD, Pipeline.V3),
    Variant.SPLITKV: (Pipeline.QR,),
    Variant.PAGEDKV: (Pipeline.QR,),
    Variant.BATCH_PREFILL: (Pipeline.QR_ASYNC,),
    Variant.DQ_DK_DV: (Pipeline.KR, Pipeline.KR_TRLOAD, Pipeline.QR_TRLOAD),
}
"""Those that each variant has, the usual one first."""

SWITCHES = (
    "mask",
    "lse",
    "dropout",
    "soft_cap",
    "scales",
    "paged",
    "merged",
    "skip_min",
    "bias_grad",
    "deterministic",
)
"""The fields of a spec that are true or false, in the order of its name."""

SWITCHES_OF: dict[Variant, frozenset[str]] = {
    Variant.FWD: frozenset({"mask", "lse", "dropout", "soft_cap", "scales", "skip_min"}),
    Variant.SPLITKV: frozenset({"mask", "lse", "soft_cap", "scales", "paged", "merged"}),
    Variant.COMBINE: frozenset({"lse", "scales"}),
    Variant.PAGEDKV: frozenset({"mask", "lse", "soft_cap", "scales", "paged", "skip_min"}),
    Variant.APPENDKV: frozenset({"paged"}),
    Variant.BATCH_PREFILL: frozenset({"mask", "lse", "dropout", "soft_cap", "paged"}),
    Variant.DOT_DO_O: frozenset(),
    Variant.DQ_DK_DV: frozenset({"mask", "dropout", "bias_grad", "deterministic"}),
    Variant.CONVERT_DQ: frozenset({"deterministic"}),
    Variant.SUM: frozenset(),
    Variant.SINK: frozenset(),
}
"""What the kernels of a variant can be made with or without."""

ALWAYS: dict[Variant, frozenset[str]] = {
    **dict.fromkeys(Variant, frozenset[str]()),
    Variant.SPLITKV: frozenset({"lse"}),
    Variant.PAGEDKV: frozenset({"paged"}),
    Variant.BATCH_PREFILL: frozenset({"paged"}),
}
"""The switches that are on in every kernel of a variant: parts need lse to be combined, and pages
are what the others are for.
"""

BIASED = frozenset(
    {Variant.FWD, Variant.SPLITKV, Variant.PAGEDKV, Variant.BATCH_PREFILL, Variant.DQ_DK_DV}
)
ANY_MODE = frozenset(Variant) - {Variant.APPENDKV, Variant.SUM, Variant.SINK}
"""Those that also know packed sequences; to the others only strides matter."""


@dataclass(frozen=True)
class FmhaSpec(KernelSpec):
    """One attention kernel: what it computes, up to ``max_splits``, and how.

    A switch that means nothing to a variant is false, an extent 0 and a row of extents empty.
    ``scales`` are those of fp8, ``merged`` makes rows of the heads that share keys, ``skip_min``
    leaves out sequences of few rows, ``bias_grad`` stores dbias. Kernels of which only one head
    size matters have it twice; those of ``sum`` and ``sink`` serve all up to it.
    """

    family: ClassVar[str] = "fmha"

    variant: Variant
    dtype: Dtype
    mode: Mode
    hdim_q: int
    hdim_v: int
    mask: bool
    lse: bool
    dropout: bool
    soft_cap: bool
    scales: bool
    paged: bool
    merged: bool
    skip_min: bool
    bias_grad: bool
    deterministic: bool
    bias: Bias
    rotary: Rotary
    max_splits: int
    pipeline: Pipeline
    tile: Extents
    waves: Extents
    """Along the axes of the products. Where there are none: how often 64 lanes, and of ``combine``
    whole waves.
    """
    warp_tile: Extents
    pads: Extents
    """Whether rows of q, keys, hdim_q and hdim_v may be other than multiples: 0, 1, or 8 for head
    sizes in multiples of 8.
    """
    occupancy: int
    """Waves per SIMD that the compiler is told to leave registers for."""

    @property
    def attends(self) -> bool:
        """Whether it multiplies q, k and v."""
        return self.variant in ATTENDING

    @property
    def wave_count(self) -> int:
        """Waves of a workgroup, or how often 64 lanes."""
        count = 1
        for extent in self.waves[:3]:
            count *= extent
        return count

    @cached_property
    def name(self) -> str:
        parts = [self.family, self.variant, self.dtype, self.mode, f"h{self.hdim_q}x{self.hdim_v}"]
        parts += [word for switch, word in SWITCH_WORDS.items() if getattr(self, switch)]
        parts += [BIAS_WORDS[self.bias], ROTARY_WORDS[self.rotary]]
        parts += [f"s{self.max_splits}" if self.max_splits else ""]
        parts += [self.pipeline if self.pipeline is not Pipeline.NONE else ""]
        parts += [f"t{self.tile}", f"w{self.waves}", f"i{self.warp_tile}" if self.warp_tile else ""]
        parts += [f"p{self.pads}", f"o{self.occupancy}"]
        return "_".join(map(str, filter(None, parts)))


SWITCH_WORDS = {
    **{switch: switch for switch in SWITCHES},
    "soft_cap": "cap",
    "skip_min": "skip",
    "bias_grad": "dbias",
    "deterministic": "det",
}
BIAS_WORDS = {Bias.NONE: "", Bias.ELEMENTWISE: "bias", Bias.ALIBI: "alibi"}
ROTARY_WORDS = {Rotary.NONE: "", Rotary.INTERLEAVED: "interleaved", Rotary.HALF: "half"}
