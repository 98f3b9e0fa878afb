# SPDX-License-Identifier: MIT
"""Attention for callers without a dispatcher: ``scaled_dot_product_attention`` as torch has it, and
what it and ``flash_attn`` run on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ckdispatch.arguments import truth
from ckdispatch.dispatcher import Dispatcher
from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.families import FAMILIES
from ckdispatch.native.places import find_manifest
from ckdispatch.registry import Registry
from ckdispatch.tensors.operands import operand
from ckdispatch.threads import Guard
from ckdispatch.wording import kind_of

_KINDS = ("fwd", "splitkv", "pagedkv", "appendkv", "batch_prefill", "bwd")
_making = Guard()
_used: list[Dispatcher] = []


def use_for_attention(dispatcher: Dispatcher | None) -> None:
    """What ``flash_attn`` and ``scaled_dot_product_attention`` run on from now on; None for the
    shipped kernel sets that are found.
    """
    if dispatcher is not None and not isinstance(dispatcher, Dispatcher):
        raise InvalidArgument(
            f"{kind_of(dispatcher)} was to be used for attention; it must be a Dispatcher, or None"
        )
    with _making.held():
        _used[:] = [] if dispatcher is None else [dispatcher]


def attention_dispatcher() -> Dispatcher:
    """The one that is used."""
    with _making.held():
        if not _used:
            names = _sets()
            if not names:
                raise NotFound(
                    "no kernel set of attention was found among the files of this program; make "
                    "one its data, or say which dispatcher to use: "
                    "ckdispatch.use_for_attention(dispatcher)"
                )
            _used.append(Dispatcher(Registry.load(*names, name="attention")))
        return _used[0]


def _sets() -> list[str]:
    """Those that are there, the larger one of each kind."""
    family = next(
        name
        for name, one in FAMILIES.items()
        if hasattr(one.load("methods", "Methods"), "attention")
    )
    found = []
    for kind in (f"{family}_{one}_{dtype}" for dtype in ("fp16", "bf16") for one in _KINDS):
        there = [name for name in (f"{kind}_all", f"{kind}_essential") if _is_there(name)]
        found += there[:1]
    return found


def _is_there(name: str) -> bool:
    try:
        find_manifest(name)
    except NotFound:
        return False
    return True


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    dispatcher: Dispatcher | None = None,
) -> Any:
    """As ``torch.nn.functional.scaled_dot_product_attention``: tensors are [batch, heads, rows,
    head size].

    ``is_causal`` is from the top left: the first row is at the first key. A bool ``attn_mask`` has
    True where a key is kept, any other is added to the scores and is of query's dtype; it
    broadcasts to [batch, heads, rows, keys]. A row that keeps nothing is 0. Fewer heads of key and
    value need ``enable_gqa``. Tensors without a batch, or with several extents before the heads,
    are taken too. ``dispatcher`` is by default that of ``use_for_attention``.
    """
    dispatcher = attention_dispatcher() if dispatcher is None else dispatcher
    causal = truth("is_causal", is_causal)
    if attn_mask is not None and causal:
        raise InvalidArgument("attn_mask and is_causal were both given; one excludes the other")
    q, k, v = (
        _four(dispatcher, name, one)
        for name, one in (("query", query), ("key", key), ("value", value))
    )
    if q.shape[1] != k.shape[1] and not truth("enable_gqa", enable_gqa):
        raise InvalidArgument(
            f"query has {q.shape[1]} heads and key {k.shape[1]}; give both as many, "
            "or enable_gqa=True"
        )
    bias = None if attn_mask is None else _bias(dispatcher, attn_mask, query, q.dtype)
    result = dispatcher.attention(
        q.given,
        k.given,
        v.given,
        layout="bhsd",
        causal="top_left" if causal else False,
        scale=scale,
        bias=bias,
        dropout_p=dropout_p,
    ).out
    shape = (*query.shape[:-1], value.shape[-1])
    return result if tuple(result.shape) == shape else _reshaped(result, shape)


def _four(dispatcher: Dispatcher, name: str, given: Any) -> Any:
    """An operand with four extents; what is before the heads is one batch."""
    one = operand(name, given, dispatcher.device)
    if len(one.shape) < 2:
        raise InvalidArgument(
            f"{name} has the shape {one.shape}; it is [batch, heads, rows, head size]"
        )
    if len(one.shape) == 4:
        return one
    shape = (int(np.prod(one.shape[:-3])), *(1 for _ in range(3 - len(one.shape))), *one.shape[-3:])
    return replace(one, shape=shape, given=_reshaped(given, shape))


def _reshaped(given: Any, shape: tuple[int, ...]) -> Any:
    if hasattr(given, "reshape"):
        return given.reshape(shape)
    from ckdispatch.tensors.memory import is_packed, packed_strides

    if not is_packed(given.shape, given.strides):
        raise InvalidArgument(
            f"a tensor on the device of the shape {given.shape} was given with gaps; without four "
            "extents it must be packed"
        )
    return given.seen_as(shape, packed_strides(shape))


def _bias(dispatcher: Dispatcher, given: Any, query: Any, dtype: str) -> Any:
    """What is added to the scores: 0 where a bool is true, else minus infinity."""
    if type(given).__module__.partition(".")[0] == "torch":
        if str(given.dtype) == "torch.bool":
            return given.new_zeros(given.shape, dtype=query.dtype).masked_fill(
                given.logical_not(), float("-inf")
            )
        return given
    if isinstance(given, np.ndarray) and given.dtype == np.bool_:
        kind = dispatcher.device.numpy_dtype(dtype)
        return np.where(given, np.zeros((), kind), np.array(-np.inf, kind))
    if not hasattr(given, "shape"):
        raise InvalidArgument(
            f"attn_mask is {kind_of(given)}; it is an array of bools, or of query's dtype"
        )
    return given
