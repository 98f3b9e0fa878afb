# SPDX-License-Identifier: MIT
"""Draws calls of each attention method: lengths, strides, pages, masks, windows, sinks, dropout,
groups of heads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from checked_call import Call, Checks, written
from ckdispatch.comparison import Reference, compare
from ckdispatch.fmha.reference import (
    Attention,
    Forward,
    alibi_slopes,
    backward,
    backward_varlen,
    forward,
    forward_varlen,
)
from ckdispatch.fmha.reference.cache import appended, gathered, rotated
from ckdispatch.reference.dtypes import numpy_dtype
from ckdispatch.reference.formats import round_to
from ckdispatch.reference.tolerance import Tolerance, store_unit
from cksupport.fmha.draws import with_minus_infinity
from numpy.typing import NDArray
from random_attention import random_window

HEADS = ((1, 1), (2, 2), (2, 1), (4, 2), (3, 1), (6, 3), (8, 2))
METHODS = (
    "attention",
    "attention",
    "attention_varlen",
    "attention_varlen",
    "attention_kvcache",
    "attention_kvcache",
    "attention_bwd",
)
HEAD_SIZES = (64, 64, 64, 128, 128, 32, 40, 56, 96, 80, 120, 256, 61)
PARTS = 16
"""Keys may be computed in parts, which costs a little in float32."""


class _Drawing:
    """The random choices that all methods have in common."""

    def __init__(
        self, seed: int, index: int, work: int, dtype: str | None, hdim: int | None
    ) -> None:
        self.random = np.random.default_rng((seed, index))
        self.dtype = numpy_dtype(dtype or ("bf16" if self.chance(0.4) else "fp16"))
        self.heads_q, self.heads_k = HEADS[self.below(len(HEADS))]
        self.hdim_q = self.hdim_v = hdim or HEAD_SIZES[self.below(len(HEAD_SIZES))]
        if not hdim and self.chance(0.1):
            self.hdim_v = HEAD_SIZES[self.below(len(HEAD_SIZES))]
        self.batch = 1 + self.below(3)
        self.work = work // (self.batch * self.heads_q)
        self.arguments: dict[str, Any] = {}
        self.options: dict[str, Any] = {}
        self.added: dict[str, Any] = {}

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def below(self, end: int) -> int:
        return int(self.random.integers(end))

    def pair(self, longest: int = 600) -> tuple[int, int]:
        """Rows and keys, whose product is not too much."""

        def one() -> int:
            length = self.below(1 + int(self.random.choice([3, 40, 140, 300, longest])))
            return length if length or self.chance(0.2) else 1

        rows, keys = one(), one()
        while rows * keys > self.work and rows > 1:
            rows //= 2
        return rows, keys

    def numbers(self, *shape: int) -> NDArray[Any]:
        return round_to(self.random.normal(size=shape), self.dtype)

    def strided(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same values, often with gaps between rows or heads,
        or heads before rows in memory.
        """
        kind = self.below(4)
        if kind == 0 or not values.size:
            return values
        if kind == 1:
            order = (*range(values.ndim - 3), values.ndim - 2, values.ndim - 3, values.ndim - 1)
            return np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))
        axis = values.ndim - (2 if kind == 2 else 3)
        shape = list(values.shape)
        shape[axis] += 1 + self.below(3)
        room = np.full(shape, np.array(np.nan, values.dtype))
        inside = room[tuple(slice(0, extent) for extent in values.shape)]
        inside[...] = values
        return inside

    def masks(self, longest: int = 300) -> None:
        if self.chance(0.4):
            return
        corner = "top_left" if self.chance(0.3) else "bottom_right"
        left, right = random_window(self.random, longest)
        self.options |= {"mask": corner, "window": (left, right)}
        if right == 0:
            self.arguments["causal"] = corner if corner == "top_left" or self.chance(0.5) else True
            if left >= 0:
                self.arguments["window"] = (left, 0)
        elif (left, right) == (-1, -1):
            self.options |= {"mask": "none"}
        elif corner == "top_left":
            self.arguments["mask"] = f"t:{left},{right}"
        else:
            self.arguments["window"] = (left, right)

    def scale(self) -> None:
        if self.chance(0.3):
            self.arguments["scale"] = self.options["scale"] = float(
                np.float32(self.random.uniform(0.03, 0.3))
            )

    def bias(self, full: tuple[int, ...], choices: tuple[str, ...]) -> str:
        """One of the features that change scores; ``full`` is the shape of a whole bias."""
        choice = choices[self.below(len(choices))]
        if choice == "bias" and all(full):
            shape = [1 if self.chance(0.3) else extent for extent in full[:-1]] + [full[-1]]
            values = self.random.normal(size=shape)
            if self.chance(0.2):
                values = with_minus_infinity(self.random, values, whole_rows=True)
            self.added["bias"] = self.arguments["bias"] = round_to(values, self.dtype)
        elif choice == "alibi":
            slopes = alibi_slopes(self.heads_q)
            slopes = (
                slopes
                if self.chance(0.5)
                else (slopes * self.random.uniform(0.5, 1.5, (self.batch, 1))).astype(np.float32)
            )
            self.added["slopes"] = self.arguments["alibi_slopes"] = slopes
        elif choice == "soft_cap":
            self.arguments["soft_cap"] = self.options["soft_cap"] = float(
                np.float32(self.random.uniform(2, 40))
            )
        return choice

    def dropout(self) -> None:
        drop = float(np.float32(self.random.choice([0.1, 0.2, 0.5, 0.9])))
        seed, offset = self.below(2**62), self.below(2**62)
        self.options |= {"p_drop": drop, "seed": seed, "offset": offset}
        self.arguments |= {"dropout_p": drop, "seed": seed, "offset": offset}

    def sinks(self) -> None:
        if self.chance(0.12):
            self.added["sink"] = self.arguments["sinks"] = self.random.normal(
                size=self.heads_q
            ).astype(np.float32)

    def attention(self, **changes: Any) -> Attention:
        return Attention(**{"parts": PARTS, **self.options, **changes})


