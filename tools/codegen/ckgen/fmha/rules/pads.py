# SPDX-License-Identifier: MIT
"""Rules about pads: which lengths and head sizes a kernel takes that are no
multiples of its tile.
"""

from __future__ import annotations

from ckarch.model import MatrixIsa

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.fmha.geometry import attending_tile
from ckgen.fmha.spec import FmhaSpec, Mode, Pipeline, Variant

PAD_RULES = Rules("fmha")

_CONVERTED_AT_ONCE = 4
"""Elements of dq that a lane loads, adds up and stores together."""

_NAMES = ("rows of q", "keys", "hdim_q", "hdim_v")
_FIXED: dict[Variant, tuple[int | None, ...]] = {
    Variant.COMBINE: (None, 0, 0, None),
    Variant.DOT_DO_O: (None, 0, 0, None),
    Variant.CONVERT_DQ: (None, 0, None, 0),
    Variant.DQ_DK_DV: (1, 1, None, None),
    Variant.SUM: (1, 0, 1, 1),
    Variant.SINK: (1, 0, 1, 1),
}
"""What the pads of a variant are that has no choice; None where it has."""


@PAD_RULES.rule(
    "A pad is 0 or 1; of the head sizes of dq_dk_dv also 8, for multiples of 8.",
    ("pads",),
    Purpose.MEANING,
)
def pad_values(spec: FmhaSpec, target: Target) -> str | None:
    for name, pad in zip(_NAMES, spec.pads, strict=False):
        known = (
            (0, 1, 8) if spec.variant is Variant.DQ_DK_DV and name.startswith("hdim") else (0, 1)
        )
        if pad not in known:
            return f"the pad {pad} of {name} is none of {', '.join(map(str, known))}"
    return None


@PAD_RULES.rule(
    "Pads that a variant has no choice of have their one value: 1 where any length is taken "
    "anyway, 0 where there is none.",
    ("pads",),
    Purpose.NAMES,
)
def pads_of_variant(spec: FmhaSpec, target: Target) -> str | None:
    for name, pad, fixed in zip(_NAMES, spec.pads, _FIXED.get(spec.variant, ()), strict=False):
        if fixed is not None and pad != fixed:
            return f"the pad of {name} is {fixed} in every {spec.variant}, not {pad}"
    return None


@PAD_RULES.rule(
    "Packed sequences have any lengths: mode group needs the pads of rows and of keys.",
    ("pads", "mode"),
)
def group_pads(spec: FmhaSpec, target: Target) -> str | None:
    if spec.mode is not Mode.GROUP or len(spec.pads) != 4:
        return None
    fixed = _FIXED.get(spec.variant, (None,) * 4)
    for name, pad, only in zip(_NAMES[:2], spec.pads, fixed, strict=False):
        if only is None and not pad:
            return f"mode group needs the pad of {name}"
    return None


@PAD_RULES.rule("qr_async always pads rows of q and both head sizes.", ("pads", "pipeline"))
def async_pads(spec: FmhaSpec, target: Target) -> str | None:
    if (
        spec.pipeline is not Pipeline.QR_ASYNC
        or len(spec.pads) != 4
        or (spec.pads[0] and spec.pads[2] and spec.pads[3])
    ):
        return None
    return f"qr_async pads rows of q, hdim_q and hdim_v, not only as {spec.pads} says"


@PAD_RULES.rule("v3 always pads rows of q and keys, and never head sizes.", ("pads", "pipeline"))
def v3_pads(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.V3 or len(spec.pads) != 4 or spec.pads == (1, 1, 0, 0):
        return None
    return f"v3 has pads 1x1x0x0, not {spec.pads}"


@PAD_RULES.rule(
    "kr_trload and qr_trload move vectors: their head sizes are padded by 0 or 8.",
    ("pads", "pipeline"),
)
def transposing_pads(spec: FmhaSpec, target: Target) -> str | None:
    if spec.pipeline not in (Pipeline.KR_TRLOAD, Pipeline.QR_TRLOAD) or 1 not in spec.pads[2:]:
        return None
    return f"the pipeline {spec.pipeline} pads head sizes by 0 or 8, not 1"


@PAD_RULES.rule(
    "fp8 kernels of GPUs with WMMA pad keys: CK would ask for a bias whose float32 rows are "
    "multiples of 32 bytes.",
    ("pads", "dtype"),
)
def wide_bias_pads(spec: FmhaSpec, target: Target) -> str | None:
    if (
        target.gpu.matrix_isa is not MatrixIsa.WMMA
        or not spec.dtype.is_fp8
        or attending_tile(spec) is None
        or len(spec.pads) != 4
        or spec.pads[1]
    ):
        return None
    return f"{spec.dtype} kernels for {target.name} pad keys, not only as {spec.pads} says"


@PAD_RULES.rule(
    "convert_dq pads rows where the vectors of a row are not a power of two: the lanes that are "
    "left over store the row behind the tile.",
    ("pads", "hdim_q"),
)
def converted_rows_pads(spec: FmhaSpec, target: Target) -> str | None:
    if spec.variant is not Variant.CONVERT_DQ or len(spec.pads) != 4 or spec.pads[0]:
        return None
    vectors = spec.hdim_q // _CONVERTED_AT_ONCE
    if not vectors & (vectors - 1):
        return None
    return f"convert_dq of hdim_q {spec.hdim_q} pads rows, not only as {spec.pads} says"


@PAD_RULES.rule(
    "Where the tile is wider than a head, that head size is padded: else what lies behind a row "
    "would be read as its end.",
    ("pads", "tile"),
)
def wide_tile_pads(spec: FmhaSpec, target: Target) -> str | None:
    tile = attending_tile(spec)
    if tile is None or len(spec.pads) != 4:
        return None
    if tile.bk0max > spec.hdim_q and not spec.pads[2]:
        return f"bk0max {tile.bk0max} is more than hdim_q {spec.hdim_q}, which is not padded"
    if tile.bn1 > spec.hdim_v and not spec.pads[3]:
        return f"bn1 {tile.bn1} is more than hdim_v {spec.hdim_v}, which is not padded"
    return None
