# SPDX-License-Identifier: MIT
"""A legal GEMM spec to start from, GPUs to judge it on, and a family that is not GEMM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from ckarch import ArchSpecs, load_specs
from ckgen.core import codec
from ckgen.core.choice import Choice
from ckgen.core.errors import SpecError
from ckgen.core.family import EntryField, Family
from ckgen.core.rules import Rule
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from ckgen.gemm.spec import DLayout, GemmSpec, Variant
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Pipeline, Scheduler, SplitK

ARCH: ArchSpecs = load_specs()
GEMM: Family = FAMILIES["gemm"]

BASE = GemmSpec(
    variant=Variant.STANDARD,
    dtype_a=Dtype.FP16,
    dtype_b=Dtype.FP16,
    dtype_c=Dtype.FP16,
    dtype_acc=Dtype.FP32,
    layout=Layout.RCR,
    tile=Dim3(128, 128, 32),
    waves=Dim3(2, 2, 1),
    warp_tile=Dim3(32, 32, 16),
    pipeline=Pipeline.COMPV4,
    epilogue=Epilogue.CSHUFFLE,
    scheduler=Scheduler.INTRAWAVE,
    pad_m=False,
    pad_n=False,
    pad_k=False,
    persistent=False,
    split_k=SplitK.NONE,
    fused_op=FusedOp.PASS_THROUGH,
    d_count=0,
    dtype_d=Dtype.FP16,
    d_layout=DLayout.ROWS,
)
"""Legal on gfx942."""

BASE_NAME = (
    "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
)

ENTRY: dict[str, Any] = {
    "tile": [128, 128, 32],
    "waves": [2, 2, 1],
    "warp_tile": [32, 32, 16],
    "pipeline": "compv4",
}
"""An entry of a declaration that means ``BASE``."""


def gemm(**changes: Any) -> GemmSpec:
    """``BASE`` with some fields changed; plain triples become extents, and D has C's dtype."""
    values: dict[str, Any] = {
        key: Dim3(*value) if isinstance(value, tuple) else value for key, value in changes.items()
    }
    if "dtype_c" in values:
        values.setdefault("dtype_d", values["dtype_c"])
    return replace(BASE, **values)


SMALL: dict[str, Any] = {
    "tile": (64, 64, 32),
    "warp_tile": (16, 16, 16),
    "pipeline": Pipeline.COMPV3,
}
"""Changes that make ``BASE`` a small kernel, legal on gfx942 in every variant but preshuffle."""

OF_VARIANT: dict[Variant, dict[str, Any]] = {
    Variant.STANDARD: SMALL,
    Variant.BATCHED: {**SMALL, "variant": Variant.BATCHED},
    Variant.GROUPED: {**SMALL, "variant": Variant.GROUPED},
    Variant.MULTI_D: {
        **SMALL,
        "variant": Variant.MULTI_D,
        "fused_op": FusedOp.MULTI_D_ADD,
        "d_count": 2,
    },
    Variant.PRESHUFFLE: {
        "variant": Variant.PRESHUFFLE,
        "tile": (64, 64, 64),
        "waves": (1, 4, 1),
        "warp_tile": (16, 16, 32),
        "pipeline": Pipeline.PRESHUFFLEV2,
        "scheduler": Scheduler.DEFAULT,
    },
    Variant.STREAM_K: {**SMALL, "variant": Variant.STREAM_K, "split_k": SplitK.ATOMIC},
}
"""Changes that make ``BASE`` a small kernel of a variant, legal on gfx942."""


def of_variant(variant: Variant, /, **changes: Any) -> GemmSpec:
    """A small kernel of ``variant``, legal on gfx942 unless the changes make it illegal."""
    return gemm(**{**OF_VARIANT[variant], **changes})


def target(gpu: str = "gfx942", arch: ArchSpecs = ARCH, **changes: Any) -> Target:
    """A GPU of ``arch``, with some of its facts changed."""
    return Target(arch, replace(arch.gpu(gpu), **changes))


def declaration(*entries: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """A declaration of fp16 rcr GEMM kernels."""
    return {
        "family": "gemm",
        "dtype": "fp16",
        "layout": "rcr",
        **fields,
        "kernels": [dict(entry) for entry in entries],
    }


class Color(Choice):
    """What toys differ in."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


@dataclass(frozen=True)
class ToySpec(KernelSpec):
    """A spec with hardly any fields."""

    family: ClassVar[str] = "toy"

    color: Color
    size: int

    @property
    def name(self) -> str:
        return f"toy_{self.color}_{self.size}"


def _small(spec: ToySpec, where: Target) -> str | None:
    limit = where.gpu.wave_size
    return None if spec.size <= limit else f"size {spec.size} is more than {limit}"


def _not_blue(spec: ToySpec, where: Target) -> str | None:
    return "blue is not allowed" if spec.color is Color.BLUE else None


class ToyFamily(Family):
    """Proves that the core needs nothing of GEMM. Sizes up to the GPU's wave size are legal."""

    name = "toy"
    summary = "toys"
    spec_type = ToySpec
    rules = (
        Rule("toy.small", "A toy must not be larger than a wave.", ("size",), _small),
        Rule("toy.not_blue", "A toy must not be blue.", ("color",), _not_blue),
    )
    entry_fields = (
        EntryField("color", "its color", partial(codec.decode, Color), lambda t, c: tuple(Color)),
        EntryField(
            "size", "its size", partial(codec.decode, int), lambda t, c: (16, 32, 64), default=16
        ),
    )
    field_weights: ClassVar[Mapping[str, float]] = {}

    def build(self, choice: Mapping[str, Any], arch: ArchSpecs) -> ToySpec:
        return ToySpec(choice["color"], choice["size"])

    def parse_name(self, name: str) -> ToySpec:
        raise SpecError(f"{name!r} is no toy")

    def alternatives(self, spec: KernelSpec, field: str, where: Target) -> Iterable[Any]:
        return tuple(Color) if field == "color" else (8, 16, 32, 64)

    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        return {"name": spec.name}

    @property
    def template(self) -> Path:
        raise AssertionError("no test renders a toy")

    @property
    def headers(self) -> Mapping[str, Path]:
        return {}

    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        return (str(getattr(spec, field)),)

    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"family": self.name, "kernels": [{"color": "*", "size": "*"}]}


TOY = ToyFamily()
TOYS: Mapping[str, Family] = {"toy": TOY}
