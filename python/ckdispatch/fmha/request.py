# SPDX-License-Identifier: MIT
"""What a call asks for: its tensors checked against each other, and the problem that they make."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ckdispatch.arguments import in_range
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.call import AttentionCall
from ckdispatch.fmha.options import Options, seed_number
from ckdispatch.fmha.placing import LAYOUTS, Input, Output, usable_strides
from ckdispatch.fmha.tables import Ints, Table, check_lengths, check_starts, table
from ckdispatch.reference.dtypes import dtype_encoding
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.operands import Operand, as_given, operand
from ckdispatch.wording import kind_of, quoted, several

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher

_PACKED = (0, 1, 2)


def order_of(layout: Any) -> tuple[int, ...]:
    """The axes of tensors of that layout."""
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise InvalidArgument(
            f"layout was asked for as {quoted(layout)}; it is one of {', '.join(LAYOUTS)}"
        )
    return LAYOUTS[layout]


def seen(dispatcher: BaseDispatcher, name: str, given: Any, order: tuple[int, ...]) -> Operand:
    """A tensor with its axes as [batch, row, head, element], or [row, head, element]."""
    if given is None:
        raise InvalidArgument(
            f"{name} is None; give a NumPy array, a DeviceTensor, or a tensor that has __dlpack__"
        )
    one = operand(name, given, dispatcher.device)
    if len(one.shape) != len(order):
        what = (
            "[batch, rows, heads, head size] or as layout says"
            if len(order) == 4
            else "[rows of all sequences, heads, head size]"
        )
        raise InvalidArgument(f"{name} has the shape {one.shape}; it is {what}")
    return one.transposed(order) if order != tuple(range(len(order))) else one


def batched(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    layout: Any,
    options: Options,
    *,
    seqused_q: Any = None,
    seqused_k: Any = None,
) -> AttentionCall:
    """Sequences of one length, or of their own within that."""
    order = order_of(layout)
    given = [seen(dispatcher, name, one, order) for name, one in (("q", q), ("k", k), ("v", v))]
    if len({one.shape[0] for one in given}) != 1 or given[1].shape[1] != given[2].shape[1]:
        raise InvalidArgument(
            f"{_shapes(given)}; all have as many sequences, and k and v as many rows"
        )
    call = with_operands(dispatcher, given, options)
    batch, rows, keys = given[0].shape[0], given[0].shape[1], given[1].shape[1]
    call.fields |= {"batch": batch, "seqlen_q": rows, "seqlen_k": keys}
    _add_lengths(call, "q", seqused_q, rows)
    _add_lengths(call, "k", seqused_k, keys)
    return call


def packed(
    dispatcher: BaseDispatcher,
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    options: Options,
    *,
    max_seqlen_q: Any = None,
    max_seqlen_k: Any = None,
    seqused_q: Any = None,
    seqused_k: Any = None,
) -> AttentionCall:
    """Sequences one behind the other."""
    given = [seen(dispatcher, name, one, _PACKED) for name, one in (("q", q), ("k", k), ("v", v))]
    if given[1].shape[0] != given[2].shape[0]:
        raise InvalidArgument(f"{_shapes(given)}; k and v have as many rows")
    call = with_operands(dispatcher, given, options)
    starts_q, starts_k = (
        starts(call, "cu_seqlens_q", cu_seqlens_q, "q"),
        starts(call, "cu_seqlens_k", cu_seqlens_k, "k"),
    )
    if starts_q.shape != starts_k.shape:
        raise InvalidArgument(
            f"cu_seqlens_q has {several(starts_q.shape[0], 'number')} and cu_seqlens_k "
            f"{starts_k.shape[0]}; both have one more than there "
            "are sequences"
        )
    batch = starts_q.shape[0] - 1
    call.tables |= {"seqstart_q": starts_q, "seqstart_k": starts_k}
    call.fields |= {
        "batch": batch,
        "group": True,
        "total_q": given[0].shape[0],
        "total_k": given[1].shape[0],
    }
    call.fields["seqlen_q"] = longest(starts_q, max_seqlen_q, "max_seqlen_q")
    call.fields["seqlen_k"] = longest(starts_k, max_seqlen_k, "max_seqlen_k")
    _add_lengths(call, "q", seqused_q, _room(starts_q, given[0].shape[0]))
    _add_lengths(call, "k", seqused_k, _room(starts_k, given[1].shape[0]))
    return call


def starts(call: AttentionCall, name: str, given: Any, of: str) -> Table:
    """Where sequences begin."""
    if given is None:
        raise InvalidArgument(
            f"{name} is None; it has where each sequence begins in {of}, and where the last ends"
        )
    found = table(name, given, call.device)
    check_starts(found, call.inputs[of].shape[0], of)
    return found


def longest(found: Table, asked: Any, name: str) -> int:
    """The most rows of a sequence: as the caller says, or counted, for which what is on the device
    is copied.
    """
    if asked is not None and found.array is None:
        return limit(name, asked)
    counted = int(np.diff(found.on_host).max(initial=0))
    if asked is not None and limit(name, asked) < counted:
        raise InvalidArgument(
            f"{name} is {asked}, and a sequence of {found.name} has {several(counted, 'row')}"
        )
    return counted


def limit(name: str, asked: Any) -> int:
    """The most rows of a sequence, as the caller says."""
    return in_range(name, asked, 0, 2**31 - 1)


def _room(found: Table, rows: int) -> Ints | int:
    return rows if found.array is None else np.diff(found.array)


def with_operands(
    dispatcher: BaseDispatcher, given: list[Operand], options: Options
) -> AttentionCall:
    """With q, k and v, their sizes, and the options."""
    q, k, v = given
    dtypes = {one.dtype for one in given}
    if len(dtypes) != 1:
        raise InvalidArgument(f"q holds {q.dtype}, k {k.dtype} and v {v.dtype}; all must be alike")
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise InvalidArgument(
            f"{_shapes(given)}; q and k have one head size, and k and v as many heads"
        )
    encoding = dtype_encoding(dispatcher.device.numpy_dtype(q.dtype)) if q.dtype == "fp8" else None
    fields = options.fields(q.shape[-1], encoding)
    fields |= {
        "heads_q": q.shape[-2],
        "heads_k": k.shape[-2],
        "hdim_q": q.shape[-1],
        "hdim_v": v.shape[-1],
        "dtype": q.dtype,
    }
    if 0 in (q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1]):
        raise InvalidArgument(
            f"{_shapes(given)}; there is at least one head, of at least one element"
        )
    inputs = {one.name: Input(one) for one in given}
    return AttentionCall(dispatcher, options, fields, inputs)


def _shapes(given: list[Operand]) -> str:
    q, k, v = (one.shape for one in given)
    return (
        f"q has the shape {q}, k {k} and v {v}, of batches, rows, heads and head sizes"
        if len(q) == 4
        else f"q has the shape {q}, k {k} and v {v}"
    )


def _add_lengths(call: AttentionCall, side: str, given: Any, room: Ints | int) -> None:
    if given is None:
        return
    found = table(f"seqused_{side}", given, call.device)
    check_lengths(found, call.fields["batch"], room, side)
    if side == "k" and not call.fields.get("group") and have_one_length(call, found):
        return
    call.tables[f"seqlen_{side}"] = found
    call.fields[f"lengths_{side}"] = True


def have_one_length(call: AttentionCall, lengths: Table) -> bool:
    """Whether first keys are kept and all sequences have as many keys, which then is a number of
    the problem and no table.

    Of others the first keys end elsewhere before the window of each, and kernels have one window
    for all.
    """
    if (
        not call.fields["sink_tokens"]
        or lengths.array is None
        or len(set(lengths.array.tolist())) != 1
    ):
        return False
    call.fields["seqlen_k"] = int(lengths.array[0])
    return True


def add_bias(call: AttentionCall, bias: Any, alibi_slopes: Any) -> None:
    """Scores of one, or slopes."""
    if bias is not None and alibi_slopes is not None:
        raise InvalidArgument("a bias and alibi_slopes were given; kernels have one or the other")
    if bias is not None:
        _add_elementwise(call, bias)
    if alibi_slopes is not None:
        one = operand("alibi_slopes", alibi_slopes, call.device)
        batch, heads = call.fields["batch"], call.fields["heads_q"]
        if one.shape not in ((heads,), (batch, heads)) or one.dtype != "fp32":
            raise InvalidArgument(
                f"alibi_slopes has the shape {one.shape} of {one.dtype}; it is a float32 for each "
                f"of {several(heads, 'head')}, or for each of {several(batch, 'sequence')} too"
            )
        taken = call.inputs["bias"] = Input(one)
        call.strides["bias"] = (0, 1, taken.strides[0] if len(one.shape) == 2 else 0)
        call.fields["bias"] = "alibi"


def _add_elementwise(call: AttentionCall, bias: Any) -> None:
    fields = call.fields
    one = operand("bias", bias, call.device)
    rows = (fields["total_q"],) if fields.get("group") else (fields["seqlen_q"],)
    whole = (
        *(() if fields.get("group") else (fields["batch"],)),
        fields["heads_q"],
        *rows,
        fields["seqlen_k"],
    )
    expected = "fp32" if fields["dtype"].startswith("fp8") else fields["dtype"]
    if one.dtype != expected:
        raise InvalidArgument(
            f"bias holds {one.dtype}; with q of {fields['dtype']} it holds {expected}, "
            "so convert it"
        )
    if len(one.shape) < len(whole):
        one = (
            one.reshaped(0, (*(1 for _ in range(len(whole) - len(one.shape))), *one.shape[:1]))
            if one.shape
            else one
        )
    if len(one.shape) != len(whole) or any(
        own not in (1, full) for own, full in zip(one.shape, whole, strict=True)
    ):
        raise InvalidArgument(
            f"bias has the shape {one.shape}, which does not broadcast to {whole}"
        )
    if one.shape[-1] != whole[-1] or (one.array is None and not usable_strides(one)):
        if one.array is None:
            raise InvalidArgument(
                f"bias is on the device with the shape {one.shape} and the strides {one.strides}; "
                "its last dimension is whole "
                "there, and contiguous"
            )
        array = np.ascontiguousarray(np.broadcast_to(one.array, (*one.shape[:-1], whole[-1])))
        one = replace(
            one,
            shape=array.shape,
            strides=tuple(step // array.itemsize for step in array.strides),
            array=array,
        )
    taken = call.inputs["bias"] = Input(one)
    own = [
        0 if extent == 1 else stride
        for extent, stride in zip(one.shape, taken.strides, strict=True)
    ]
    call.strides["bias"] = (own[-2], own[-3], own[0] if len(own) == 4 else 0)
    fields["bias"] = "elementwise"


def add_sinks(call: AttentionCall, sinks: Any) -> None:
    """A logit for each head."""
    if sinks is None:
        return
    one = operand("sinks", sinks, call.device)
    if one.shape != (call.fields["heads_q"],) or one.dtype != "fp32":
        raise InvalidArgument(
            f"sinks has the shape {one.shape} of {one.dtype}; it is a float32 for each of "
            f"{several(call.fields['heads_q'], 'head')} of q"
        )
    call.inputs["sink"] = Input(one, copied=one.tensor is not None and one.strides != (1,))
    call.fields["sinks"] = True


def add_dropout(call: AttentionCall) -> tuple[Any, Any]:
    """The seed and the offset, a new seed if there is none; or where they are on the device."""
    options = call.options
    if not call.fields["p_drop"]:
        return None, None
    seed = secrets.randbits(63) if options.seed is None else options.seed
    numbers = [seed_number(name, one) for name, one in (("seed", seed), ("offset", options.offset))]
    if None not in numbers:
        call.fields |= {"seed": numbers[0], "offset": numbers[1]}
        return seed, options.offset
    for name, one in (("drop_seed", seed), ("drop_offset", options.offset)):
        call.tables[name] = _seed_on_device(call, name, one)
    call.fields["seeds_on_device"] = True
    return seed, options.offset


def _seed_on_device(call: AttentionCall, name: str, given: Any) -> Table:
    """A number of 64 bits on the device: two of int32, or a tensor of another library with an
    address.
    """
    if isinstance(given, DeviceTensor) and given.dtype == "int32" and given.span >= 2:
        return Table(name, (2,), None, given)
    if hasattr(given, "data_ptr") and getattr(given, "is_cuda", False):
        tensor = DeviceTensor(call.device, int(given.data_ptr()), (2,), (1,), "int32", None, given)
        return Table(name, (2,), None, tensor)
    raise InvalidArgument(
        f"{name.removeprefix('drop_')} is {kind_of(given)}; seed and offset are both numbers, or "
        "both on the device: a DeviceTensor of two "
        "int32, or a tensor of 64-bit integers"
    )


def add_outputs(call: AttentionCall, out: Any, order: tuple[int, ...]) -> None:
    """o, and lse and random values where they are asked for."""
    fields = call.fields
    q, v = call.inputs["q"], call.inputs["v"]
    shape = (*q.shape[:-1], v.shape[-1])
    target = None if out is None else seen(call.dispatcher, "out", out, order)
    dtype = _result_dtype(call, target)
    fields["dtype"] = (
        fields["dtype"] if dtype in ("fp8", fields["dtype"]) else f"{fields['dtype']}{dtype}"
    )
    if target is not None and call.options.validate:
        for one in call.inputs.values():
            one.one = as_given(one.one, target, True)
    # Rows that no sequence has are not written.
    partly = bool(fields.get("lengths_q")) or _ends_before(call)
    call.outputs["o"] = Output("o", shape, dtype, order, target, partly=partly)
    rows = (
        (fields["heads_q"], fields["total_q"])
        if fields.get("group")
        else (fields["batch"], fields["heads_q"], fields["seqlen_q"])
    )
    if fields["lse"]:
        _add_scores(call, "lse", rows, "fp32", partly)
        call.strides["lse"] = lse_strides(rows)
    if fields["randval"]:
        scores = (*rows, fields["seqlen_k"])
        _add_scores(call, "randval", scores, "int8", True)
        call.strides["randval"] = scores_strides(scores)


def _add_scores(
    call: AttentionCall, name: str, shape: tuple[int, ...], dtype: str, partly: bool
) -> None:
    call.outputs[name] = Output(name, shape, dtype, tuple(range(len(shape))), partly=partly)


def lse_strides(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """From row to row, head to head and sequence to sequence of packed lse."""
    *batch, heads, rows = shape
    return 1, rows, heads * rows if batch else 0


def scores_strides(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """From row to row, head to head and sequence to sequence of packed scores."""
    *batch, heads, rows, keys = shape
    return keys, rows * keys, heads * rows * keys if batch else 0


def _ends_before(call: AttentionCall) -> bool:
    found = call.tables.get("seqstart_q")
    return found is not None and (
        found.array is None or int(found.array[-1]) < call.fields["total_q"]
    )


def _result_dtype(call: AttentionCall, out: Operand | None) -> str:
    asked, given = call.options.dtype, call.fields["dtype"]
    if out is not None and asked is not None and out.dtype != asked:
        raise InvalidArgument(f"out holds {out.dtype}, and dtype={quoted(asked)} was asked for")
    found = str(
        asked or (out.dtype if out is not None else None) or ("bf16" if given == "fp8" else given)
    )
    allowed = ("fp8", "bf16", "fp32") if given == "fp8" else (given,)
    if found not in allowed:
        raise InvalidArgument(
            f"a result of {found} was asked for from q, k and v of {given}; "
            f"it can be of {' or '.join(allowed)}"
        )
    return found
