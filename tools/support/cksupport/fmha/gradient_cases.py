# SPDX-License-Identifier: MIT
"""A random problem of each attention kernel that is part of backward."""

from __future__ import annotations

from typing import Any

import numpy as np
from ckdispatch.comparison import Reference, compare
from ckdispatch.fmha.reference import backward, backward_varlen
from ckdispatch.reference.formats import widened
from ckdispatch.reference.tolerance import STORED, Tolerance, sum_error
from numpy.typing import NDArray

from cksupport.fmha.cases import Case, Checks, Results, as_reference, attend
from cksupport.fmha.draws import FP32, Draw
from cksupport.fmha.memory import filled, laid_out


def gradient_case(draw: Draw) -> Case:
    """dq_dk_dv: dk and dv for each head of q, and dq in parts."""
    draw.lengths()
    draw.features()
    draw.operand("q", "q", draw.heads_q, draw.hdim_q)
    draw.operand("k", "k", draw.heads_k, draw.hdim_q)
    draw.operand("v", "k", draw.heads_k, draw.hdim_v)
    d_o = draw.operand("d_o", "q", draw.heads_q, draw.hdim_v)
    stored = attend(draw, draw.tensors["k"].view, draw.tensors["v"].view, draw.attention())
    o = stored.o.rounded
    # One tensor has the strides of the other.
    lse = filled(draw.scores_tensor("lse", FP32, columns=False), stored.lse.rounded)
    keep = 1 - np.float32(draw.options.get("p_drop", 0.0))
    row = np.moveaxis((widened(o) * widened(d_o.view)).sum(axis=-1), -1, -2) * keep
    filled(
        draw.put("d", type(lse)(lse.shape, lse.strides, FP32), "hr" if draw.is_group else "bhr"),
        row.astype(np.float32),
    )
    direct = draw.spec["pipeline"] == "qr_trload"
    parts = max(1, -(-draw.longest_k // draw.spec["tile"][1])) if draw.spec["deterministic"] else 1
    draw.fields["parts"] = parts
    outputs = ["dk", "dv"]
    if direct:
        filled(draw.rows_tensor("dq", "q", draw.heads_q, draw.hdim_q), np.zeros((), draw.dtype))
        outputs.append("dq")
    else:
        _zero_accumulator(draw, parts)
        outputs.append("dq_acc")
    # What no workgroup computes stays as it is, and is zero where a caller cleared it.
    for name, hdim in (("dk", draw.hdim_q), ("dv", draw.hdim_v)):
        filled(draw.rows_tensor(name, "k", draw.heads_q, hdim), np.zeros((), draw.dtype))
    if draw.spec["bias_grad"]:
        filled(draw.scores_tensor("dbias", draw.dtype), np.zeros((), draw.dtype))
        outputs.append("dbias")

    def check(results: Results) -> Checks:
        group = draw.heads_q // draw.heads_k
        q, k, v = (
            draw.tensors["q"].view,
            *(np.repeat(draw.tensors[name].view, group, axis=-2) for name in "kv"),
        )
        given: dict[str, Any] = {
            "o": o,
            "lse": stored.lse.rounded,
            **draw.added,
            **draw.reference_lengths(),
            "unwritten": 0.0,
        }
        if draw.is_group:
            expected = backward_varlen(q, k, v, d_o.view, *draw.starts(), draw.attention(), **given)
        else:
            expected = backward(q, k, v, d_o.view, draw.attention(), **given)
        yield "dk", expected.dk.compare(results["dk"])
        yield "dv", expected.dv.compare(results["dv"])
        if direct:
            yield "dq", expected.dq.compare(results["dq"])
        else:
            summed = np.swapaxes(widened(results["dq_acc"]).sum(axis=0), -2, -3)
            yield (
                "the sum of dq_acc",
                compare(summed.astype(np.float32), expected.dq.exact, expected.dq.tolerance),
            )
        if "dbias" in results:
            yield "dbias", _cut(expected.dbias, results["dbias"].shape).compare(results["dbias"])

    return Case(draw, tuple(outputs), check)


def dot_case(draw: Draw) -> Case:
    """dot_do_o."""
    draw.lengths()
    if draw.chance(0.5):
        draw.fields["p_drop"] = 0.25
    o, d_o = (draw.operand(name, "q", draw.heads_q, draw.hdim_v) for name in ("o", "d_o"))
    draw.scores_tensor("d", FP32, columns=False)

    def check(results: Results) -> Checks:
        keep = 1 - np.float32(draw.fields.get("p_drop", 0.0))
        product = widened(o.view) * widened(d_o.view) * keep
        total, size = (np.moveaxis(one.sum(axis=-1), -1, -2) for one in (product, np.abs(product)))
        bound = sum_error(size, total, draw.hdim_v + 2, FP32)
        yield "d", as_reference(total, np.nan_to_num(bound), FP32, STORED).compare(results["d"])

    return Case(draw, ("d",), check)


def convert_case(draw: Draw) -> Case:
    """convert_dq: the parts that a sequence has are added up. One without keys has none or one, of
    zeros.
    """
    draw.lengths()
    block = draw.spec["tile"][1]
    parts = max(1, -(-draw.longest_k // block)) if block else 1
    draw.fields["parts"] = parts
    tensor = _zero_accumulator(draw, parts)
    sums = draw.random.normal(size=tensor.shape).astype(np.float32)
    for i, (keys, first) in enumerate(zip(draw.keys, draw.starts()[0], strict=False)):
        if not keys:
            rows = slice(first, first + draw.room_q[i])
            sums[(..., rows, slice(None)) if draw.is_group else (slice(None), i)] = 0
    filled(tensor, sums)
    draw.rows_tensor("dq", "q", draw.heads_q, draw.hdim_q)

    def check(results: Results) -> Checks:
        wide = widened(tensor.view)
        exact = np.full(draw.tensors["dq"].shape, np.nan)
        bound = np.zeros_like(exact)
        first = 0
        for i, (rows, keys) in enumerate(zip(draw.rows, draw.keys, strict=True)):
            own = max(1, -(-keys // block)) if block else parts
            place: Any = slice(first, first + rows) if draw.is_group else (i, slice(0, rows))
            some = wide[:own, :, first : first + rows] if draw.is_group else wide[:own, i, :, :rows]
            exact[place] = np.swapaxes(some.sum(axis=0), 0, 1)
            bound[place] = np.swapaxes(
                sum_error(np.abs(some).sum(axis=0), some.sum(axis=0), own, FP32), 0, 1
            )
            first += draw.room_q[i]
        yield "dq", as_reference(exact, bound, draw.dtype, STORED).compare(results["dq"])

    return Case(draw, ("dq",), check)


def sum_case(draw: Draw) -> Case:
    """sum: the heads of a group are added up."""
    draw.lengths()
    q = draw.operand("q", "q", draw.heads_q, draw.hdim_q)
    draw.rows_tensor("o", "q", draw.heads_k, draw.hdim_q)

    def check(results: Results) -> Checks:
        group = draw.heads_q // draw.heads_k
        wide = widened(q.view).reshape(*q.shape[:-2], draw.heads_k, group, draw.hdim_q)
        bound = sum_error(np.abs(wide).sum(axis=-2), wide.sum(axis=-2), group, FP32)
        yield (
            "o",
            as_reference(wide.sum(axis=-2), np.nan_to_num(bound), draw.dtype, STORED).compare(
                results["o"]
            ),
        )

    return Case(draw, ("o",), check)


def _zero_accumulator(draw: Draw, parts: int) -> Any:
    rows = sum(draw.room_q) if draw.is_group else draw.room_q[0]
    shape: tuple[int, ...]
    order: tuple[int, ...]
    if draw.is_group:
        shape, order, axes = (parts, draw.heads_q, rows, draw.hdim_q), (0, 2, 1, 3), "phr."
    else:
        shape, order, axes = (
            (parts, draw.batch, draw.heads_q, rows, draw.hdim_q),
            (0, 1, 3, 2, 4),
            "pbhr.",
        )
    tensor = laid_out(draw.random, shape, FP32, order if draw.chance(0.5) else None)
    return draw.put("dq_acc", filled(tensor, np.zeros((), np.float32)), axes)


def _cut(one: Reference, shape: tuple[int, ...]) -> Reference:
    """Without columns that no tensor has room for, and with zeros where it has more."""

    def fitted(values: NDArray[Any]) -> NDArray[Any]:
        result = np.zeros(shape, values.dtype)
        columns = min(shape[-1], values.shape[-1])
        result[..., :columns] = values[..., :columns]
        return result

    bound = fitted(np.asarray(one.tolerance.absolute))
    return Reference(
        fitted(one.exact), fitted(one.rounded), Tolerance(bound, roundings=one.tolerance.roundings)
    )
