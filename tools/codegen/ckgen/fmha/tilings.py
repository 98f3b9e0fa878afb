# SPDX-License-Identifier: MIT
"""The tiles that CK has for each variant, dtype and head size, by what kind of GPU they are for.

They are what wildcards stand for, and what an entry gets that names no tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from ckarch import GpuSpec

from ckgen.core.tile import Extents
from ckgen.fmha.spec import Dtype, Pipeline, Variant

_16_BIT = (Dtype.FP16, Dtype.BF16)
_FP8 = (Dtype.FP8, Dtype.FP8BF16)
_FP8_FP32 = (Dtype.FP8FP32,)
_FP32 = (Dtype.FP32,)
_ALL = tuple(Dtype)


class Kind(Enum):
    """Kinds of GPUs that CK has other tiles for."""

    MFMA = "matrix cores with waves of 64"
    TRANSPOSING = "the same, and LDS reads that transpose"
    WMMA = "waves of 32 that hold each operand once"
    WMMA_TWICE = "waves of 32 that hold each operand twice"


def kinds(gpu: GpuSpec) -> tuple[Kind, ...]:
    """What a GPU is; tiles of any of these are for it."""
    if gpu.matrix_isa == "mfma":
        return (Kind.MFMA, Kind.TRANSPOSING) if gpu.lds_transposing_loads else (Kind.MFMA,)
    return (Kind.WMMA,) if gpu.matrix_operand_copies == 1 else (Kind.WMMA_TWICE,)


@dataclass(frozen=True)
class Tiling:
    """A tile, its waves and its matrix instructions, and what they are for."""

    kind: Kind
    variant: Variant
    dtypes: tuple[Dtype, ...]
    hdim_q: int
    hdim_v: int
    pipelines: tuple[Pipeline, ...]
    tile: Extents
    waves: Extents
    warp_tile: Extents
    of_ck: bool = True
    """Or of ours, where CK has none that does."""


def tilings_of(variant: Variant, dtype: Dtype, hdim_q: int, hdim_v: int) -> Sequence[Tiling]:
    """All for these, whatever the GPU; those of CK's usual kernels first."""
    return _by_signature().get((variant, dtype, hdim_q, hdim_v), ())


def tilings_on(
    gpu: GpuSpec, variant: Variant, dtype: Dtype, hdim_q: int, hdim_v: int
) -> Sequence[Tiling]:
    """Those of ``tilings_of`` that are for ``gpu``."""
    wanted = kinds(gpu)
    return [one for one in tilings_of(variant, dtype, hdim_q, hdim_v) if one.kind in wanted]


def head_sizes(gpu: GpuSpec, variant: Variant, dtype: Dtype) -> Sequence[tuple[int, int]]:
    """The pairs of head sizes that there are tiles for."""
    return _head_sizes(kinds(gpu), variant, dtype)


@cache
def _head_sizes(
    wanted: tuple[Kind, ...], variant: Variant, dtype: Dtype
) -> Sequence[tuple[int, int]]:
    return tuple(
        dict.fromkeys(
            (one.hdim_q, one.hdim_v)
            for one in TILINGS
            if one.kind in wanted and one.variant is variant and dtype in one.dtypes
        )
    )


@cache
def _by_signature() -> dict[tuple[Variant, Dtype, int, int], list[Tiling]]:
    found: dict[tuple[Variant, Dtype, int, int], list[Tiling]] = {}
    for one in TILINGS:
        for dtype in one.dtypes:
            found.setdefault((one.variant, dtype, one.hdim_q, one.hdim_v), []).append(one)
    return found


_FOUR_WAVES = (4, 1, 1)
_32X32X16, _16X16X16, _16X16X32, _32X32X32 = (32, 32, 16), (16, 16, 16), (16, 16, 32), (32, 32, 32)
_QR, _ASYNC, _TRLOAD, _V3 = Pipeline.QR, Pipeline.QR_ASYNC, Pipeline.TRLOAD, Pipeline.V3
_Row = tuple[int, ...]


