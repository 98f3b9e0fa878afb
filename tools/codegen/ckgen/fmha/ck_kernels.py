# SPDX-License-Identifier: MIT
"""The kernels that CK's own generator makes of its default tables: what profiles are chosen from.

CK multiplies features out. Some of it is refused by our rules, such as sequences that are skipped
in mode batch, where all are of one length: profiles count what CK counts, and what is legal
besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ckgen.core.target import Target
from ckgen.core.tile import Extents
from ckgen.fmha.defaults import usual_occupancy
from ckgen.fmha.spec import SWITCHES, Bias, Dtype, FmhaSpec, Mode, Pipeline, Rotary, Variant
from ckgen.fmha.tilings import TILINGS, Kind, Tiling, kinds

_EITHER = (True, False)
_16_BIT = (Dtype.FP16, Dtype.BF16)
_SIZES = (32, 64, 96, 128, 256)
_NPAD, _PS, _PSK, _PSSK = (0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 0)
_PSDDV, _PDDV, _PSSKDDV = (1, 0, 1, 1), (0, 0, 1, 1), (1, 1, 1, 1)
_Pads = tuple[int, ...]
_Fields = Mapping[str, Any]

CAPPED_OR_BIASED: tuple[_Fields, ...] = (
    {"soft_cap": True, "bias": Bias.NONE},
    *({"soft_cap": False, "bias": bias} for bias in Bias),
)
"""A soft cap goes with no bias."""


def ck_kernels(target: Target, *, extended: bool = False) -> Iterator[FmhaSpec]:
    """All of them for a GPU; ``extended`` has qr for any head size beside qr_async."""
    if Kind.WMMA_TWICE in kinds(target.gpu):
        return
    yield from _forward(target, extended)
    yield from _split(target)
    yield from _paged(target)
    yield from _prefill(target)
    yield from _append()
    yield from _backward(target)


def _forward(target: Target, extended: bool) -> Iterator[FmhaSpec]:
    features = [
        {**one, "mask": mask, "lse": lse, "dropout": dropout, "skip_min": skip}
        for one, mask, lse, dropout, skip in product(
            CAPPED_OR_BIASED, _EITHER, _EITHER, _EITHER, _EITHER
        )
    ]
    of_fp8 = [
        {"bias": bias, "mask": mask, "scales": scales}
        for bias, mask, scales in product(Bias, _EITHER, _EITHER)
    ]
    for one in _tilings(target, Variant.FWD):
        for dtype in one.dtypes:
            for said in of_fp8 if dtype.is_fp8 else features:
                if (one.hdim_q, one.hdim_v) == (192, 128) and (
                    said["bias"] is not Bias.NONE or said["dropout"]
                ):
                    continue
                for pipeline, pads in _forward_pads(one, dtype, said, target, extended):
                    yield from _in_modes(one, dtype, pipeline, pads, said)


def _forward_pads(
    one: Tiling, dtype: Dtype, said: _Fields, target: Target, extended: bool
) -> Iterator[tuple[Pipeline, _Pads]]:
    """The pipelines and pads for the features ``said`` of a tiling."""
    qr, qr_async = Pipeline.QR, Pipeline.QR_ASYNC
    if one.kind is Kind.TRANSPOSING:
        plain = (
            not said["soft_cap"]
            and said["bias"] is Bias.NONE
            and not said["dropout"]
            and not said["skip_min"]
        )
        if Pipeline.TRLOAD in one.pipelines and plain:
            yield from ((Pipeline.TRLOAD, pads) for pads in (_NPAD, _PDDV))
    elif dtype.is_fp8:
        yield from ((qr, pads) for pads in (_NPAD, _PSSK))
    elif dtype is Dtype.FP32:
        yield from ((qr, pads) for pads in (_NPAD, _PSK, _PSSKDDV))
    elif one.kind is Kind.WMMA:
        yield from ((qr, pads) for pads in (_NPAD, _PSSKDDV))
    elif one.hdim_q == 256:
        yield from ((qr, pads) for pads in (_NPAD, _PSSK, _PSSKDDV))
    elif said["bias"] is Bias.ELEMENTWISE:
        yield from ((qr, pads) for pads in (_NPAD, _PSSKDDV))
    else:
        yield from ((qr_async, pads) for pads in (_PSDDV, _PSSKDDV))
        if extended:
            yield qr, _PSSKDDV


def _split(target: Target) -> Iterator[FmhaSpec]:
    features = [
        {**one, "mask": mask, "paged": paged, "lse": True}
        for one, mask, paged in product(CAPPED_OR_BIASED, _EITHER, _EITHER)
    ]
    of_fp8 = [
        {**one, "mask": mask, "lse": True, "scales": True}
        for one, mask in product(CAPPED_OR_BIASED, _EITHER)
    ]
    for one in _tilings(target, Variant.SPLITKV):
        for dtype in one.dtypes:
            if dtype is Dtype.FP8BF16:
                continue
            for said in of_fp8 if dtype.is_fp8 else features:
                for pads in (_NPAD, _PSSK) if dtype.is_fp8 else (_PSK, _PS, _PSSK, _PSSKDDV):
                    yield from _in_modes(one, dtype, Pipeline.QR, pads, said)
    for dtype, sizes in ((Dtype.FP16, _SIZES), (Dtype.BF16, _SIZES), (Dtype.FP8, (64, 128, 256))):
        for size, pad_q, pad_v, lse in product(
            sizes, (0, 1), (0, 1), (False,) if dtype.is_fp8 else _EITHER
        ):
            for mode in Mode if pad_q else (Mode.BATCH,):
                said = {"lse": lse, "scales": dtype.is_fp8, "max_splits": 8}
                yield _spec(
                    Variant.COMBINE, dtype, mode, size, (32,), (4,), (pad_q, 0, 0, pad_v), said
                )


def _paged(target: Target) -> Iterator[FmhaSpec]:
    for one in _tilings(target, Variant.PAGEDKV):
        for dtype in one.dtypes:
            if dtype is Dtype.FP8BF16:
                continue
            for features, mask in product(CAPPED_OR_BIASED, _EITHER):
                for pads in (_NPAD, _PSSK) if dtype.is_fp8 else (_PS, _PSSK):
                    yield from _in_modes(
                        one,
                        dtype,
                        Pipeline.QR,
                        pads,
                        {**features, "mask": mask, "paged": True, "scales": dtype.is_fp8},
                    )


def _prefill(target: Target) -> Iterator[FmhaSpec]:
    """CK makes them for every GPU, also where they cannot work."""
    made = [one for one in TILINGS if one.variant is Variant.BATCH_PREFILL]
    for one, dtype, features in product(made, _16_BIT, CAPPED_OR_BIASED):
        for mask, lse, dropout, skip in product(_EITHER, _EITHER, _EITHER, _EITHER):
            said = {
                **features,
                "mask": mask,
                "lse": lse,
                "dropout": dropout,
                "skip_min": skip,
                "paged": True,
            }
            for pads in (_PSDDV, _PSSKDDV):
                yield from _in_modes(one, dtype, Pipeline.QR_ASYNC, pads, said)


def _append() -> Iterator[FmhaSpec]:
    for dtype, size, rotary, paged, pads in product(
        _16_BIT, (32, 64, 128, 256), Rotary, _EITHER, (_PSK, _PSSKDDV)
    ):
        yield _spec(
            Variant.APPENDKV,
            dtype,
            Mode.BATCH,
            size,
            (64, 64),
            (4,),
            pads,
            {"rotary": rotary, "paged": paged},
        )
    for size in (64, 128, 256):
        yield _spec(Variant.APPENDKV, Dtype.FP8, Mode.BATCH, size, (64, 64), (4,), _PSSKDDV, {})


def _backward(target: Target) -> Iterator[FmhaSpec]:
    biases = [
        (Bias.NONE, False),
        (Bias.ELEMENTWISE, False),
        (Bias.ELEMENTWISE, True),
        (Bias.ALIBI, False),
    ]
    usual = [(0, 0), (0, 8), (0, 1), (8, 0), (8, 8), (1, 0), (1, 1)]
    for one in _tilings(target, Variant.DQ_DK_DV):
        few = Pipeline.QR_TRLOAD in one.pipelines
        heads = [(0, 0), (8, 8)] if one.kind is Kind.TRANSPOSING else usual
        for dtype, (bias, grad), mask, dropout, order in product(
            one.dtypes, biases, _EITHER, _EITHER, _EITHER
        ):
            if few and (mask or order):
                continue
            said = {
                "bias": bias,
                "bias_grad": grad,
                "mask": mask,
                "dropout": dropout,
                "deterministic": order,
            }
            for mode, (pad_q, pad_v) in product((Mode.BATCH,) if few else Mode, heads):
                yield _made(one, dtype, mode, one.pipelines[0], (1, 1, pad_q, pad_v), said)
    for variant in (Variant.DOT_DO_O, Variant.CONVERT_DQ):
        for one in _tilings(target, variant):
            for dtype, pad_q, pad in product(one.dtypes, (0, 1), (0, 1)):
                pads = (pad_q, 0, 0, pad) if variant is Variant.DOT_DO_O else (pad_q, 0, pad, 0)
                for mode in Mode if pad_q else (Mode.BATCH,):
                    yield _made(
                        one,
                        dtype,
                        mode,
                        Pipeline.NONE,
                        pads,
                        {"deterministic": len(one.tile) > 1 and one.tile[1] > 0},
                    )


def _tilings(target: Target, variant: Variant) -> Sequence[Tiling]:
    """Those of CK, of which ours for GPUs that its own spill on are none."""
    wanted = kinds(target.gpu)
    return [one for one in TILINGS if one.variant is variant and one.kind in wanted and one.of_ck]


def _in_modes(
    one: Tiling, dtype: Dtype, pipeline: Pipeline, pads: _Pads, said: _Fields
) -> Iterator[FmhaSpec]:
    """Mode group is for kernels with the pads of rows and keys."""
    for mode in Mode if pads[0] and pads[1] else (Mode.BATCH,):
        yield _made(one, dtype, mode, pipeline, pads, said)


def _made(
    one: Tiling, dtype: Dtype, mode: Mode, pipeline: Pipeline, pads: _Pads, said: _Fields
) -> FmhaSpec:
    made = _spec(
        one.variant,
        dtype,
        mode,
        one.hdim_q,
        one.tile,
        one.waves,
        pads,
        {**said, "hdim_v": one.hdim_v, "pipeline": pipeline},
    )
    made = replace(made, warp_tile=one.warp_tile)
    return replace(made, occupancy=usual_occupancy(made))


def _spec(
    variant: Variant,
    dtype: Dtype,
    mode: Mode,
    hdim: int,
    tile: Iterable[int],
    waves: Iterable[int],
    pads: Iterable[int],
    said: _Fields,
) -> FmhaSpec:
    usual: dict[str, Any] = {
        "hdim_v": hdim,
        "bias": Bias.NONE,
        "rotary": Rotary.NONE,
        "max_splits": 0,
        "pipeline": Pipeline.NONE,
        **dict.fromkeys(SWITCHES, False),
    }
    return FmhaSpec(
        variant=variant,
        dtype=dtype,
        mode=mode,
        hdim_q=hdim,
        tile=Extents(tile),
        waves=Extents(waves),
        warp_tile=Extents(),
        pads=Extents(pads),
        occupancy=2,
        **{**usual, **said},
    )
