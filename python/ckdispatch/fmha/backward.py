# SPDX-License-Identifier: MIT
"""The gradients of attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ckdispatch.arguments import truth
from ckdispatch.device import stream_address
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha import request
from ckdispatch.fmha.placing import Input, Output
from ckdispatch.fmha.result import AttentionGradients
from ckdispatch.tensors.memory import packed_strides
from ckdispatch.tensors.operands import Operand, check_apart, like, operand

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.fmha.call import AttentionCall
    from ckdispatch.fmha.options import Options


def attention_bwd(
    dispatcher: BaseDispatcher,
    dout: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    lse: Any,
    options: Options,
    *,
    layout: Any,
    bias: Any,
    alibi_slopes: Any,
    dq: Any,
    dk: Any,
    dv: Any,
    return_dbias: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    max_seqlen_q: Any,
    max_seqlen_k: Any,
    **lengths: Any,
) -> AttentionGradients:
    call, order = _call(
        dispatcher,
        q,
        k,
        v,
        options,
        layout,
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q=max_seqlen_q,
        max_seqlen_k=max_seqlen_k,
        **lengths,
    )
    call.fields["backward"] = True
    del call.fields["lse"]  # it is always there
    _add_results_of_forward(call, dout, out, lse, order)
    if call.fields["batch"] and any(0 in call.inputs[name].shape[:-2] for name in "qk"):
        return _without_scores(call, {"dq": dq, "dk": dk, "dv": dv}, alibi_slopes, order)
    request.add_bias(call, bias, alibi_slopes)
    if call.fields["p_drop"] and options.seed is None:
        raise InvalidArgument(
            "gradients were asked for with dropout and no seed; it is in the result of attention, "
            "with the offset"
        )
    request.add_dropout(call)
    _add_gradients(call, {"dq": dq, "dk": dk, "dv": dv}, order)
    if truth("return_dbias", return_dbias):
        _add_dbias(call)
    plan = call.plan()
    milliseconds = call.launch(plan)
    dq, dk, dv = (call.delivered(name) for name in ("dq", "dk", "dv"))
    dbias = _dbias(call) if "dbias" in call.outputs else None
    comparisons: tuple[Any, ...] = ()
    if options.validate:
        from ckdispatch.fmha.validation import validated_gradients

        comparisons = validated_gradients(call, plan)
    device = call.device
    return AttentionGradients(
        dq,
        dk,
        dv,
        dbias,
        plan,
        device.name,
        device.simulated,
        tuple(call.changes),
        milliseconds,
        comparisons,
    )


def _call(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    options: Options,
    layout: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    **lengths: Any,
) -> tuple[AttentionCall, tuple[int, ...]]:
    if (cu_seqlens_q is None) != (cu_seqlens_k is None):
        raise InvalidArgument(
            "one of cu_seqlens_q and cu_seqlens_k was given; packed sequences have both"
        )
    if cu_seqlens_q is not None:
        return request.packed(
            dispatcher, q, k, v, cu_seqlens_q, cu_seqlens_k, options, **lengths
        ), (0, 1, 2)
    for name in ("max_seqlen_q", "max_seqlen_k"):
        del lengths[name]  # those of the tensors
    return request.batched(dispatcher, q, k, v, layout, options, **lengths), request.order_of(
        layout
    )


def _add_results_of_forward(
    call: AttentionCall, dout: Any, out: Any, lse: Any, order: tuple[int, ...]
) -> None:
    fields, q, v = call.fields, call.inputs["q"], call.inputs["v"]
    shape = (*q.shape[:-1], v.shape[-1])
    for name, called, given in (("o", "out", out), ("d_o", "dout", dout)):
        one = request.seen(call.dispatcher, called, given, order)
        if one.shape != shape or one.dtype != q.dtype:
            raise InvalidArgument(
                f"{called} has the shape {one.shape} of {one.dtype}; "
                f"the result of attention has {shape} of {q.dtype}"
            )
        call.inputs[name] = Input(one)
    if lse is None:
        raise InvalidArgument(
            "lse is None, and gradients need it; attention gives it with return_lse=True"
        )
    one = operand("lse", lse, call.device)
    rows = (
        (fields["heads_q"], fields["total_q"])
        if fields.get("group")
        else (fields["batch"], fields["heads_q"], fields["seqlen_q"])
    )
    if one.shape != rows or one.dtype != "fp32":
        raise InvalidArgument(
            f"lse has the shape {one.shape} of {one.dtype}; that of attention has {rows} of fp32"
        )
    taken = call.inputs["lse"] = Input(one)
    *batch, head, row = taken.strides
    call.strides["lse"] = (row, head, batch[0] if batch else 0)


def _add_gradients(call: AttentionCall, given: dict[str, Any], order: tuple[int, ...]) -> None:
    outs = []
    for name, out in given.items():
        of = call.inputs[name[1:]]
        target = None if out is None else request.seen(call.dispatcher, name, out, order)
        # Keys that no row has, and rows behind the last sequence, are not written.
        call.outputs[name] = Output(name, of.shape, of.dtype, order, target, partly=True)
        # The runtime knows whether tensors of the device overlap, or lie between each other as
        # parts of one.
        outs += [] if target is None or target.array is None else [target]
    check_apart(outs)


def _without_scores(
    call: AttentionCall, given: dict[str, Any], alibi_slopes: Any, order: tuple[int, ...]
) -> AttentionGradients:
    """Zeros: those of a row and a key that the caller does not have, where there is none."""
    shapes = {name: call.inputs[name[1:]].shape for name in given}
    for name in ("q", "k", "v", "o", "d_o", "lse"):
        one = call.inputs[name].one
        shape = tuple(max(1, extent) for extent in one.shape)
        array = np.full(shape, -np.inf if name == "lse" else 0, call.device.numpy_dtype(one.dtype))
        call.inputs[name] = Input(
            Operand(one.name, shape, packed_strides(shape), one.dtype, array, None, one.given)
        )
        if name == "lse":
            call.strides["lse"] = request.lse_strides(shape)
    for name in ("seqlen_q", "seqlen_k", "total_q", "total_k"):
        if name in call.fields:
            call.fields[name] = max(1, call.fields[name])
    for name in ("seqlen_q", "seqlen_k"):
        call.tables.pop(name, None)
    call.fields |= {"lengths_q": False, "lengths_k": False, "p_drop": 0.0}
    request.add_bias(call, None, alibi_slopes)
    _add_gradients(call, {"dq": None, "dk": None, "dv": None}, order)
    plan = call.plan()
    milliseconds = call.launch(plan)
    found, device = [], call.device
    for name, out in given.items():
        target = None if out is None else request.seen(call.dispatcher, name, out, order)
        made = Output(name, shapes[name], call.outputs[name].dtype, order, target)
        made.staged(device)
        assert made.tensor is not None
        made.tensor.write(np.zeros(made.shape, device.numpy_dtype(made.dtype)))
        found.append(
            made.delivered(call.like, call.on_device, device, stream_address(call.options.stream))
        )
    return AttentionGradients(
        found[0],
        found[1],
        found[2],
        None,
        plan,
        device.name,
        device.simulated,
        tuple(call.changes),
        milliseconds,
    )


def _add_dbias(call: AttentionCall) -> None:
    fields = call.fields
    if fields.get("bias") != "elementwise":
        raise InvalidArgument("return_dbias was asked for without a bias")
    rows = (fields["total_q"],) if fields.get("group") else (fields["seqlen_q"],)
    shape = (
        *(() if fields.get("group") else (fields["batch"],)),
        fields["heads_q"],
        *rows,
        fields["seqlen_k"],
    )
    call.outputs["dbias"] = Output(
        "dbias", shape, call.inputs["bias"].dtype, tuple(range(len(shape))), partly=True
    )
    call.strides["dbias"] = request.scores_strides(shape)
    fields["dbias"] = True


def _dbias(call: AttentionCall) -> Any:
    """Summed over what the bias was broadcast to, which is done on the host."""
    whole, given = call.outputs["dbias"], call.inputs["bias"].one.given
    wanted = tuple(given.shape)
    if wanted == whole.shape:
        return call.delivered("dbias")
    assert whole.tensor is not None
    call.device.synchronize(stream_address(call.options.stream))
    array = whole.tensor.numpy()
    aligned = (1,) * (array.ndim - len(wanted)) + wanted
    axes = tuple(
        axis
        for axis, (own, full) in enumerate(zip(aligned, array.shape, strict=True))
        if own != full
    )
    summed = (
        array.astype(np.float32).sum(axis=axes, keepdims=True).astype(array.dtype).reshape(wanted)
    )
    call.changes.append("dbias was summed on the host over what the bias was broadcast to")
    return call.dispatcher.to_device(summed) if call.on_device else like(call.like, summed)
