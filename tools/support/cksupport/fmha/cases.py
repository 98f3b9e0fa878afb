# SPDX-License-Identifier: MIT
"""A random problem of each attention kernel that makes o,
and what it should leave in its outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from ckdispatch.comparison import Comparison, Reference, compare
from ckdispatch.fmha.reference import (
    Attention,
    Forward,
    combine,
    forward,
    forward_varlen,
    with_sink,
)
from ckdispatch.fmha.reference.cache import appended, gathered, rotated
from ckdispatch.fmha.reference.scores import visible
from ckdispatch.reference.formats import round_to, widened
from ckdispatch.reference.tolerance import Tolerance
from numpy.typing import NDArray

from cksupport.fmha.draws import FP32, Draw
from cksupport.fmha.memory import Tensor, filled, laid_out, plain

Results = dict[str, NDArray[Any]]
Checks = Iterator[tuple[str, Comparison]]


@dataclass
class Case:
    """A drawn problem: its outputs, and the check of what they hold after a launch."""

    draw: Draw
    outputs: tuple[str, ...]
    check: Callable[[Results], Checks]


def attend(
    draw: Draw, k: NDArray[Any], v: NDArray[Any], options: Attention, rows: list[int] | None = None
) -> Forward:
    """The reference of a drawn problem; ``rows`` are those that are computed, if not all."""
    q, lengths = (
        draw.tensors["q"].view,
        {**draw.reference_lengths(), **({"seqlen_q": rows} if rows is not None else {})},
    )
    if draw.is_group:
        seqstart_q, seqstart_k = draw.starts()
        return forward_varlen(
            q, k, v, seqstart_q, seqstart_k, options, **draw.added, **lengths, output=draw.o_dtype
        )
    return forward(q, k, v, options, **draw.added, **lengths, output=draw.o_dtype)


def forward_case(draw: Draw) -> Case:
    """fwd."""
    draw.lengths()
    draw.features()
    _operands(draw)
    outputs = _forward_outputs(draw)
    skipped = _skipped_rows(draw)

    def check(results: Results) -> Checks:
        k, v = (
            _index_cache(draw, draw.tensors["k"].view),
            _index_cache(draw, draw.tensors["v"].view),
        )
        expected = attend(draw, k, v, draw.attention(), skipped)
        yield from _compare_forward(draw, expected, results)

    return Case(draw, outputs, check)


def paged_case(draw: Draw) -> Case:
    """pagedkv."""
    _with_cache(draw)
    outputs = _forward_outputs(draw)
    skipped = _skipped_rows(draw)

    def check(results: Results) -> Checks:
        yield from _compare_forward(
            draw, attend(draw, *_dense(draw), draw.attention(), skipped), results
        )

    return Case(draw, outputs, check)


def split_case(draw: Draw) -> Case:
    """splitkv, with pages or without."""
    _with_cache(draw)
    parts = int(draw.random.choice([1, 2, 3, 5, 8, 17]))
    draw.fields["parts"] = parts
    rows = sum(draw.room_q) if draw.is_group else draw.room_q[0]
    lead = (parts, draw.heads_q) if draw.is_group else (parts, draw.batch, draw.heads_q)
    axes = "phr" if draw.is_group else "pbhr"
    order = None if draw.is_group or draw.chance(0.5) else (1, 2, 0, 3)
    draw.put("lse_acc", laid_out(draw.random, (*lead, rows), FP32, order), axes)
    draw.put(
        "o_acc",
        laid_out(
            draw.random, (*lead, rows, draw.hdim_v), FP32, None if order is None else (*order, 4)
        ),
        axes + ".",
    )

    def check(results: Results) -> Checks:
        k, v = _dense(draw)
        draw.o_dtype = FP32
        for part in range(parts):
            # It is combine that scales o.
            own = draw.attention(parts=parts, part=part, scale_o=1.0)
            expected = attend(draw, k, v, own)
            o = np.swapaxes(results["o_acc"][part], -2, -3)
            yield f"o_acc of part {part}", expected.o.compare(o)
            yield f"lse_acc of part {part}", expected.lse.compare(results["lse_acc"][part])

    return Case(draw, ("o_acc", "lse_acc"), check)


def combine_case(draw: Draw) -> Case:
    """combine."""
    draw.has_seqlen_k, draw.keys = False, list(draw.room_k)
    if draw.is_group:
        draw.has_seqlen_q, draw.rows = False, list(draw.room_q)
    draw.lengths()
    most = draw.spec["max_splits"]
    parts = int(draw.random.integers(most // 2 + 1 if most > 8 else 1, most + 1))
    draw.fields["parts"] = parts
    rows = sum(draw.room_q) if draw.is_group else draw.room_q[0]
    lead = (parts, draw.heads_q) if draw.is_group else (parts, draw.batch, draw.heads_q)
    axes = "phr" if draw.is_group else "pbhr"
    lse = draw.random.normal(size=(*lead, rows)) * 3
    lse[draw.random.random(lse.shape) < 0.2] = -np.inf
    o = draw.random.normal(size=(*lead, rows, draw.hdim_v))
    draw.put(
        "lse_acc", filled(laid_out(draw.random, lse.shape, FP32), lse.astype(np.float32)), axes
    )
    draw.put(
        "o_acc", filled(laid_out(draw.random, o.shape, FP32), o.astype(np.float32)), axes + "."
    )
    if draw.spec["scales"]:
        draw.fields["scale_o"] = 0.5
    outputs = _forward_outputs(draw)

    def check(results: Results) -> Checks:
        expected, expected_lse = combine(
            draw.tensors["o_acc"].view, draw.tensors["lse_acc"].view, draw.o_dtype
        )
        scale = draw.fields.get("scale_o", 1.0)
        exact, bound = (
            scale * np.swapaxes(one, -2, -3)
            for one in (expected.exact, np.asarray(expected.tolerance.absolute))
        )
        inside = draw.logical(draw.tensors["o"], "q")
        exact = np.where(inside[..., None, None], exact, np.nan)
        yield (
            "o",
            compare(results["o"], exact, Tolerance(bound, roundings=expected.tolerance.roundings)),
        )
        if "lse" in results:
            rows = _row_mask(draw, draw.tensors["lse"])
            yield (
                "lse",
                compare(
                    results["lse"],
                    np.where(rows, expected_lse.exact, np.nan),
                    expected_lse.tolerance,
                ),
            )

    return Case(draw, outputs, check)


def prefill_case(draw: Draw) -> Case:
    """batch_prefill."""
    draw.has_seqlen_k = False
    draw.room_k = list(draw.keys)
    draw.lengths()
    draw.features()
    draw.operand("q", "q", draw.heads_q, draw.hdim_q)
    total = sum(draw.keys)
    tokens = total + int(draw.random.integers(1, 50))
    order = draw.random.permutation(tokens)[:total].astype(np.int32)
    for name, hdim in (("k", draw.hdim_q), ("v", draw.hdim_v)):
        tensor = laid_out(
            draw.random,
            (tokens, draw.heads_k, hdim),
            draw.dtype,
            None,
            0 if draw.chance(0.6) else 8,
        )
        draw.put(name, filled(tensor, draw.numbers(tensor.shape)), "rh.")
        draw.strides[name]["batch"] = draw.strides[name]["row"]
    draw.put("kv_indptr", plain(np.cumsum([0, *draw.keys]).astype(np.int32)), ".")
    draw.put("kv_pages", plain(np.concatenate([order, np.zeros(128, np.int32)])), ".")
    draw.fields |= {"pages": tokens, "page_rows": 1, "total_k": total}
    outputs = _forward_outputs(draw)

    def check(results: Results) -> Checks:
        k, v = (draw.tensors[name].view[order] for name in "kv")
        if not draw.is_group:
            # Each sequence of a batch has its own list.
            k, v = (_padded(one, draw.keys) for one in (k, v))
        yield from _compare_forward(draw, attend(draw, k, v, draw.attention()), results)

    return Case(draw, outputs, check)


def append_case(draw: Draw) -> Case:
    """appendkv: new keys are put behind old ones, and q is rotated in place."""
    draw.has_seqlen_q, draw.rows = False, list(draw.room_q)
    new = int(draw.random.choice([0, 1, 1, 5, 64, 100]))
    draw.keys = [int(draw.random.integers(0, 200)) for _ in draw.rows]
    draw.has_seqlen_k = True
    draw.room_k = [max(draw.keys) + new + int(draw.random.integers(0, 9))] * draw.batch
    draw.lengths()
    draw.fields |= {"seqlen_new": new}
    if draw.spec["mask"] or draw.chance(0.5):
        draw.fields |= {"mask": 2, "window_left": -1, "window_right": 0}
    draw.operand("q", "q", draw.heads_q, draw.hdim_q)
    caches = _append_caches(draw)
    positions = np.zeros((draw.batch, 0), np.int64)
    kind = draw.spec["rotary"]
    tables: tuple[NDArray[Any], NDArray[Any]] | None = None
    if kind != "none":
        rotary_dim = int(draw.random.integers(1, draw.hdim_q // 16 + 1)) * 16
        angles = draw.random.uniform(
            -3, 3, (max(draw.keys) + max(new, draw.room_q[0]) + 1, rotary_dim // 2)
        )
        tables = round_to(np.cos(angles), draw.dtype), round_to(np.sin(angles), draw.dtype)
        draw.fields["rotary_dim"] = rotary_dim
        for name, table in zip(("rotary_cos", "rotary_sin"), tables, strict=True):
            draw.put(name, plain(table), "r.")
    for name, hdim in (("k_new", draw.hdim_q), ("v_new", draw.hdim_v)):
        tensor = laid_out(draw.random, (draw.batch, new, draw.heads_k, hdim), draw.dtype)
        draw.put(name, filled(tensor, draw.numbers(tensor.shape)), "brh.")
    starts = np.array(draw.keys)[:, None]
    outputs: tuple[str, ...] = ("q", "k", "v")
    if draw.chance(0.5):
        # Where the lengths after the append are left for the stages that follow.
        draw.put("seqlen_q", plain(np.full(draw.batch, -1, np.int32)), ".")
        outputs += ("seqlen_q",)

    def placed(name: str, rows: NDArray[Any]) -> NDArray[Any]:
        table = draw.tensors["block_table"].view if "block_table" in draw.tensors else None
        index = draw.tensors["cache_index"].view if "cache_index" in draw.tensors else None
        return appended(caches[name], rows, draw.keys, block_table=table, cache_index=index)

    def check(results: Results) -> Checks:
        q = draw.tensors["q"].view
        rows = (
            np.arange(draw.room_q[0])
            if draw.fields.get("mask")
            else np.zeros(draw.room_q[0], np.int64)
        )
        turned = {
            "q": rotated(q, *tables, starts + rows, kind)
            if tables
            else rotated(q, q, q, positions, "none")
        }
        yield "q", turned["q"].compare(results["q"])
        if "seqlen_q" in results:
            yield (
                "seqlen_q",
                compare(results["seqlen_q"], np.array(draw.keys, np.int32) + new, Tolerance()),
            )
        for name in ("k", "v"):
            fresh = draw.tensors[f"{name}_new"].view
            if name == "k" and tables:
                made = rotated(fresh, *tables, starts + np.arange(new), kind)
            else:
                made = rotated(fresh, fresh, fresh, positions, "none")
            exact, bound = placed(name, made.exact), np.asarray(made.tolerance.absolute)
            bounds = placed(name, bound) if bound.ndim else bound
            touched = placed(name, np.full(fresh.shape, np.inf)) == np.inf
            tolerance = Tolerance(
                np.where(touched, np.nan_to_num(bounds), 0.0), roundings=made.tolerance.roundings
            )
            yield name, compare(results[name], exact, tolerance)

    return Case(draw, outputs, check)


def sink_case(draw: Draw) -> Case:
    """sink: o and lse are changed in place."""
    draw.lengths()
    draw.operand("o", "q", draw.heads_q, draw.hdim_v)
    lse = draw.scores_tensor("lse", FP32, columns=False)
    values = draw.random.normal(size=lse.shape) * 3
    values[draw.random.random(lse.shape) < 0.1] = -np.inf
    filled(lse, np.where(_row_mask(draw, lse), values, np.nan).astype(np.float32))
    draw.put("sink", plain(draw.random.normal(size=draw.heads_q).astype(np.float32) * 2), "h")

    def check(results: Results) -> Checks:
        before = draw.tensors["o"].view, draw.tensors["lse"].view
        o, new_lse = with_sink(*before, draw.tensors["sink"].view)
        for name, one, old in (("o", o, before[0]), ("lse", new_lse, before[1])):
            keep = np.isnan(widened(old))
            bound = np.where(keep, 0.0, np.asarray(one.tolerance.absolute))
            exact = np.where(keep, np.nan, one.exact)
            yield (
                name,
                compare(
                    results[name],
                    exact,
                    Tolerance(np.nan_to_num(bound), roundings=one.tolerance.roundings),
                ),
            )

    return Case(draw, ("o", "lse"), check)


def _operands(draw: Draw) -> None:
    draw.operand("q", "q", draw.heads_q, draw.hdim_q)
    draw.operand("k", "k", draw.heads_k, draw.hdim_q)
    draw.operand("v", "k", draw.heads_k, draw.hdim_v)


def _forward_outputs(draw: Draw) -> tuple[str, ...]:
    draw.rows_tensor("o", "q", draw.heads_q, draw.hdim_v, draw.o_dtype)
    names = ["o"]
    if draw.spec["lse"]:
        draw.scores_tensor("lse", FP32, columns=False)
        names.append("lse")
    if draw.spec["dropout"] and draw.chance(0.5):
        draw.scores_tensor("randval", np.dtype(np.uint8))
        names.append("randval")
    return tuple(names)


def _skipped_rows(draw: Draw) -> list[int] | None:
    if not draw.spec["skip_min"]:
        return None
    least = int(draw.random.choice([0, 1, *draw.rows]))
    draw.fields["min_seqlen_q"] = least
    return [0 if rows <= least and least else rows for rows in draw.rows]


def _compare_forward(draw: Draw, expected: Forward, results: Results) -> Checks:
    yield "o", expected.o.compare(results["o"])
    if "lse" in results:
        yield "lse", expected.lse.compare(results["lse"])
    if "randval" in results and expected.randval is not None:
        yield "randval", _compare_bytes(draw, expected.randval, results["randval"])


def _compare_bytes(
    draw: Draw, expected: NDArray[np.uint8], actual: NDArray[np.uint8]
) -> Comparison:
    """Bytes are written where scores are computed, which is at least where they are kept."""
    want = np.array(actual)
    first_q = 0
    for i, (rows, keys) in enumerate(zip(draw.rows, draw.keys, strict=True)):
        kept = visible(draw.attention(), rows, keys)
        lead: Any = (
            (slice(None), slice(first_q, first_q + rows))
            if draw.is_group
            else (i, slice(None), slice(0, rows))
        )
        place = (*lead, slice(0, keys))
        want[place] = np.where(kept, expected[place], want[place])
        first_q += draw.room_q[i]
    return compare(actual, want, Tolerance())


def _with_cache(draw: Draw) -> None:
    """q, and k and v in pages, in slots of a cache, or like fwd's."""
    if draw.spec["paged"]:
        draw.has_seqlen_k = bool(draw.spec["pads"][1])
        draw.room_k = list(draw.keys) if draw.is_group else draw.room_k
    draw.lengths()
    draw.features()
    draw.operand("q", "q", draw.heads_q, draw.hdim_q)
    if not draw.spec["paged"]:
        if not draw.is_group and draw.chance(0.3):
            slots = draw.batch + int(draw.random.integers(1, 3))
            index = draw.random.permutation(slots)[: draw.batch].astype(np.int32)
            for name, hdim in (("k", draw.hdim_q), ("v", draw.hdim_v)):
                tensor = laid_out(
                    draw.random, (slots, draw.room_k[0], draw.heads_k, hdim), draw.dtype
                )
                draw.put(name, filled(tensor, draw.numbers(tensor.shape)), "brh.")
            draw.put("cache_index", plain(index), ".")
            return
        draw.operand("k", "k", draw.heads_k, draw.hdim_q)
        draw.operand("v", "k", draw.heads_k, draw.hdim_v)
        return
    block = draw.spec["tile"][1]
    page_rows = (
        block * int(draw.random.choice([1, 1, 2]))
        if draw.chance(0.95)
        else int(draw.random.choice([16, 48]))
    )
    _paged_tensors(draw, page_rows, -(-max(1, draw.longest_k) // page_rows))


def _paged_tensors(draw: Draw, page_rows: int, most: int) -> None:
    pages = draw.batch * most + int(draw.random.integers(1, 4))
    table = (
        draw.random.permutation(pages)[: draw.batch * most]
        .reshape(draw.batch, most)
        .astype(np.int32)
    )
    for name, hdim in (("k", draw.hdim_q), ("v", draw.hdim_v)):
        order = (0, 2, 1, 3) if draw.chance(0.3) else None
        tensor = laid_out(draw.random, (pages, page_rows, draw.heads_k, hdim), draw.dtype, order)
        draw.put(name, filled(tensor, draw.numbers(tensor.shape)), "brh.")
    draw.put("block_table", plain(table), "r.")
    draw.strides["block_table"] = {"row": most, "batch": most}
    draw.fields |= {"page_rows": page_rows, "pages": pages}


def _append_caches(draw: Draw) -> dict[str, NDArray[Any]]:
    if draw.spec["paged"]:
        page_rows = int(draw.random.choice([64, 128]))
        _paged_tensors(draw, page_rows, -(-draw.room_k[0] // page_rows))
    else:
        slots = draw.batch
        if draw.chance(0.3):
            slots += 2
            draw.put(
                "cache_index",
                plain(draw.random.permutation(slots)[: draw.batch].astype(np.int32)),
                ".",
            )
        for name, hdim in (("k", draw.hdim_q), ("v", draw.hdim_v)):
            tensor = laid_out(draw.random, (slots, draw.room_k[0], draw.heads_k, hdim), draw.dtype)
            draw.put(name, filled(tensor, draw.numbers(tensor.shape)), "brh.")
    return {name: draw.tensors[name].view for name in ("k", "v")}


def _dense(draw: Draw) -> tuple[NDArray[Any], NDArray[Any]]:
    """k and v as if they lay one row behind the other."""
    k, v = (draw.tensors[name].view for name in "kv")
    if "block_table" not in draw.tensors:
        return _index_cache(draw, k), _index_cache(draw, v)
    k, v = (gathered(one, draw.tensors["block_table"].view, draw.longest_k) for one in (k, v))
    if draw.is_group:
        k, v = (
            np.concatenate([one[i, :keys] for i, keys in enumerate(draw.room_k)]) for one in (k, v)
        )
    return k, v


def _index_cache(draw: Draw, cache: NDArray[Any]) -> NDArray[Any]:
    return cache[draw.tensors["cache_index"].view] if "cache_index" in draw.tensors else cache


def _padded(packed: NDArray[Any], lengths: list[int]) -> NDArray[Any]:
    """Packed rows as a batch."""
    result = np.zeros((len(lengths), max(lengths), *packed.shape[1:]), packed.dtype)
    first = 0
    for i, length in enumerate(lengths):
        result[i, :length] = packed[first : first + length]
        first += length
    return result


def _row_mask(draw: Draw, lse: Tensor) -> NDArray[np.bool_]:
    """Which elements of a tensor like lse belong to sequences."""
    inside = draw.logical(lse, "q")
    return np.broadcast_to(inside if draw.is_group else inside[:, None, :], lse.shape)


def as_reference(values: Any, bound: Any, dtype: np.dtype[Any], roundings: Any) -> Reference:
    """A result that a test worked out by itself."""
    return Reference(values, round_to(values, dtype), Tolerance(bound, roundings=roundings))
