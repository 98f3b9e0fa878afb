# SPDX-License-Identifier: MIT
"""Pages as lists of rows, for kernels that read a row of the cache for each key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ckdispatch.fmha.placing import Input
from ckdispatch.fmha.tables import PAST_THE_END, Table, rows_of_pages
from ckdispatch.tensors.operands import Operand

if TYPE_CHECKING:
    from ckdispatch.fmha.call import AttentionCall


def list_rows(call: AttentionCall) -> None:
    """In place of pages a row of the cache for each key."""
    fields, k = call.fields, call.inputs["k"]
    page_rows = fields["page_rows"]
    apart = _rows_apart(call)
    starts, listed = call.tables.get("kv_indptr"), call.tables.get("kv_pages")
    if (
        starts is not None
        and listed is not None
        and page_rows == 1
        and "seqlen_k" not in call.tables
    ):
        if listed.array is not None:
            longer = np.concatenate([listed.array, np.zeros(PAST_THE_END, np.int64)])
            call.tables["kv_pages"] = Table(listed.name, longer.shape, longer, None)
        return
    lengths = call.tables.pop("seqlen_k", None)
    if starts is not None and listed is not None:
        begins, pages = starts.on_host, listed.on_host
        own = [pages[begins[i] : begins[i + 1]] for i in range(fields["batch"])]
        counts = np.diff(begins) * page_rows if lengths is None else lengths.on_host
    else:
        own = list(call.tables.pop("block_table").on_host)
        counts = (
            np.full(fields["batch"], fields["seqlen_k"]) if lengths is None else lengths.on_host
        )
    begins, rows = rows_of_pages(own, counts, page_rows, apart)
    call.tables |= {
        "kv_indptr": Table("kv_indptr", begins.shape, begins, None),
        "kv_pages": Table("kv_page_indices", rows.shape, rows, None),
    }
    fields |= {
        "page_rows": 1,
        "block_table_stride": 0,
        "kv_page_count": max(1, len(rows) - PAST_THE_END),
        "lengths_k": False,
    }
    fields["seqlen_k"] = int(counts.max(initial=0))
    fields["pages"] = (k.shape[0] - 1) * apart + page_rows if k.shape[0] else 0
    for name in "kv":
        call.inputs[name] = _by_rows(call.inputs[name], fields["pages"])


def _rows_apart(call: AttentionCall) -> int:
    """From a page to the next, in rows."""
    found = set()
    for name in "kv":
        one = call.inputs[name]
        page, row = one.strides[:2]
        if one.shape[0] > 1 and one.shape[1] > 1 and (row == 0 or page % row):
            call.inputs[name] = one = Input(one.one, copied=True)
            page, row = one.strides[:2]
            call.changes.append(
                f"{name}_cache was copied, because its pages are no whole number of rows apart"
            )
        found.add(page // row if one.shape[1] > 1 else 1)
    if len(found) > 1:
        for name in "kv":
            call.inputs[name] = Input(call.inputs[name].one, copied=True)
        return call.inputs["k"].shape[1]
    return found.pop()


def _by_rows(given: Input, rows: int) -> Input:
    """A cache seen as pages of one row."""
    one = given.one
    if one.tensor is None or given.copied or not given.usable:
        array = one.on_host.reshape(-1, 1, *one.shape[2:])
        return Input(
            Operand(
                one.name,
                array.shape,
                tuple(step // array.itemsize for step in array.strides),
                one.dtype,
                array,
                None,
                one.given,
            )
        )
    step = one.strides[1] if one.shape[1] > 1 else one.strides[0]
    shape, strides = (rows, 1, *one.shape[2:]), (step, step, *one.strides[2:])
    return Input(
        Operand(
            one.name, shape, strides, one.dtype, None, one.tensor.seen_as(shape, strides), one.given
        )
    )
