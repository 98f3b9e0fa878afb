# SPDX-License-Identifier: MIT
"""The variables of the attention template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.spec import canonical_json
from ckgen.fmha.spec import FmhaSpec, Pipeline, Variant

_TILE_LENGTH = 9
_LANES_OF_64 = frozenset(
    {Variant.APPENDKV, Variant.CONVERT_DQ, Variant.DOT_DO_O, Variant.SUM, Variant.SINK}
)
"""Variants whose workgroups have the same size on every GPU."""


@dataclass(frozen=True)
class Stage:
    """How the sources of a variant's kernels are written."""

    name: str
    """Of the structure on the host."""
    arguments: str
    """Of the structure that the kernel takes, in the header of its ``plan``."""
    plan: str
    run: str
    """The function on the device that gives a CK kernel its arguments."""
    template: str
    """What makes a ``Kernel`` of the spec."""


STAGES: Mapping[Variant, Stage] = {
    Variant.FWD: Stage("Forward", "AttentionArgs", "attention", "run_forward", "fwd"),
    Variant.SPLITKV: Stage("SplitKv", "AttentionArgs", "attention", "run_split", "splitkv"),
    Variant.COMBINE: Stage("Combine", "CombineArgs", "combine", "run_combine", "combine"),
    Variant.PAGEDKV: Stage("PagedKv", "AttentionArgs", "attention", "run_paged", "pagedkv"),
    Variant.APPENDKV: Stage("AppendKv", "AppendArgs", "append", "run_append", "appendkv"),
    Variant.BATCH_PREFILL: Stage(
        "BatchPrefill", "AttentionArgs", "attention", "run_listed", "batch_prefill"
    ),
    Variant.DOT_DO_O: Stage("Dot", "DotArgs", "backward", "run_dot", "dot_do_o"),
    Variant.DQ_DK_DV: Stage("Gradients", "GradientArgs", "backward", "run_gradient", "dq_dk_dv"),
    Variant.CONVERT_DQ: Stage("Convert", "ConvertArgs", "backward", "run_convert", "convert_dq"),
    Variant.SUM: Stage("Sum", "SumArgs", "sum", "run_sum", "sum"),
    Variant.SINK: Stage("Sink", "SinkArgs", "sink", "run_sink", "sink"),
}

_PIPELINES: Mapping[tuple[Variant, Pipeline], str] = {
    (Variant.FWD, Pipeline.QR): "ck_kernel::fmha::Qr",
    (Variant.FWD, Pipeline.QR_ASYNC): "ck_tile::BlockFmhaPipelineQRKSVSAsync",
    (Variant.FWD, Pipeline.TRLOAD): "ck_tile::BlockFmhaPipelineQRKSVSAsyncTrload",
    (Variant.SPLITKV, Pipeline.QR): "ck_kernel::fmha::SplitQr",
    (Variant.PAGEDKV, Pipeline.QR): "ck_kernel::fmha::PagedQr",
    (Variant.BATCH_PREFILL, Pipeline.QR_ASYNC): "ck_tile::BlockFmhaBatchPrefillPipelineQRKSVSAsync",
}


def context(spec: FmhaSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """What ``kernel.cpp.j2`` sees."""
    q, o = arch.dtype(spec.dtype.operand), arch.dtype(spec.dtype.output)
    bias = arch.dtype("fp32") if spec.dtype.is_fp8 else q
    return {
        "spec": spec,
        "name": spec.name,
        "spec_json": canonical_json({**spec.to_json(), "name": spec.name}),
        "stage": STAGES[spec.variant],
        "group": spec.mode == "group",
        "types": {"q": q.cxx_type, "o": o.cxx_type, "bias": bias.cxx_type},
        "bytes": {"q": int(q.bytes), "o": int(o.bytes), "bias": int(bias.bytes)},
        "tile": [*spec.tile, *([0] * (_TILE_LENGTH - len(spec.tile)))],
        "lanes": 64 if spec.variant in _LANES_OF_64 else 0,
        "pads": [bool(pad) for pad in spec.pads],
        "pipeline": _PIPELINES.get((spec.variant, spec.pipeline), ""),
        "log_splits": spec.max_splits.bit_length() - 1,
    }
