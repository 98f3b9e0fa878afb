# SPDX-License-Identifier: MIT
"""The forward calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ckdispatch.fmha import request
from ckdispatch.fmha.placing import Input, Output
from ckdispatch.fmha.result import AttentionResult
from ckdispatch.tensors.operands import Operand

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.fmha.call import AttentionCall
    from ckdispatch.fmha.options import Options


def attention(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    options: Options,
    *,
    layout: Any,
    bias: Any,
    alibi_slopes: Any,
    sinks: Any,
    seqused_q: Any,
    seqused_k: Any,
    out: Any,
) -> AttentionResult:
    call = request.batched(
        dispatcher, q, k, v, layout, options, seqused_q=seqused_q, seqused_k=seqused_k
    )
    return completed(call, bias, alibi_slopes, sinks, out, request.order_of(layout))


def attention_varlen(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    options: Options,
    *,
    bias: Any,
    alibi_slopes: Any,
    sinks: Any,
    out: Any,
    **lengths: Any,
) -> AttentionResult:
    call = request.packed(dispatcher, q, k, v, cu_seqlens_q, cu_seqlens_k, options, **lengths)
    return completed(call, bias, alibi_slopes, sinks, out, (0, 1, 2))


def completed(
    call: AttentionCall, bias: Any, alibi_slopes: Any, sinks: Any, out: Any, order: tuple[int, ...]
) -> AttentionResult:
    """The call with what all have besides, run."""
    if 0 in call.inputs["q"].shape[:-2] and call.fields["batch"]:
        return _without_rows(call, alibi_slopes, sinks, out, order)
    request.add_bias(call, bias, alibi_slopes)
    request.add_sinks(call, sinks)
    seeds = request.add_dropout(call)
    request.add_outputs(call, out, order)
    plan = call.plan()
    milliseconds = call.launch(plan)
    out, lse, randval = (call.delivered(name) for name in ("o", "lse", "randval"))
    comparison = None
    if call.options.validate:
        from ckdispatch.fmha.validation import validated

        comparison = validated(call, plan)
    device = call.device
    return AttentionResult(
        out,
        plan,
        device.name,
        device.simulated,
        tuple(call.changes),
        None,
        milliseconds,
        comparison,
        lse,
        randval,
        *seeds,
    )


def _without_rows(
    call: AttentionCall, alibi_slopes: Any, sinks: Any, out: Any, order: tuple[int, ...]
) -> AttentionResult:
    """Nothing but what else the call does, such as appending keys: of one row,
    which nobody gets.
    """
    empty = call.inputs["q"].shape
    call.options = replace(call.options, validate=False)
    add_row(call)
    result = completed(call, None, alibi_slopes, sinks, None, order)
    target = None if out is None else request.seen(call.dispatcher, "out", out, order)
    o = call.outputs["o"]
    made = Output("o", (*empty[:-1], o.shape[-1]), o.dtype, order, target)
    made.staged(call.device)
    given = {"out": made.delivered(call.like, call.on_device, call.device, None)}
    for name in ("lse", "randval"):
        if (one := call.outputs.get(name)) is not None:
            rows = one.shape.index(1, len(one.shape) - (2 if name == "randval" else 1))
            shape = tuple(0 if axis == rows else extent for axis, extent in enumerate(one.shape))
            none = Output(name, shape, one.dtype, one.order)
            none.staged(call.device)
            given[name] = none.delivered(call.like, call.on_device, call.device, None)
    return replace(result, **given)


def add_row(call: AttentionCall) -> None:
    """One row of zeros to each sequence of q, or to all packed ones."""
    q = call.inputs["q"].one
    shape = tuple(max(1, extent) for extent in q.shape)
    array = np.zeros(shape, call.device.numpy_dtype(q.dtype))
    strides = tuple(step // array.itemsize for step in array.strides)
    call.inputs["q"] = Input(Operand("q", shape, strides, q.dtype, array, None, q.given))
    call.fields["seqlen_q"] = max(1, call.fields["seqlen_q"])
    if call.fields.get("group"):
        call.fields["total_q"] = 1
    call.tables.pop("seqlen_q", None)
    call.fields["lengths_q"] = False