def _attending(
    kind: Kind,
    variant: Variant,
    dtypes: tuple[Dtype, ...],
    pipelines: tuple[Pipeline, ...],
    warp_tile: _Row,
    rows: Sequence[_Row],
    waves: _Row = _FOUR_WAVES,
) -> Iterator[Tiling]:
    """Each row is a tile [bm0, bn0, bk0, bn1, bk1, bk0max], of which the last says hdim_q and the
    fourth hdim_v.
    """
    for row in rows:
        yield Tiling(
            kind,
            variant,
            dtypes,
            row[5],
            row[3],
            pipelines,
            Extents(row),
            Extents(waves),
            Extents(warp_tile),
        )


def _forward() -> Iterator[Tiling]:
    mfma, wmma = Kind.MFMA, Kind.WMMA
    fwd = Variant.FWD
    yield from _attending(
        mfma,
        fwd,
        _16_BIT,
        (_QR, _ASYNC),
        _32X32X16,
        (
            (128, 64, 16, 32, 32, 32),
            (128, 64, 32, 64, 32, 64),
            (128, 128, 32, 128, 32, 96),
            (128, 128, 32, 128, 32, 128),
            (128, 128, 32, 128, 32, 192),
            (128, 128, 32, 192, 32, 192),
        ),
    )
    yield from _attending(mfma, fwd, _16_BIT, (_QR,), _32X32X16, ((128, 128, 32, 256, 32, 256),))
    yield from _attending(
        mfma,
        fwd,
        _FP32,
        (_QR,),
        _16X16X16,
        (
            (64, 64, 16, 32, 32, 32),
            (128, 64, 16, 48, 32, 48),
            (64, 64, 32, 64, 32, 64),
            (128, 64, 32, 128, 32, 96),
            (128, 64, 32, 128, 32, 128),
            (64, 64, 32, 192, 32, 192),
            (64, 64, 32, 256, 32, 256),
        ),
    )
    yield from _attending(
        mfma,
        fwd,
        _FP32,
        (_QR,),
        _16X16X16,
        ((32, 128, 16, 48, 16, 48), (32, 128, 32, 128, 16, 128)),
        (2, 1, 1),
    )
    yield from _attending(
        mfma, fwd, _FP8, (_QR,), _32X32X32, ((128, 64, 32, 64, 32, 64),), (2, 1, 1)
    )
    yield from _attending(
        mfma,
        fwd,
        _FP8,
        (_QR,),
        _32X32X32,
        ((128, 128, 32, 128, 32, 128), (128, 128, 32, 256, 32, 256)),
    )
    yield from _attending(mfma, fwd, _FP8_FP32, (_QR,), _32X32X32, ((128, 128, 32, 128, 32, 128),))
    new, one_wave = Kind.TRANSPOSING, (1, 1, 1)
    yield from _attending(
        new,
        fwd,
        _16_BIT,
        (_TRLOAD,),
        _16X16X32,
        ((16, 32, 64, 64, 32, 64), (16, 32, 64, 128, 32, 128)),
        one_wave,
    )
    yield from _attending(
        new,
        fwd,
        _16_BIT,
        (_TRLOAD,),
        _32X32X16,
        ((32, 32, 64, 64, 32, 64), (32, 32, 128, 128, 32, 128)),
        one_wave,
    )
    yield from _attending(
        new,
        fwd,
        _16_BIT,
        (_TRLOAD,),
        _32X32X16,
        ((128, 64, 32, 64, 32, 64), (128, 64, 32, 128, 16, 128)),
    )
    yield from _attending(
        new, fwd, _16_BIT, (_V3,), _32X32X16, ((256, 32, 128, 128, 32, 128),), (8, 1, 1)
    )
    yield from _attending(
        wmma,
        fwd,
        _16_BIT,
        (_QR,),
        _16X16X16,
        (
            (64, 64, 16, 32, 32, 32),
            (64, 64, 32, 64, 32, 64),
            (64, 64, 32, 128, 32, 128),
            (64, 64, 32, 256, 32, 256),
        ),
    )
    yield Tiling(
        wmma,
        fwd,
        _16_BIT,
        192,
        128,
        (_QR,),
        Extents.of(64, 64, 32, 128, 32, 256),
        Extents(_FOUR_WAVES),
        Extents(_16X16X16),
    )
    yield from _attending(
        wmma,
        fwd,
        _FP8,
        (_QR,),
        _16X16X16,
        ((128, 64, 32, 64, 32, 64), (64, 64, 32, 128, 32, 128), (64, 32, 32, 256, 32, 256)),
    )
    yield from _attending(wmma, fwd, _FP8_FP32, (_QR,), _16X16X16, ((64, 64, 32, 128, 32, 128),))


