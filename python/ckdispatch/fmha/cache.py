# SPDX-License-Identifier: MIT
"""Attention over a cache of keys: appended to, rotated, in pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ckdispatch.arguments import truth, whole
from ckdispatch.device import stream_address
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.fmha import request
from ckdispatch.fmha.appending import put, rows_by_host
from ckdispatch.fmha.forward import add_row, completed
from ckdispatch.fmha.listing import list_rows
from ckdispatch.fmha.placing import Input, Output
from ckdispatch.fmha.tables import (
    Ints,
    Table,
    check_index,
    check_lengths,
    check_listed,
    check_pages,
    check_starts,
    table,
)
from ckdispatch.tensors.memory import packed_strides
from ckdispatch.tensors.operands import Operand, operand
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.fmha.call import AttentionCall
    from ckdispatch.fmha.options import Options
    from ckdispatch.fmha.result import AttentionResult

_STEP = 128
"""Lengths of a cache are planned for in steps, so that a sequence that grows by a key finds its
plan again.
"""


def attention_kvcache(
    dispatcher: BaseDispatcher,
    q: Any,
    k_cache: Any,
    v_cache: Any,
    options: Options,
    *,
    k_new: Any,
    v_new: Any,
    cache_seqlens: Any,
    rotary_cos: Any,
    rotary_sin: Any,
    interleaved: Any,
    block_table: Any,
    kv_indptr: Any,
    kv_page_indices: Any,
    cache_index: Any,
    cu_seqlens_q: Any,
    max_seqlen_q: Any,
    layout: Any,
    bias: Any,
    alibi_slopes: Any,
    sinks: Any,
    out: Any,
) -> AttentionResult:
    call, order = _with_q(
        dispatcher, q, k_cache, v_cache, layout, cu_seqlens_q, max_seqlen_q, options
    )
    if (kv_indptr is None) != (kv_page_indices is None):
        raise InvalidArgument(
            "one of kv_indptr and kv_page_indices was given; a list of pages has both"
        )
    if sum(one is not None for one in (block_table, kv_indptr, cache_index)) > 1:
        raise InvalidArgument(
            "several of block_table, kv_indptr and cache_index were given; "
            "keys are found by one of them"
        )
    if block_table is not None:
        _add_block_table(call, block_table)
    elif kv_indptr is not None:
        _add_list(call, kv_indptr, kv_page_indices)
    else:
        _add_sequences(call, cache_index, written=k_new is not None)
    _add_new(call, k_new, v_new, request.order_of(layout))
    _add_cache_lengths(call, cache_seqlens)
    _add_rotary(call, rotary_cos, rotary_sin, interleaved)
    return _run(call, bias, alibi_slopes, sinks, out, order)


def packed_over_pages(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    options: Options,
    *,
    seqused_k: Any,
    block_table: Any,
    max_seqlen_q: Any,
    max_seqlen_k: Any,
    bias: Any,
    alibi_slopes: Any,
    sinks: Any,
    out: Any,
) -> AttentionResult:
    """Of ``attention_varlen``: ``cu_seqlens_k`` gives lengths alone, as keys are found by the
    table.
    """
    if cu_seqlens_q is None:
        raise InvalidArgument(
            "cu_seqlens_q is None; it has where each sequence begins in q, and where the last ends"
        )
    call, order = _with_q(dispatcher, q, k, v, "bshd", cu_seqlens_q, max_seqlen_q, options)
    _add_block_table(call, block_table)
    if seqused_k is None:
        if cu_seqlens_k is None:
            raise InvalidArgument(
                "a block_table was given with neither seqused_k nor cu_seqlens_k; "
                "one of them says how many keys there are"
            )
        starts = table("cu_seqlens_k", cu_seqlens_k, call.device)
        check_starts(starts, 2**31 - 1, "a cache")
        seqused_k = np.diff(starts.on_host)
    _add_cache_lengths(call, seqused_k, "seqused_k", max_seqlen_k)
    return _run(call, bias, alibi_slopes, sinks, out, order)


def _with_q(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    layout: Any,
    cu_seqlens_q: Any,
    max_seqlen_q: Any,
    options: Options,
) -> tuple[AttentionCall, tuple[int, ...]]:
    """The call with its rows: a batch, or packed."""
    order = request.order_of(layout)
    caches = [request.seen(dispatcher, name, one, order) for name, one in (("k", k), ("v", v))]
    if caches[0].shape[:2] != caches[1].shape[:2]:
        raise InvalidArgument(
            f"k_cache has the shape {caches[0].shape} and v_cache {caches[1].shape}; both have as "
            "many sequences or pages, and rows"
        )
    rows_order = order if cu_seqlens_q is None else (0, 1, 2)
    call = request.with_operands(
        dispatcher, [request.seen(dispatcher, "q", q, rows_order), *caches], options
    )
    if cu_seqlens_q is None:
        call.fields |= {"batch": call.inputs["q"].shape[0], "seqlen_q": call.inputs["q"].shape[1]}
        return call, rows_order
    starts = request.starts(call, "cu_seqlens_q", cu_seqlens_q, "q")
    call.tables["seqstart_q"] = starts
    call.fields |= {
        "group": True,
        "batch": starts.shape[0] - 1,
        "total_q": call.inputs["q"].shape[0],
    }
    call.fields["seqlen_q"] = request.longest(starts, max_seqlen_q, "max_seqlen_q")
    return call, rows_order


def _add_block_table(call: AttentionCall, given: Any) -> None:
    found = table("block_table", given, call.device, 2)
    batch = call.fields["batch"]
    if found.shape[0] != batch or found.shape[1] == 0:
        raise InvalidArgument(
            f"block_table has the shape {found.shape}; it has a row of pages for each of "
            f"{several(batch, 'sequence')}"
        )
    pages, rows = call.inputs["k"].shape[:2]
    stride = (
        found.shape[1]
        if found.tensor is None
        else found.tensor.strides[0]
        if batch > 1
        else found.shape[1]
    )
    call.tables["block_table"] = found
    call.fields |= {
        "page_rows": rows,
        "pages": pages,
        "block_table_stride": stride,
        "seqlen_k": found.shape[1] * rows,
    }


def _add_list(call: AttentionCall, indptr: Any, indices: Any) -> None:
    listed = table("kv_page_indices", indices, call.device)
    starts = table("kv_indptr", indptr, call.device)
    check_starts(starts, listed.shape[0], "kv_page_indices")
    batch = call.fields["batch"]
    if starts.shape != (batch + 1,):
        raise InvalidArgument(
            f"kv_indptr has {several(starts.shape[0], 'number')}; there are "
            f"{several(batch, 'sequence')}, and it has one more"
        )
    pages, rows = call.inputs["k"].shape[:2]
    check_listed(listed, pages)
    call.tables |= {"kv_indptr": starts, "kv_pages": listed}
    most = int(np.diff(starts.on_host).max(initial=0))
    call.fields |= {
        "page_rows": rows,
        "pages": pages,
        "kv_page_count": max(1, listed.shape[0]),
        "seqlen_k": most * rows,
    }


def _add_sequences(call: AttentionCall, cache_index: Any, *, written: bool) -> None:
    sequences, room = call.inputs["k"].shape[:2]
    batch = call.fields["batch"]
    if call.fields.get("group"):
        raise InvalidArgument(
            "cu_seqlens_q was given with a cache that has no pages; packed rows go with a "
            "block_table or a list of pages"
        )
    call.fields["seqlen_k"] = room
    if cache_index is not None:
        found = table("cache_index", cache_index, call.device)
        check_index(found, batch, sequences, written=written)
        call.tables["cache_index"] = found
        call.fields |= {"cache_index": True, "pages": sequences}
    elif sequences != batch:
        raise InvalidArgument(
            f"q has {several(batch, 'sequence')}, and the cache {sequences}; both have as many, or "
            "cache_index says which are meant"
        )


def _add_new(call: AttentionCall, k_new: Any, v_new: Any, order: tuple[int, ...]) -> None:
    if k_new is None and v_new is None:
        return
    if "kv_pages" in call.tables or call.fields.get("group"):
        raise InvalidArgument(
            "k_new and v_new were given with a list of pages or packed rows; rows are appended by "
            "a block_table or to whole sequences"
        )
    for name, given in (("k_new", k_new), ("v_new", v_new)):
        one = request.seen(call.dispatcher, name, given, order)
        cache = call.inputs[name[0]]
        rows = call.inputs["k_new"].shape[1] if "k_new" in call.inputs else one.shape[1]
        wanted = (call.fields["batch"], rows, *cache.shape[2:])
        if one.shape != wanted or one.dtype != cache.dtype:
            raise InvalidArgument(
                f"{name} has the shape {one.shape} of {one.dtype}; beside the cache it has "
                f"{wanted} of {cache.dtype}"
            )
        call.inputs[name] = Input(one)
    for name in "kv":
        _check_changeable(call.inputs[name].one)
    call.fields["seqlen_new"] = call.inputs["k_new"].shape[1]


def _check_changeable(one: Operand) -> None:
    if one.array is not None and not one.array.flags.writeable:
        raise InvalidArgument(
            f"{one.name}_cache cannot be written to, and new rows are put into it"
        )
    if one.tensor is not None and not Input(one).usable:
        raise InvalidArgument(
            f"{one.name}_cache has the strides {one.strides}; to put new rows into it its last "
            "dimension must be contiguous"
        )


def _add_cache_lengths(
    call: AttentionCall, given: Any, name: str = "cache_seqlens", longest: Any = None
) -> None:
    """How many keys each sequence has before new ones; and how many it may have, which is what is
    planned for.
    """
    fields, new = call.fields, call.fields.get("seqlen_new", 0)
    batch, room = fields["batch"], fields["seqlen_k"]
    if given is None:
        if new:
            raise InvalidArgument(
                f"k_new was given without {name}, "
                "which says behind how many keys of each sequence it goes"
            )
        _check_table(call, None)
        return
    one_for_all = whole(given)
    if one_for_all is not None:
        given = np.full(batch, one_for_all, np.int64)
    found = table(name, given, call.device)
    if "kv_pages" in call.tables:
        starts = call.tables["kv_indptr"].array
        check_lengths(
            found,
            batch,
            room if starts is None else np.diff(starts) * fields["page_rows"],
            "the list of pages",
        )
    else:
        check_lengths(
            found, batch, room - new, "the cache beside its new rows" if new else "the cache"
        )
    if new == 0 and "kv_pages" not in call.tables and request.have_one_length(call, found):
        _check_table(call, found.array)
        return
    call.tables["seqlen_k"] = found
    fields["lengths_k"] = True
    if found.array is None:
        fields["seqlen_k"] = (
            room if longest is None else min(room, request.limit("max_seqlen_k", longest))
        )
        return
    most = int(found.array.max(initial=0)) + new
    _check_table(call, found.array + new)
    fields["seqlen_k"] = min(room, -(-most // _STEP) * _STEP)


def _check_table(call: AttentionCall, lengths: Ints | None) -> None:
    if "block_table" in call.tables:
        check_pages(
            call.tables["block_table"], lengths, call.fields["page_rows"], call.fields["pages"]
        )


def _add_rotary(call: AttentionCall, cos: Any, sin: Any, interleaved: Any) -> None:
    if cos is None and sin is None:
        return
    if cos is None or sin is None:
        raise InvalidArgument("one of rotary_cos and rotary_sin was given; a rotation has both")
    if not call.fields.get("seqlen_new"):
        raise InvalidArgument(
            "rotary_cos was given without k_new; rows are rotated when they are appended"
        )
    q = call.inputs["q"]
    shapes = []
    for name, given in (("rotary_cos", cos), ("rotary_sin", sin)):
        one = operand(name, given, call.device)
        if len(one.shape) != 2 or one.dtype != q.dtype or 2 * one.shape[1] > q.shape[-1]:
            raise InvalidArgument(
                f"{name} has the shape {one.shape} of {one.dtype}; it is [positions, half of the "
                f"rotated size] of {q.dtype}, for at most {q.shape[-1]} elements"
            )
        shapes.append(one.shape)
        call.inputs[name] = Input(
            one, copied=one.tensor is not None and one.strides != (one.shape[1], 1)
        )
    if shapes[0] != shapes[1]:
        raise InvalidArgument(
            f"rotary_cos has the shape {shapes[0]} and rotary_sin {shapes[1]}; both have one"
        )
    positions, half = shapes[0]
    fields = call.fields
    lengths = call.tables["seqlen_k"].array
    if lengths is not None and int(lengths.max(initial=0)) + fields["seqlen_new"] > positions:
        most = int(lengths.max()) + fields["seqlen_new"]
        raise InvalidArgument(
            f"rotary_cos has {several(positions, 'position')}, and with its new rows a sequence "
            f"has {several(most, 'key')}"
        )
    fields["seqlen_k"] = min(fields["seqlen_k"], positions)
    kind = "interleaved" if truth("rotary_interleaved", interleaved) else "half"
    fields |= {"rotary": kind, "rotary_dim": 2 * half, "rotary_positions": positions}
    # Kernels rotate q where it is, and it is the caller's.
    call.inputs["q"] = Input(q.one, copied=True)


def _run(
    call: AttentionCall, bias: Any, alibi_slopes: Any, sinks: Any, out: Any, order: tuple[int, ...]
) -> AttentionResult:
    """By the table if a kernel reads it; else with a list of rows, which kernels of packed
    sequences may read where others do not.
    """
    given = (bias, alibi_slopes, sinks, out, order)
    refusals: list[NoKernel] = []
    paged = {"block_table", "kv_pages"} & call.tables.keys()
    if not paged or ("kv_pages" not in call.tables and _has_kernel(call, *given, refusals)):
        result = completed(call, *given)
        for name in ("k", "v") if call.fields.get("seqlen_new") else ():
            _write_back(call, name)
        return result
    if call.fields.get("seqlen_new"):
        _append(call, *given, refusals)
    elif "block_table" in call.tables:
        call.changes.append(
            f"{_pages(call)} were listed row by row, as no kernel reads them by a table"
        )
    list_rows(call)
    if _has_kernel(call, *given, refusals):
        return completed(call, *given)
    if call.fields.get("group") or bias is not None:
        raise refusals[0]
    _to_group(call)
    return _in_groups(call, alibi_slopes, sinks, out, order, refusals)


def _pages(call: AttentionCall) -> str:
    return f"pages of {several(call.inputs['k'].shape[1], 'row')}"


def _append(
    call: AttentionCall,
    bias: Any,
    alibi_slopes: Any,
    sinks: Any,
    out: Any,
    order: tuple[int, ...],
    refusals: list[NoKernel],
) -> None:
    """New rows by the host; nothing is written unless a kernel then reads them as a list."""
    trial = copied(call)
    rows_by_host(trial)
    list_rows(trial)
    if not _has_kernel(trial, bias, alibi_slopes, sinks, out, order, refusals):
        if bias is not None:
            raise refusals[0]
        _to_group(trial)
        if not _has_kernel(trial, None, alibi_slopes, sinks, None, (0, 1, 2), refusals):
            raise refusals[0]
    blocks, page_rows = call.tables["block_table"].on_host, call.fields["page_rows"]
    call.changes.append(
        f"new rows were put into {_pages(call)} by the host, and their rows listed, "
        "as no kernel appends to them"
    )
    put(call, rows_by_host(call), blocks, page_rows)


def copied(call: AttentionCall) -> AttentionCall:
    """One that can be changed while this stays."""
    return replace(
        call,
        fields=dict(call.fields),
        inputs=dict(call.inputs),
        outputs=dict(call.outputs),
        tables=dict(call.tables),
        strides=dict(call.strides),
        changes=list(call.changes),
    )


def _has_kernel(
    call: AttentionCall,
    bias: Any,
    alibi_slopes: Any,
    sinks: Any,
    out: Any,
    order: tuple[int, ...],
    refusals: list[NoKernel],
) -> bool:
    """Whether some plan takes the call as it is. What asks is a copy: what it adds stays out of the
    other.
    """
    trial = copied(call)
    if 0 in trial.inputs["q"].shape:
        add_row(trial)
        bias = out = None
    request.add_bias(trial, bias, alibi_slopes)
    request.add_sinks(trial, sinks)
    request.add_outputs(trial, out, order)
    try:
        trial.plan()
    except NoKernel as error:
        refusals.append(error)
        return False
    return True


def _to_group(call: AttentionCall) -> None:
    """The rows of all sequences, one behind the other."""
    fields, q = call.fields, call.inputs["q"]
    batch, rows, heads, size = q.shape
    one = q.one
    if not q.usable or q.strides[0] != rows * q.strides[1]:
        one = Operand(
            "q",
            q.shape,
            packed_strides(q.shape),
            q.dtype,
            np.ascontiguousarray(one.on_host),
            None,
            one.given,
        )
    shape, strides = (batch * rows, heads, size), (one.strides[1], *one.strides[2:])
    array = None if one.array is None else one.array.reshape(shape)
    tensor = None if one.tensor is None else one.tensor.seen_as(shape, strides)
    call.inputs["q"] = Input(Operand("q", shape, strides, q.dtype, array, tensor, one.given))
    starts = np.arange(batch + 1, dtype=np.int64) * rows
    call.tables["seqstart_q"] = Table("cu_seqlens_q", starts.shape, starts, None)
    fields |= {"group": True, "total_q": batch * rows}


def _in_groups(
    call: AttentionCall,
    alibi_slopes: Any,
    sinks: Any,
    out: Any,
    order: tuple[int, ...],
    refusals: list[NoKernel],
) -> AttentionResult:
    """The same with the rows of all sequences packed one behind the other."""
    fields = call.fields
    rows, heads = fields["seqlen_q"], fields["heads_q"]
    batch = fields["batch"]
    target = None if out is None else request.seen(call.dispatcher, "out", out, order)
    try:
        result = completed(call, None, alibi_slopes, sinks, None, (0, 1, 2))
    except NoKernel:
        raise refusals[0] from None
    o = call.placed["o"].seen_as(
        (batch, rows, heads, fields["hdim_v"]),
        packed_strides((batch, rows, heads, fields["hdim_v"])),
    )
    made = Output("o", o.shape, o.dtype, order, target)
    made.tensor = o
    if target is None and call.on_device:
        made.tensor = o.seen_as(o.shape, o.strides)
        made.tensor.owner = o.seen_as(
            *(tuple(of[axis] for axis in order) for of in (o.shape, o.strides))
        )
    lse = result.lse
    if lse is not None:
        lse = (
            lse.seen_as((batch, heads, rows), (rows, batch * rows, 1))
            if call.on_device
            else lse.reshape(heads, batch, rows).swapaxes(0, 1)
        )
    return replace(
        result,
        out=made.delivered(
            call.like, call.on_device, call.device, stream_address(call.options.stream)
        ),
        lse=lse,
    )


def _write_back(call: AttentionCall, name: str) -> None:
    """New rows into a cache of the host."""
    one = call.inputs[name].one
    if one.array is not None:
        call.device.synchronize(stream_address(call.options.stream))
        one.array[...] = call.placed[name].numpy()