def draw(
    seed: int,
    index: int,
    work: int = 40000,
    *,
    method: str | None = None,
    dtype: str | None = None,
    hdim: int | None = None,
) -> Call:
    """The call of that number; what is not None is not random."""
    drawing = _Drawing(seed, index, work, dtype, hdim)
    method = method or METHODS[drawing.below(len(METHODS))]
    made = {
        "attention": _batch,
        "attention_varlen": _varlen,
        "attention_kvcache": _cache,
        "attention_bwd": _gradients,
    }
    return made[method](drawing)


def _batch(d: _Drawing) -> Call:
    rows, keys = d.pair()
    q, k, v = (
        d.strided(d.numbers(d.batch, length, heads, hdim))
        for length, heads, hdim in (
            (rows, d.heads_q, d.hdim_q),
            (keys, d.heads_k, d.hdim_q),
            (keys, d.heads_k, d.hdim_v),
        )
    )
    d.masks()
    d.scale()
    full = (d.batch, d.heads_q, rows, keys)
    feature = d.bias(full, ("none", "none", "none", "bias", "alibi", "soft_cap"))
    if feature != "soft_cap" and d.chance(0.2):
        d.dropout()
        d.arguments["return_randval"] = d.chance(0.4)
    elif d.chance(0.2):
        d.arguments["splits"] = 1 + d.below(7)
    d.sinks()
    is_window = (
        d.options.get("window", (-1, -1))[0] >= 0 and d.options.get("mask") == "bottom_right"
    )
    if is_window and "p_drop" not in d.options and d.chance(0.3):
        d.arguments["sink_tokens"] = d.options["sink_tokens"] = 1 + d.below(8)
    lengths: dict[str, Any] = {}
    if d.chance(0.2):
        lengths = {"seqlen_k": [d.below(keys + 1) for _ in range(d.batch)]}
        d.arguments["seqused_k"] = np.array(lengths["seqlen_k"], np.int32)
        if d.chance(0.5):
            lengths["seqlen_q"] = [d.below(rows + 1) for _ in range(d.batch)]
            d.arguments["seqused_q"] = np.array(lengths["seqlen_q"], np.int32)
    d.arguments["return_lse"] = d.chance(0.6)
    operands: tuple[NDArray[Any], ...] = (q, k, v)
    first = d.chance(0.3)
    own = d.chance(0.4)
    if own:
        # Of which rows that do not count stay as they are.
        room = np.full((*q.shape[:-1], d.hdim_v), np.array(np.nan, d.dtype))
        d.arguments["out"] = room.swapaxes(1, 2) if first else room
    if first:
        d.arguments["layout"] = "bhsd"
        operands = tuple(one.swapaxes(1, 2) for one in operands)

    def check(result: Any) -> Checks:
        expected = forward(q, k, v, d.attention(), **d.added, **lengths)
        out = np.asarray(result.out)
        out = out.swapaxes(1, 2) if first else out
        if own:
            yield "the array that was given for out", expected.o.compare(room)
        yield from _forward_checks(d, expected, result, out)

    return Call("attention", operands, d.arguments, check)


