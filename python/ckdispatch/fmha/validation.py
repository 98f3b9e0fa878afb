# SPDX-License-Identifier: MIT
"""What a call gave against the NumPy reference, computed from what its kernels read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from ckarch import load_specs
from numpy.typing import NDArray

from ckdispatch.arguments import ON_DEVICE
from ckdispatch.device import stream_address
from ckdispatch.errors import Mismatch
from ckdispatch.fmha.reference import (
    Attention,
    Forward,
    backward,
    backward_varlen,
    forward,
    forward_varlen,
)
from ckdispatch.fmha.reference.cache import rotated
from ckdispatch.fmha.reference.scores import visible
from ckdispatch.reference.multiplication import multiplied_by
from ckdispatch.reference.on_device import DeviceSums

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison, Reference
    from ckdispatch.fmha.call import AttentionCall
    from ckdispatch.fmha.problem import FmhaProblem
    from ckdispatch.plan import Plan

Array = NDArray[Any]


def validated(call: AttentionCall, plan: Plan[FmhaProblem]) -> Comparison:
    """How o differs from the reference; raises ``Mismatch`` if it,
    lse or a random value is wrong.
    """
    every = compared(call, plan, call.options.validate == ON_DEVICE)
    found = {name: one.raise_if_bad() for name, one in every.items()}
    return found["o"]


def validated_gradients(call: AttentionCall, plan: Plan[FmhaProblem]) -> tuple[Comparison, ...]:
    """How each gradient differs from the reference; raises ``Mismatch`` if one is wrong."""
    every = compared(call, plan, call.options.validate == ON_DEVICE)
    return tuple(one.raise_if_bad() for one in every.values())


def compared(
    call: AttentionCall, plan: Plan[FmhaProblem], on_device: bool = False
) -> dict[str, Comparison]:
    """How each result differs from the reference, whose products are NumPy's or the device's;
    raises ``Mismatch`` if a random value is wrong.
    """
    if on_device:
        with multiplied_by(DeviceSums(call.dispatcher.device).multiply):
            return compared(call, plan)
    held = Held(call, plan)
    return _gradients(held) if plan.problem.backward else _results(held)


def _results(held: Held) -> dict[str, Comparison]:
    problem, output = held.problem, held.array("o")
    expected = reference_of(held, output.dtype)
    found = {"o": _compared(expected.o, output)}
    if problem.lse:
        found["lse"] = _compared(expected.lse, held.array("lse"))
    if problem.randval:
        assert expected.randval is not None
        _check_random(held, expected.randval)
    if problem.seqlen_new:
        found |= _appended(held)
    return found


def _appended(held: Held) -> dict[str, Comparison]:
    """New rows where the cache has them now, against what they should be after their rotation."""
    before = held.numbers("seqlen_k")
    assert before is not None
    positions = before[:, None] + np.arange(held.problem.seqlen_new)
    sequence = np.arange(len(before))[:, None]
    found = {}
    for name in ("k", "v"):
        rotary = held.problem.rotary if name == "k" else "none"
        new = held.array(f"{name}_new")
        angles = (
            [
                held.array(one).reshape(held.problem.rotary_positions, -1)
                for one in ("rotary_cos", "rotary_sin")
            ]
            if rotary != "none"
            else [new, new]
        )
        expected = rotated(new, angles[0], angles[1], positions, rotary)
        found[f"{name}_new"] = expected.compare(held.keys(name)[sequence, positions])
    return found


def reference_of(held: Held, output: np.dtype[Any]) -> Forward:
    """What forward gives for the tensors that are there."""
    tensors = held.array("q"), held.keys("k"), held.keys("v")
    if held.problem.group:
        return forward_varlen(
            *tensors, *held.starts(), held.options(), output=output, **held.given()
        )
    return forward(*tensors, held.options(), output=output, **held.given())


def _gradients(held: Held) -> dict[str, Comparison]:
    given = {**held.given(), "o": held.array("o"), "lse": held.array("lse")}
    q, k, v, d_o = (held.array(name) for name in ("q", "k", "v", "d_o"))
    if held.problem.group:
        expected = backward_varlen(q, k, v, d_o, *held.starts(), held.options(), **given)
    else:
        expected = backward(q, k, v, d_o, held.options(), **given)
    names = ("dq", "dk", "dv", *(("dbias",) if held.problem.dbias else ()))
    return {name: _compared(getattr(expected, name), held.array(name)) for name in names}


def _compared(expected: Reference, actual: Array) -> Comparison:
    # Where the reference has nothing, nobody promises anything.
    written = actual.copy()
    written[np.isnan(expected.exact)] = np.nan
    return expected.compare(written)


def _check_random(held: Held, expected: NDArray[np.uint8]) -> None:
    """Only bytes of scores that a mask keeps need be there."""
    found = held.array("randval").view(np.uint8)
    for place, rows, keys in held.blocks():
        kept = visible(held.options(), rows, keys)
        if not np.array_equal(
            found[place][:, :rows, :keys][:, kept], expected[place][:, :rows, :keys][:, kept]
        ):
            raise Mismatch(
                f"the random values of {held.problem.text} differ from those of the reference"
            )


class Held:
    """What the tensors of a call hold after it, and its lengths."""

    def __init__(self, call: AttentionCall, plan: Plan[FmhaProblem]) -> None:
        self.call, self.plan, self.problem = call, plan, plan.problem
        call.device.synchronize(stream_address(call.options.stream))

    def array(self, name: str) -> Array:
        return self.call.placed[name].numpy()

    def numbers(self, name: str) -> NDArray[np.int64] | None:
        found = self.call.tables.get(name)
        return None if found is None else found.on_host

    def options(self) -> Attention:
        p = self.problem
        seed, offset = p.seed, p.offset
        if p.seeds_on_device:
            seed, offset = (
                int(self.array(name)[:2].copy().view(np.uint64)[0])
                for name in ("drop_seed", "drop_offset")
            )
        return Attention(
            scale=p.scale or None,
            soft_cap=p.soft_cap,
            mask=p.mask,
            window=p.window,
            sink_tokens=p.sink_tokens,
            p_drop=p.p_drop,
            seed=seed,
            offset=offset,
            scale_p=p.scale_p or 1.0,
            scale_o=p.scale_o or 1.0,
            parts=max(int(stage["parts"]) for stage in self.plan.to_json()["stages"]),
            flushes=load_specs().gpu(self.call.device.gpu).matrix_flushes_subnormals,
        )

    def given(self) -> dict[str, Any]:
        """What else the reference takes."""
        p = self.problem
        found: dict[str, Any] = {"seqlen_q": self.numbers("seqlen_q"), "seqlen_k": self.lengths()}
        if p.bias != "none":
            found["slopes" if p.bias == "alibi" else "bias"] = self.array("bias")
        if p.sinks:
            found["sink"] = self.array("sink")
        return found

    def lengths(self) -> NDArray[np.int64] | None:
        """Keys of each sequence, the new ones too; None for all that there are."""
        listed = self.numbers("kv_indptr")
        if listed is not None:
            return np.diff(listed)
        found = self.numbers("seqlen_k")
        return None if found is None else found + self.problem.seqlen_new

    def starts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        q, k = self.numbers("seqstart_q"), self.numbers("seqstart_k")
        assert q is not None
        # Of pages, as ``keys`` puts them one behind the other.
        return q, np.arange(self.problem.batch + 1) * self.problem.seqlen_k if k is None else k

    def blocks(self) -> list[tuple[Any, int, int]]:
        """Where the scores of each sequence are, with its rows and keys."""
        p = self.problem
        rows, keys = self.numbers("seqlen_q"), self.lengths()
        if p.group:
            q, k = self.starts()
            rows = np.diff(q) if rows is None else rows
            keys = np.diff(k) if keys is None else keys
            return [
                ((slice(None), slice(int(a), None)), int(r), int(c))
                for a, r, c in zip(q[:-1], rows, keys, strict=True)
            ]
        rows = np.full(p.batch, p.seqlen_q) if rows is None else rows
        keys = np.full(p.batch, p.seqlen_k) if keys is None else keys
        return [(i, int(r), int(c)) for i, (r, c) in enumerate(zip(rows, keys, strict=True))]

    def keys(self, name: str) -> Array:
        """k or v as the reference takes it: gathered from its pages, or from the sequences of a
        cache that are meant.
        """
        p, memory = self.problem, self.array(name)
        if not p.page_rows:
            index = self.numbers("cache_index")
            found = memory if index is None else memory[index]
            return found if p.group else found[:, : p.seqlen_k]
        lengths = self.lengths()
        if lengths is None:
            lengths = np.full(p.batch, p.seqlen_k)
        found = np.zeros((p.batch, p.seqlen_k, *memory.shape[2:]), memory.dtype)
        starts, listed, blocks = (
            self.numbers("kv_indptr"),
            self.numbers("kv_pages"),
            self.numbers("block_table"),
        )
        for i, length in enumerate(lengths.tolist()):
            key = np.arange(length)
            own = blocks[i] if blocks is not None else listed[starts[i] :]  # type: ignore[index]  # pages have either a list of starts or blocks
            found[i, :length] = memory[own[key // p.page_rows], key % p.page_rows]
        return found.reshape(-1, *memory.shape[2:]) if p.group else found
