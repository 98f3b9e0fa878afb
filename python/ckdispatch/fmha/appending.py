# SPDX-License-Identifier: MIT
"""New rows for pages that no kernel appends to: rotated and put there by the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.device import stream_address
from ckdispatch.fmha.placing import Input
from ckdispatch.fmha.tables import Table
from ckdispatch.tensors.memory import packed_strides
from ckdispatch.tensors.operands import Operand

if TYPE_CHECKING:
    from ckdispatch.fmha.call import AttentionCall


def rows_by_host(call: AttentionCall) -> dict[str, NDArray[Any]]:
    """What is to be put into the caches, [batch, new rows, heads, head size]; the call is then one
    without new rows.
    """
    from ckdispatch.fmha.reference.cache import rotated

    fields, before = call.fields, call.tables["seqlen_k"].on_host
    new = fields.pop("seqlen_new")
    rows = {name: call.inputs.pop(f"{name}_new").one.on_host for name in "kv"}
    if fields.get("rotary", "none") != "none":
        cos, sin = (call.inputs.pop(name).one.on_host for name in ("rotary_cos", "rotary_sin"))
        kind = fields["rotary"]
        rows["k"] = rotated(rows["k"], cos, sin, before[:, None] + np.arange(new), kind).rounded
        q = call.inputs["q"].one
        # As kernels do it: rows have positions of their own if a mask tells them apart.
        steps = np.arange(q.shape[1]) * (fields["mask"] != "none")
        array = np.ascontiguousarray(
            rotated(q.on_host, cos, sin, before[:, None] + steps, kind).rounded
        )
        call.inputs["q"] = Input(
            Operand("q", q.shape, packed_strides(q.shape), q.dtype, array, None, q.given)
        )
        for name in ("rotary", "rotary_dim", "rotary_positions"):
            del fields[name]
    after = before + new
    call.tables["seqlen_k"] = Table(call.tables["seqlen_k"].name, after.shape, after, None)
    return rows


def put(
    call: AttentionCall, rows: dict[str, NDArray[Any]], table: NDArray[np.int64], page_rows: int
) -> None:
    """Writes rows behind the keys that are there, by the block table."""
    after = call.tables["seqlen_k"].on_host
    for name, new in rows.items():
        one = call.inputs[name].one
        positions = after[:, None] - new.shape[1] + np.arange(new.shape[1])
        pages = table[np.arange(len(after))[:, None], positions // page_rows]
        if one.array is not None:
            one.array[pages, positions % page_rows] = new
            continue
        assert one.tensor is not None
        call.device.synchronize(stream_address(call.options.stream))
        for i, row in np.ndindex(positions.shape):
            place = one.tensor.part(0, int(pages[i, row])).part(
                0, int(positions[i, row] % page_rows)
            )
            place.write(np.ascontiguousarray(new[i, row]))