def _twice() -> Iterator[Tiling]:
    """With device code of ours, which gives both halves of a wave their copies of P."""
    twice = Kind.WMMA_TWICE
    for variant in (Variant.FWD, Variant.SPLITKV):
        yield from _attending(
            twice,
            variant,
            _16_BIT,
            (_QR,),
            _16X16X16,
            (
                (64, 64, 32, 64, 32, 64),
                (64, 64, 32, 128, 32, 128),
                (64, 32, 32, 64, 32, 64),
                (64, 32, 32, 128, 32, 128),
            ),
        )
    yield from _attending(
        twice,
        Variant.PAGEDKV,
        _16_BIT,
        (_QR,),
        _16X16X16,
        ((64, 64, 32, 128, 32, 128), (64, 32, 32, 128, 32, 128)),
    )


def _split() -> Iterator[Tiling]:
    mfma, split = Kind.MFMA, Variant.SPLITKV
    yield from _attending(
        mfma, split, _16_BIT, (_QR,), _16X16X16, ((32, 64, 16, 32, 32, 32),), (2, 1, 1)
    )
    yield from _attending(
        mfma,
        split,
        _16_BIT,
        (_QR,),
        _16X16X16,
        ((64, 64, 32, 64, 32, 64), (64, 128, 32, 128, 32, 128), (64, 128, 32, 256, 32, 256)),
    )
    yield Tiling(
        mfma,
        split,
        _16_BIT,
        96,
        96,
        (_QR,),
        Extents.of(64, 128, 32, 128, 32, 96),
        Extents(_FOUR_WAVES),
        Extents(_16X16X16),
    )
    yield from _attending(
        mfma, split, _FP8, (_QR,), _32X32X32, ((128, 64, 32, 64, 32, 64),), (2, 1, 1)
    )
    yield from _attending(mfma, split, _FP8, (_QR,), _32X32X32, ((128, 128, 32, 128, 32, 128),))
    yield from _attending(
        Kind.WMMA,
        split,
        _16_BIT,
        (_QR,),
        _16X16X16,
        (
            (64, 64, 16, 32, 32, 32),
            (64, 64, 32, 64, 32, 64),
            (64, 64, 32, 128, 32, 128),
            (64, 64, 32, 256, 32, 256),
        ),
    )
    yield from _attending(
        Kind.WMMA,
        split,
        _FP8,
        (_QR,),
        _16X16X16,
        ((128, 64, 32, 64, 32, 64), (64, 64, 32, 128, 32, 128)),
    )


