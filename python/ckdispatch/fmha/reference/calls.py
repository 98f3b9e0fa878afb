# SPDX-License-Identifier: MIT
"""References of whole problems: batches of sequences of one length or of their own, and packed
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ckdispatch.comparison import Reference
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.reference.backward import Bounded, backward_sequence
from ckdispatch.fmha.reference.forward import forward_sequence
from ckdispatch.fmha.reference.options import Attention
from ckdispatch.reference.formats import Wide, check_array, round_to, widened
from ckdispatch.reference.tolerance import STORED, Tolerance, rounding_error

Lengths = ArrayLike | None


@dataclass(frozen=True, eq=False)
class Forward:
    """``o`` like q with hdim_v, ``lse`` [batch, heads_q, seqlen_q] or packed [heads_q, total_q].

    ``randval`` are dropout's bytes [batch, heads_q, seqlen_q, seqlen_k], packed [heads_q, total_q,
    longest k], and None without. Rows beyond a sequence's length are what ``unwritten`` said, NaN
    by default: fill outputs with NaN, and a comparison finds out that nobody wrote there.
    """

    o: Reference
    lse: Reference
    randval: NDArray[np.uint8] | None


@dataclass(frozen=True, eq=False)
class Backward:
    """Gradients like their tensors: dk and dv have heads_k heads, summed over those of q that share
    one.

    ``dbias`` is [batch, heads_q, seqlen_q, seqlen_k], packed [heads_q, total_q, longest k], not
    summed over anything.
    """

    dq: Reference
    dk: Reference
    dv: Reference
    dbias: Reference


@dataclass(frozen=True)
class _Slot:
    """Where a sequence is: its place in the batch (0 if packed), first rows, and lengths."""

    sequence: int
    batch: int
    q: slice
    k: slice


@dataclass(frozen=True, eq=False)
class _Problem:
    """A problem with a batch extent; packed tensors are a batch of one."""

    q: Wide
    k: Wide
    v: Wide
    slots: tuple[_Slot, ...]
    bias: NDArray[Any] | None
    slopes: Wide | None
    sink: Wide | None
    longest: int

    @property
    def group(self) -> int:
        return int(self.q.shape[2] // self.k.shape[2])

    def operands(self, slot: _Slot) -> Iterator[Wide]:
        yield _heads_first(self.q[slot.batch, slot.q])
        for one in (self.k, self.v):
            yield np.repeat(_heads_first(one[slot.batch, slot.k]), self.group, axis=0)

    def added(self, slot: _Slot) -> dict[str, Wide | None]:
        bias = None
        if self.bias is not None:
            bias = widened(self.bias[slot.batch, :, slot.q, : slot.k.stop - slot.k.start])
        return {"bias": bias, "slopes": None if self.slopes is None else self.slopes[slot.sequence]}


def forward(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    options: Attention | None = None,
    *,
    bias: NDArray[Any] | None = None,
    slopes: NDArray[Any] | None = None,
    sink: NDArray[Any] | None = None,
    seqlen_q: Lengths = None,
    seqlen_k: Lengths = None,
    output: np.dtype[Any] | None = None,
    unwritten: float = np.nan,
) -> Forward:
    """Attention of q [batch, seqlen_q, heads_q, hdim_q], k [batch, seqlen_k, heads_k, hdim_q] and v
    [batch, seqlen_k, heads_k, hdim_v].

    ``bias`` broadcasts to [batch, heads_q, seqlen_q, seqlen_k]; ``slopes`` of ALiBi are [heads_q]
    or [batch, heads_q]; ``sink`` are logits [heads_q] of one more key without a value. ``seqlen_q``
    and ``seqlen_k`` [batch] are how many rows of each sequence count. ``output`` is the dtype of o,
    by default q's. Arrays have any strides, and dtypes of their own.
    """
    problem = _batched(q, k, v, bias, slopes, sink, seqlen_q, seqlen_k)
    return _forward(
        problem, options or Attention(), q.dtype, output or q.dtype, unwritten, lambda one: one
    )


def forward_varlen(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    seqstart_q: ArrayLike,
    seqstart_k: ArrayLike,
    options: Attention | None = None,
    *,
    bias: NDArray[Any] | None = None,
    slopes: NDArray[Any] | None = None,
    sink: NDArray[Any] | None = None,
    seqlen_q: Lengths = None,
    seqlen_k: Lengths = None,
    output: np.dtype[Any] | None = None,
    unwritten: float = np.nan,
) -> Forward:
    """As ``forward`` for packed sequences: q [total_q, heads_q, hdim_q], k and v [total_k, heads_k,
    ...].

    Sequence i has the rows from ``seqstart_q[i]`` to ``seqstart_q[i + 1]``, or the first
    ``seqlen_q[i]`` of them; keys likewise. ``bias`` broadcasts to [heads_q, total_q, longest k].
    """
    problem = _packed(q, k, v, seqstart_q, seqstart_k, bias, slopes, sink, seqlen_q, seqlen_k)
    return _forward(
        problem, options or Attention(), q.dtype, output or q.dtype, unwritten, lambda one: one[0]
    )


def backward(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    d_o: NDArray[Any],
    options: Attention | None = None,
    *,
    o: NDArray[Any] | None = None,
    lse: NDArray[Any] | None = None,
    bias: NDArray[Any] | None = None,
    slopes: NDArray[Any] | None = None,
    sink: NDArray[Any] | None = None,
    seqlen_q: Lengths = None,
    seqlen_k: Lengths = None,
    unwritten: float = np.nan,
) -> Backward:
    """The gradients of what ``forward`` computes, for the gradient ``d_o`` of o.

    ``o`` and ``lse`` are those that forward stored and a kernel gets; without them it is the
    reference's own, as it would be stored.
    """
    problem = _batched(q, k, v, bias, slopes, sink, seqlen_q, seqlen_k)
    return _gradients(
        problem, options or Attention(), q.dtype, d_o, o, lse, unwritten, packed=False
    )


def backward_varlen(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    d_o: NDArray[Any],
    seqstart_q: ArrayLike,
    seqstart_k: ArrayLike,
    options: Attention | None = None,
    *,
    o: NDArray[Any] | None = None,
    lse: NDArray[Any] | None = None,
    bias: NDArray[Any] | None = None,
    slopes: NDArray[Any] | None = None,
    sink: NDArray[Any] | None = None,
    seqlen_q: Lengths = None,
    seqlen_k: Lengths = None,
    unwritten: float = np.nan,
) -> Backward:
    """As ``backward`` for packed sequences, with ``lse`` [heads_q, total_q]."""
    problem = _packed(q, k, v, seqstart_q, seqstart_k, bias, slopes, sink, seqlen_q, seqlen_k)
    return _gradients(problem, options or Attention(), q.dtype, d_o, o, lse, unwritten, packed=True)


_Unpacked = Callable[[NDArray[Any]], NDArray[Any]]


def _gradients(
    problem: _Problem,
    options: Attention,
    dtype: np.dtype[Any],
    d_o: NDArray[Any],
    o: NDArray[Any] | None,
    lse: NDArray[Any] | None,
    unwritten: float,
    *,
    packed: bool,
) -> Backward:
    """For o and lse as they were stored, or are; packed tensors are those of one sequence here."""

    def unpacked(one: NDArray[Any]) -> NDArray[Any]:
        return one[0] if packed else one

    if o is None or lse is None:
        own = _forward(problem, options, dtype, dtype, 0.0, unpacked)
        o, lse = own.o.rounded, own.lse.rounded
    d_o, o, lse = (widened(one)[None] if packed else widened(one) for one in (d_o, o, lse))
    return _backward(problem, options, dtype, o, lse, d_o, unwritten, unpacked)


def _forward(
    problem: _Problem,
    options: Attention,
    p_dtype: np.dtype[Any],
    o_dtype: np.dtype[Any],
    unwritten: float,
    unpacked: _Unpacked,
) -> Forward:
    batch, rows, heads, _ = problem.q.shape
    o, lse = (
        _Output((batch, rows, heads, problem.v.shape[-1]), unwritten),
        _Output((batch, heads, rows), unwritten),
    )
    randval = np.zeros((batch, heads, rows, problem.longest), np.uint8) if options.p_drop else None
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        for slot in problem.slots:
            q, k, v = problem.operands(slot)
            one = forward_sequence(
                q,
                k,
                v,
                options,
                sequence=slot.sequence,
                p_dtype=p_dtype,
                o_dtype=o_dtype,
                sink=problem.sink,
                **problem.added(slot),
            )
            o.put((slot.batch, slot.q), one.o.swapaxes(0, 1), one.o_error.swapaxes(0, 1))
            lse.put((slot.batch, slice(None), slot.q), one.lse, one.lse_error)
            if randval is not None and one.randval is not None:
                randval[slot.batch, :, slot.q, : one.randval.shape[-1]] = one.randval
        made = o.reference(o_dtype, unpacked), lse.reference(np.dtype(np.float32), unpacked)
        return Forward(*made, None if randval is None else unpacked(randval))


def _backward(
    problem: _Problem,
    options: Attention,
    dtype: np.dtype[Any],
    o: Wide,
    lse: Wide,
    d_o: Wide,
    unwritten: float,
    unpacked: _Unpacked,
) -> Backward:
    batch, rows, heads, _ = problem.q.shape
    dq, dk, dv = (_Output(one.shape, unwritten) for one in (problem.q, problem.k, problem.v))
    dbias = _Output((batch, heads, rows, problem.longest), unwritten)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        for slot in problem.slots:
            q, k, v = problem.operands(slot)
            one = backward_sequence(
                q,
                k,
                v,
                _heads_first(o[slot.batch, slot.q]),
                lse[slot.batch, :, slot.q],
                _heads_first(d_o[slot.batch, slot.q]),
                options,
                sequence=slot.sequence,
                dtype=dtype,
                **problem.added(slot),
            )
            dq.put((slot.batch, slot.q), one.dq.values.swapaxes(0, 1), one.dq.error.swapaxes(0, 1))
            for output, gradient in ((dk, one.dk), (dv, one.dv)):
                summed = _summed(gradient, problem.group, dtype)
                output.put(
                    (slot.batch, slot.k), summed.values.swapaxes(0, 1), summed.error.swapaxes(0, 1)
                )
            columns = slice(0, slot.k.stop - slot.k.start)
            dbias.put((slot.batch, slice(None), slot.q, columns), one.dbias.values, one.dbias.error)
        return Backward(*(one.reference(dtype, unpacked) for one in (dq, dk, dv, dbias)))


def _summed(one: Bounded, group: int, dtype: np.dtype[Any]) -> Bounded:
    """The sum over heads that share one: each is stored on the way."""
    if group == 1:
        return one
    heads = (one.values.shape[0] // group, group, *one.values.shape[1:])
    stored = one.error + rounding_error(np.abs(one.values) + one.error, dtype)
    return Bounded(one.values.reshape(heads).sum(axis=1), stored.reshape(heads).sum(axis=1))


class _Output:
    """A result that is filled in sequence by sequence."""

    def __init__(self, shape: tuple[int, ...], unwritten: float) -> None:
        self._values = np.full(shape, unwritten, np.float64)
        self._error = np.zeros(shape, np.float64)

    def put(self, place: tuple[int | slice, ...], values: Wide, error: Wide) -> None:
        self._values[place] = values
        self._error[place] = error

    def reference(self, dtype: np.dtype[Any], unpacked: _Unpacked) -> Reference:
        exact = unpacked(self._values)
        return Reference(
            exact, round_to(exact, dtype), Tolerance(unpacked(self._error), roundings=STORED)
        )


def _batched(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    bias: NDArray[Any] | None,
    slopes: NDArray[Any] | None,
    sink: NDArray[Any] | None,
    seqlen_q: Lengths,
    seqlen_k: Lengths,
) -> _Problem:
    _check(q, k, v, 4)
    batch, rows, heads, _ = q.shape
    keys = k.shape[1]
    rows_of, keys_of = _lengths(seqlen_q, [rows] * batch), _lengths(seqlen_k, [keys] * batch)
    slots = tuple(_Slot(i, i, slice(0, rows_of[i]), slice(0, keys_of[i])) for i in range(batch))
    return _problem(q, k, v, slots, bias, slopes, sink, (batch, heads, rows, keys))


def _packed(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    seqstart_q: ArrayLike,
    seqstart_k: ArrayLike,
    bias: NDArray[Any] | None,
    slopes: NDArray[Any] | None,
    sink: NDArray[Any] | None,
    seqlen_q: Lengths,
    seqlen_k: Lengths,
) -> _Problem:
    _check(q, k, v, 3)
    starts_q, starts_k = np.asarray(seqstart_q, np.int64), np.asarray(seqstart_k, np.int64)
    if starts_q.ndim != 1 or starts_q.shape != starts_k.shape or starts_q.size < 1:
        raise InvalidArgument(
            f"seqstart_q has the shape {starts_q.shape} and seqstart_k {starts_k.shape}; "
            "both are [batch + 1]"
        )
    rows_of, keys_of = (
        _lengths(seqlen_q, np.diff(starts_q).tolist()),
        _lengths(seqlen_k, np.diff(starts_k).tolist()),
    )
    slots = tuple(
        _Slot(i, 0, slice(int(a), int(a) + rows), slice(int(b), int(b) + keys))
        for i, (a, b, rows, keys) in enumerate(
            zip(starts_q[:-1], starts_k[:-1], rows_of, keys_of, strict=True)
        )
    )
    longest = max([0, *np.diff(starts_k).tolist()])
    if bias is not None and bias.ndim and bias.shape[-1] >= max([2, *keys_of]):
        # It may have more columns than the longest sequence, or none for rows that do not count.
        longest = bias.shape[-1]
    wide = bias if bias is None else np.asarray(bias)[None]
    return _problem(
        q[None], k[None], v[None], slots, wide, slopes, sink, (1, q.shape[1], q.shape[0], longest)
    )


def _problem(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    slots: Sequence[_Slot],
    bias: NDArray[Any] | None,
    slopes: NDArray[Any] | None,
    sink: NDArray[Any] | None,
    shape: tuple[int, int, int, int],
) -> _Problem:
    heads = shape[1]
    return _Problem(
        widened(q),
        widened(k),
        widened(v),
        tuple(slots),
        None if bias is None else _broadcast("bias", bias, shape),
        None
        if slopes is None
        else widened(_broadcast("the slopes of ALiBi", slopes, (len(slots), heads))),
        None if sink is None else widened(_broadcast("sink", sink, (heads,))),
        shape[3],
    )


def _check(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any], dimensions: int) -> None:
    for name, one in (("q", q), ("k", k), ("v", v)):
        check_array(name, one)
        if one.ndim != dimensions:
            raise InvalidArgument(
                f"{name} has the shape {one.shape}; it has {dimensions} extents here"
            )
    shapes = f"q has the shape {q.shape}, k {k.shape} and v {v.shape}"
    if (
        q.shape[-1] != k.shape[-1]
        or k.shape[:-1] != v.shape[:-1]
        or (dimensions == 4 and q.shape[0] != k.shape[0])
    ):
        raise InvalidArgument(
            f"{shapes}; q and k have one head size, k and v one batch, length and number of heads"
        )
    if k.shape[-2] == 0 or q.shape[-2] % k.shape[-2]:
        raise InvalidArgument(f"{shapes}; the heads of q are a multiple of those of k")


def _broadcast(name: str, given: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    check_array(name, given)
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise InvalidArgument(
            f"{name} has the shape {given.shape}, which does not broadcast to {shape}"
        ) from None


def _lengths(given: Lengths, room: list[int]) -> list[int]:
    if given is None:
        return room
    lengths = [int(one) for one in np.asarray(given).ravel()]
    if len(lengths) != len(room) or any(
        not 0 <= length <= most for length, most in zip(lengths, room, strict=True)
    ):
        raise InvalidArgument(
            f"the lengths {lengths} were given for sequences with room for {room}; "
            "each has one that fits"
        )
    return lengths


def _heads_first(one: Wide) -> Wide:
    swapped: Wide = one.swapaxes(0, 1)
    return swapped