def _varlen(d: _Drawing) -> Call:
    pairs = [d.pair() for _ in range(d.batch)]
    starts = [np.cumsum([0, *(pair[side] for pair in pairs)]).astype(np.int32) for side in range(2)]
    q, k, v = (
        d.strided(d.numbers(int(start[-1]), heads, hdim))
        for start, heads, hdim in (
            (starts[0], d.heads_q, d.hdim_q),
            (starts[1], d.heads_k, d.hdim_q),
            (starts[1], d.heads_k, d.hdim_v),
        )
    )
    d.masks()
    d.scale()
    feature = d.bias(
        (d.heads_q, len(q), max(pair[1] for pair in pairs)),
        ("none", "none", "none", "bias", "alibi", "soft_cap"),
    )
    if feature != "soft_cap" and d.chance(0.2):
        d.dropout()
        d.arguments["return_randval"] = d.chance(0.4)
    elif d.chance(0.15):
        d.arguments["splits"] = 1 + d.below(7)
    d.sinks()
    lengths: dict[str, Any] = {}
    if d.chance(0.2):
        lengths = {
            "seqlen_q": [d.below(pair[0] + 1) for pair in pairs],
            "seqlen_k": [d.below(pair[1] + 1) for pair in pairs],
        }
        d.arguments |= {
            "seqused_q": np.array(lengths["seqlen_q"], np.int32),
            "seqused_k": np.array(lengths["seqlen_k"], np.int32),
        }
    d.arguments["return_lse"] = d.chance(0.6)

    def check(result: Any) -> Checks:
        given = {**d.added, **lengths}
        expected = forward_varlen(q, k, v, starts[0], starts[1], d.attention(), **given)
        yield from _forward_checks(d, expected, result, np.asarray(result.out))

    return Call("attention_varlen", (q, k, v, *starts), d.arguments, check)


def _forward_checks(d: _Drawing, expected: Forward, result: Any, out: NDArray[Any]) -> Checks:
    yield "out", written(expected.o, out)
    if d.arguments.get("return_lse"):
        yield "lse", written(expected.lse, np.asarray(result.lse))