def _paged() -> Iterator[Tiling]:
    yield from _attending(
        Kind.MFMA, Variant.PAGEDKV, _16_BIT, (_QR,), _32X32X16, ((128, 128, 32, 128, 32, 128),)
    )
    yield from _attending(
        Kind.MFMA, Variant.PAGEDKV, _FP8, (_QR,), _32X32X32, ((128, 64, 32, 64, 32, 64),), (2, 1, 1)
    )
    yield from _attending(
        Kind.MFMA,
        Variant.PAGEDKV,
        _FP8,
        (_QR,),
        _32X32X32,
        ((128, 128, 32, 128, 32, 128), (128, 128, 32, 256, 32, 256)),
    )
    yield from _attending(
        Kind.WMMA, Variant.PAGEDKV, _16_BIT, (_QR,), _16X16X16, ((64, 64, 32, 128, 32, 128),)
    )
    yield from _attending(
        Kind.WMMA,
        Variant.PAGEDKV,
        _FP8,
        (_QR,),
        _16X16X16,
        ((128, 64, 32, 64, 32, 64), (64, 64, 32, 128, 32, 128), (64, 32, 32, 256, 32, 256)),
    )
    yield from _attending(
        Kind.MFMA,
        Variant.BATCH_PREFILL,
        _16_BIT,
        (_ASYNC,),
        _32X32X16,
        ((128, 128, 32, 128, 32, 128),),
    )


_BESIDE = (1, 4, 1, 4, 1, 1, 1, 4, 1)
_SQUARE = (1, 4, 1, 4, 1, 1, 2, 2, 1)
_ONE_WAVE = (1,) * 9


def _backward() -> Iterator[Tiling]:
    """The rows are a head size, a tile [bm0, bn0, bk0, ...] and the waves of gemms 0 and 2, 1 and
    3, and 4.
    """
    kr, kr_trload, qr_trload = Pipeline.KR, Pipeline.KR_TRLOAD, Pipeline.QR_TRLOAD
    deep, wide = (*_16X16X32, *_16X16X16), (*_16X16X32, *_16X16X32)
    rows: tuple[tuple[Kind, tuple[Dtype, ...], Pipeline, _Row, int, _Row, _Row], ...] = (
        (Kind.MFMA, _16_BIT, kr, deep, 32, (32, 128, 32, 32, 32, 32, 64), _SQUARE),
        (Kind.MFMA, _16_BIT, kr, deep, 64, (32, 128, 64, 32, 64, 32, 32), _BESIDE),
        (Kind.MFMA, _16_BIT, kr, deep, 96, (32, 128, 96, 32, 96, 32, 32), _SQUARE),
        (Kind.MFMA, _16_BIT, kr, deep, 128, (16, 128, 128, 16, 128, 16, 32), _BESIDE),
        (Kind.MFMA, _16_BIT, kr, deep, 256, (16, 64, 256, 16, 256, 16, 32), _BESIDE),
        (Kind.MFMA, _FP32, kr, _16X16X16 * 2, 32, (32, 128, 32, 32, 32, 32, 64), _SQUARE),
        (Kind.MFMA, _FP32, kr, _16X16X16 * 2, 64, (16, 64, 64, 16, 64, 16, 16), _BESIDE),
        (Kind.MFMA, _FP32, kr, _16X16X16 * 2, 128, (16, 64, 128, 16, 128, 16, 16), _BESIDE),
        (Kind.TRANSPOSING, _16_BIT, kr_trload, wide, 64, (32, 128, 64, 32, 64, 32, 32), _BESIDE),
        (Kind.TRANSPOSING, _16_BIT, kr_trload, wide, 128, (32, 128, 128, 32, 128, 32, 32), _BESIDE),
        (Kind.TRANSPOSING, _16_BIT, kr_trload, deep, 128, (16, 192, 128, 16, 128, 16, 32), _BESIDE),
        (Kind.TRANSPOSING, _16_BIT, qr_trload, deep, 64, (32, 16, 64, 32, 64, 32, 16), _ONE_WAVE),
        (
            Kind.TRANSPOSING,
            _16_BIT,
            qr_trload,
            deep,
            128,
            (16, 16, 128, 16, 128, 16, 16),
            _ONE_WAVE,
        ),
        (Kind.WMMA, _16_BIT, kr, _16X16X16 * 2, 32, (32, 64, 32, 32, 32, 32, 64), _SQUARE),
        (Kind.WMMA, _16_BIT, kr, _16X16X16 * 2, 64, (32, 64, 64, 32, 64, 32, 32), _BESIDE),
        # Ours, for CK's tile of this head size spills.
        (Kind.WMMA, _16_BIT, kr, _16X16X16 * 2, 64, (16, 64, 64, 16, 64, 16, 32), _BESIDE),
        (Kind.WMMA, _16_BIT, kr, _16X16X16 * 2, 128, (16, 64, 128, 16, 128, 16, 32), _BESIDE),
        (Kind.WMMA, _16_BIT, kr, _16X16X16 * 2, 256, (16, 64, 256, 16, 256, 16, 32), _BESIDE),
    )
    for kind, dtypes, pipeline, warp_tile, hdim, tile, waves in rows:
        of_ck = tile != (16, 64, 64, 16, 64, 16, 32)
        yield Tiling(
            kind,
            Variant.DQ_DK_DV,
            dtypes,
            hdim,
            hdim,
            (pipeline,),
            Extents(tile),
            Extents(waves),
            Extents(warp_tile),
            of_ck,
        )


def _helpers() -> Iterator[Tiling]:
    """Kernels without matrix products, of which a GPU has the same as the others."""
    parts = (32, 64, 96, 128, 192, 256)
    either, all_three = (Kind.MFMA, Kind.WMMA), (Kind.MFMA, Kind.WMMA, Kind.WMMA_TWICE)
    floats = (*_16_BIT, *_FP32)
    rows: tuple[
        tuple[tuple[Kind, ...], Variant, tuple[Dtype, ...], tuple[int, ...], _Row, int], ...
    ] = (
        (all_three, Variant.COMBINE, _ALL, parts, (32,), 4),
        (either, Variant.APPENDKV, (*_16_BIT, Dtype.FP8), (32, 64, 128, 256), (64, 64), 4),
        (all_three, Variant.SUM, floats, (256,), (64,), 4),
        (all_three, Variant.SINK, floats, (256,), (64,), 4),
    )
    for kinds_of, variant, dtypes, sizes, tile, waves in rows:
        for kind in kinds_of:
            for size in sizes:
                yield _without_products(kind, variant, dtypes, size, tile, waves)
    # What goes before and after dq_dk_dv, once for each of its head sizes, and for each way to
    # slice the keys.
    done: set[tuple[Kind, tuple[Dtype, ...], int, int]] = set()
    for one in _backward():
        for columns in (0, one.tile[1]):
            key = one.kind, one.dtypes, one.hdim_q, columns
            if (
                key in done
                or Pipeline.QR_TRLOAD in one.pipelines
                or (one.kind is Kind.TRANSPOSING and _sliced(one.hdim_q, columns))
            ):
                continue
            done.add(key)
            if columns == 0:
                yield _without_products(
                    one.kind, Variant.DOT_DO_O, one.dtypes, one.hdim_q, (64,), 1
                )
            yield _without_products(
                one.kind, Variant.CONVERT_DQ, one.dtypes, one.hdim_q, (64, columns), 4
            )


def _sliced(hdim: int, columns: int) -> bool:
    """Whether there is a tiling for all matrix cores with so many columns, or none at all."""
    plain = {
        0,
        *(
            one.tile[1]
            for one in _backward()
            if one.kind is Kind.MFMA and one.dtypes is _16_BIT and one.hdim_q == hdim
        ),
    }
    return columns in plain


def _without_products(
    kind: Kind, variant: Variant, dtypes: tuple[Dtype, ...], hdim: int, tile: _Row, waves: int
) -> Tiling:
    return Tiling(
        kind,
        variant,
        dtypes,
        hdim,
        hdim,
        (Pipeline.NONE,),
        Extents(tile),
        Extents.of(waves),
        Extents(),
    )


TILINGS: tuple[Tiling, ...] = (
    *_forward(),
    *_split(),
    *_paged(),
    *_backward(),
    *_helpers(),
    *_twice(),
)