def _cache(d: _Drawing) -> Call:
    rows, _ = d.pair(40) if d.chance(0.5) else (1, 0)
    new = int(d.random.choice([0, 0, 1, rows, 7]))
    room = 1 + d.below(600) if d.work >= rows * 600 else max(1, d.work // rows)
    before = [d.below(room + 1) for _ in range(d.batch)]
    q = d.strided(d.numbers(d.batch, rows, d.heads_q, d.hdim_q))
    d.masks()
    d.scale()
    d.bias((d.batch, d.heads_q, rows, room + new), ("none", "none", "none", "alibi", "soft_cap"))
    d.sinks()
    d.arguments["return_lse"] = d.chance(0.5)
    caches, where = _caches(d, room + new, before, listed=not new and d.chance(0.3))
    d.arguments["cache_seqlens"] = np.array(before, np.int32)
    fresh = {
        name: d.numbers(d.batch, new, d.heads_k, hdim)
        for name, hdim in (("k", d.hdim_q), ("v", d.hdim_v))
    }
    if new:
        d.arguments |= {"k_new": fresh["k"], "v_new": fresh["v"]}
    tables = (
        _rotation(d, max(before) + max(new, rows))
        if new and d.chance(0.6) and d.hdim_q >= 16
        else []
    )
    if "whole_pages" in where and d.chance(0.5):
        del d.arguments["cache_seqlens"]
        before = where["whole_pages"]
    old = {name: cache.copy() for name, cache in caches.items()}

    def check(result: Any) -> Checks:
        lengths = np.array(before)
        turned, keys = q, Reference(fresh["k"].astype(np.float64), fresh["k"], Tolerance())
        options = d.attention()
        if tables:
            kind = "interleaved" if d.arguments.get("rotary_interleaved", True) else "half"
            steps = np.arange(rows) if options.mask != "none" else np.zeros(rows, np.int64)
            cos, sin = tables
            turned = rotated(q, cos, sin, lengths[:, None] + steps, kind).rounded
            keys = rotated(fresh["k"], cos, sin, lengths[:, None] + np.arange(new), kind)
            options = d.attention(input_unit=2 * store_unit(d.dtype))
        if new:
            yield from _appended_checks(caches, old, where, before, keys, fresh["v"])
        dense = [
            _dense(cache, where, max(room + new, *before)) for cache in (caches["k"], caches["v"])
        ]
        made = forward(turned, dense[0], dense[1], options, **d.added, seqlen_k=lengths + new)
        yield from _forward_checks(d, made, result, np.asarray(result.out))

    return Call("attention_kvcache", (q, caches["k"], caches["v"]), d.arguments, check)


def _rotation(d: _Drawing, positions: int) -> list[NDArray[Any]]:
    size = 16 * (1 + d.below(d.hdim_q // 16))
    angles = d.random.uniform(-3, 3, (positions + 1, size // 2))
    tables = [round_to(one, d.dtype) for one in (np.cos(angles), np.sin(angles))]
    d.arguments |= {
        "rotary_cos": tables[0],
        "rotary_sin": tables[1],
        "rotary_interleaved": d.chance(0.5),
    }
    return tables


def _caches(
    d: _Drawing, room: int, lengths: list[int], *, listed: bool
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """k and v in slots, in pages by a table, or in pages by lists; and where they are."""
    sizes = (("k", d.hdim_q), ("v", d.hdim_v))
    if not listed and d.chance(0.3):
        slots = d.batch + d.below(3)
        caches = {name: d.numbers(slots, room, d.heads_k, hdim) for name, hdim in sizes}
        where: dict[str, Any] = {}
        if slots > d.batch:
            where["cache_index"] = d.arguments["cache_index"] = d.random.permutation(slots)[
                : d.batch
            ].astype(np.int32)
        return caches, where
    page = int(d.random.choice([1, 1, 16, 128] if listed else [128, 128, 64, 256, 16, 1]))
    most = -(-room // page)
    pages = d.batch * most + 1 + d.below(3)
    caches = {name: d.numbers(pages, page, d.heads_k, hdim) for name, hdim in sizes}
    table = d.random.permutation(pages)[: d.batch * most].astype(np.int32).reshape(d.batch, most)
    if not listed:
        d.arguments["block_table"] = table
        return caches, {"block_table": table}
    counts = [-(-length // page) for length in lengths]
    d.arguments["kv_indptr"] = np.cumsum([0, *counts]).astype(np.int32)
    d.arguments["kv_page_indices"] = np.concatenate(
        [row[:count] for row, count in zip(table, counts, strict=True)]
    )
    return caches, {"block_table": table, "whole_pages": [count * page for count in counts]}


def _dense(cache: NDArray[Any], where: dict[str, Any], room: int) -> NDArray[Any]:
    if "block_table" in where:
        return gathered(
            cache, where["block_table"], min(room, where["block_table"].shape[1] * cache.shape[1])
        )
    return cache[where["cache_index"]] if "cache_index" in where else cache


def _appended_checks(
    caches: dict[str, NDArray[Any]],
    old: dict[str, NDArray[Any]],
    where: dict[str, Any],
    before: list[int],
    keys: Reference,
    values: NDArray[Any],
) -> Checks:
    places = {name: where.get(name) for name in ("block_table", "cache_index")}
    bound = np.broadcast_to(np.asarray(keys.tolerance.absolute), keys.exact.shape)
    bounds = appended(np.zeros(old["k"].shape), bound, before, **places)
    exact = appended(old["k"].astype(np.float64), keys.exact, before, **places)
    yield (
        "k_cache",
        compare(caches["k"], exact, Tolerance(bounds, roundings=keys.tolerance.roundings)),
    )
    yield "v_cache", compare(caches["v"], appended(old["v"], values, before, **places), Tolerance())


def _gradients(d: _Drawing) -> Call:
    is_group = d.chance(0.5)
    pairs = [d.pair(400) for _ in range(d.batch if is_group else 1)]
    starts = [np.cumsum([0, *(pair[side] for pair in pairs)]).astype(np.int32) for side in range(2)]
    leads: list[tuple[int, ...]] = [
        (int(start[-1]),) if is_group else (d.batch, pairs[0][side])
        for side, start in enumerate(starts)
    ]
    q, k, v, d_o = (
        d.strided(d.numbers(*lead, heads, hdim))
        for lead, heads, hdim in (
            (leads[0], d.heads_q, d.hdim_q),
            (leads[1], d.heads_k, d.hdim_q),
            (leads[1], d.heads_k, d.hdim_v),
            (leads[0], d.heads_q, d.hdim_v),
        )
    )
    d.masks()
    d.scale()
    full = (
        (d.heads_q, len(q), max(pair[1] for pair in pairs))
        if is_group
        else (d.batch, d.heads_q, leads[0][1], leads[1][1])
    )
    d.bias(full, ("none", "none", "bias", "alibi"))
    if d.chance(0.3):
        d.dropout()
    d.arguments["deterministic"] = d.chance(0.3)
    if "bias" in d.added and d.chance(0.6):
        d.arguments["return_dbias"] = True
    options = d.attention(parts=1)
    if is_group:
        d.arguments |= {"cu_seqlens_q": starts[0], "cu_seqlens_k": starts[1]}
        stored = forward_varlen(q, k, v, starts[0], starts[1], options, **d.added)
    else:
        stored = forward(q, k, v, options, **d.added)
    o, lse = stored.o.rounded, stored.lse.rounded

    def check(result: Any) -> Checks:
        given = {"o": o, "lse": lse, **d.added}
        if is_group:
            made = backward_varlen(q, k, v, d_o, starts[0], starts[1], options, **given)
        else:
            made = backward(q, k, v, d_o, options, **given)
        for name in ("dq", "dk", "dv"):
            yield name, written(getattr(made, name), np.asarray(getattr(result, name)))
        if d.arguments.get("return_dbias"):
            yield "dbias", _summed_to(made.dbias, np.asarray(result.dbias), full)

    return Call("attention_bwd", (d_o, q, k, v, o, lse), d.arguments, check)


def _summed_to(one: Reference, actual: NDArray[Any], full: tuple[int, ...]) -> Any:
    """The gradient of a bias that was broadcast is the sum over what it was broadcast to; each term
    was stored in its dtype before.
    """
    exact = np.nan_to_num(one.exact[tuple(slice(0, extent) for extent in full)])
    bound = np.broadcast_to(np.asarray(one.tolerance.absolute), one.exact.shape)[
        tuple(slice(0, extent) for extent in full)
    ]
    bound = bound + store_unit(actual.dtype) * np.abs(exact)
    axes = tuple(
        axis
        for axis, (has, wants) in enumerate(zip(actual.shape, full, strict=True))
        if has != wants
    )
    count = int(np.prod([full[axis] for axis in axes], dtype=np.int64))
    error = bound.sum(axis=axes, keepdims=True) + store_unit(np.dtype(np.float32)) * count * np.abs(
        exact
    ).sum(axis=axes, keepdims=True)
    return compare(
        actual,
        exact.sum(axis=axes, keepdims=True),
        Tolerance(error, roundings=one.tolerance.roundings),
    )
