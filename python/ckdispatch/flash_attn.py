# SPDX-License-Identifier: MIT
"""Attention by the names and arguments that users of flash-attn know, and with its meaning of them.

    from ckdispatch import flash_attn

    flash_attn.use(dispatcher)  # or none, if kernel sets of attention are in the program's data
    out = flash_attn.flash_attn_func(q, k, v, causal=True)

Tensors are [batch, rows, heads, head size], of NumPy, DLPack, torch or this package. Causal is from
the bottom right: the last row is at the last key, and has nothing to its right whatever the window.
A softcap of 0 is none. An lse of a row without keys is +inf, unless it is a tensor of this package
on the device, where it is -inf. There is no autograd; gradients are ``Dispatcher.attention_bwd``'s.
docs/attention.md has where libraries mean different things by one word.
"""

from __future__ import annotations

from typing import Any

from ckdispatch.attention import attention_dispatcher
from ckdispatch.attention import use_for_attention as use
from ckdispatch.errors import InvalidArgument

__all__ = [
    "flash_attn_func",
    "flash_attn_kvpacked_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_func",
    "flash_attn_with_kvcache",
    "use",
]


def flash_attn_func(
    q: Any,
    k: Any,
    v: Any,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Any = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """The result, or with ``return_attn_probs`` it, lse [batch, heads, rows] and dropout's random
    bytes, None without dropout.
    """
    result = attention_dispatcher().attention(
        q,
        k,
        v,
        **_alike(
            dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, return_attn_probs
        ),
        deterministic=deterministic,
    )
    return _returned(result, return_attn_probs)


def flash_attn_varlen_func(
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Any = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
    block_table: Any = None,
) -> Any:
    """As ``flash_attn_func`` for packed sequences [rows of all, heads, head size]; lse is [heads,
    rows of all].

    With a ``block_table`` k and v are pages [pages, rows of a page, heads, head size], and
    ``cu_seqlens_k`` gives lengths.
    """
    result = attention_dispatcher().attention_varlen(
        q,
        k,
        v,
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q=max_seqlen_q,
        max_seqlen_k=max_seqlen_k,
        block_table=block_table,
        **_alike(
            dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, return_attn_probs
        ),
        deterministic=deterministic,
    )
    return _returned(result, return_attn_probs)


def flash_attn_with_kvcache(
    q: Any,
    k_cache: Any,
    v_cache: Any,
    k: Any = None,
    v: Any = None,
    rotary_cos: Any = None,
    rotary_sin: Any = None,
    cache_seqlens: Any = None,
    cache_batch_idx: Any = None,
    cache_leftpad: Any = None,
    block_table: Any = None,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    rotary_interleaved: bool = True,
    alibi_slopes: Any = None,
    num_splits: int = 0,
    return_softmax_lse: bool = False,
) -> Any:
    """The result, or with ``return_softmax_lse`` it and lse. k and v are put behind
    ``cache_seqlens`` keys of the cache, in place.
    """
    if cache_leftpad is not None:
        raise InvalidArgument(
            "cache_leftpad was given; caches begin with their first key here, so leave it out"
        )
    given = _alike(
        0.0, softmax_scale, causal, window_size, softcap, alibi_slopes, return_softmax_lse
    )
    for name in ("dropout_p", "return_randval"):
        del given[name]
    result = attention_dispatcher().attention_kvcache(
        q,
        k_cache,
        v_cache,
        k_new=k,
        v_new=v,
        rotary_cos=rotary_cos,
        rotary_sin=rotary_sin,
        rotary_interleaved=rotary_interleaved,
        cache_seqlens=cache_seqlens,
        cache_index=cache_batch_idx,
        block_table=block_table,
        splits=num_splits,
        **given,
    )
    return (result.out, _lse(result.lse)) if return_softmax_lse else result.out


def flash_attn_qkvpacked_func(
    qkv: Any,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Any = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """As ``flash_attn_func`` with q, k and v in one tensor [batch, rows, 3, heads, head size]."""
    q, k, v = _parts("qkv", qkv, 3)
    return flash_attn_func(
        q,
        k,
        v,
        dropout_p,
        softmax_scale,
        causal,
        window_size,
        softcap,
        alibi_slopes,
        deterministic,
        return_attn_probs,
    )


def flash_attn_kvpacked_func(
    q: Any,
    kv: Any,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Any = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """As ``flash_attn_func`` with k and v in one tensor [batch, keys, 2, heads, head size]."""
    k, v = _parts("kv", kv, 2)
    return flash_attn_func(
        q,
        k,
        v,
        dropout_p,
        softmax_scale,
        causal,
        window_size,
        softcap,
        alibi_slopes,
        deterministic,
        return_attn_probs,
    )


def _alike(
    dropout_p: float,
    scale: float | None,
    causal: bool,
    window: tuple[int, int],
    softcap: float,
    slopes: Any,
    everything: bool,
) -> dict[str, Any]:
    """What all of these functions say by other names than ours."""
    return {
        "dropout_p": dropout_p,
        "scale": scale,
        "causal": causal,
        "window": window,
        "soft_cap": softcap or None,
        "alibi_slopes": slopes,
        "return_lse": everything,
        "return_randval": bool(everything and dropout_p),
    }


def _returned(result: Any, everything: bool) -> Any:
    return (result.out, _lse(result.lse), result.randval) if everything else result.out


def _lse(given: Any) -> Any:
    """With +inf for rows without keys."""
    if hasattr(given, "masked_fill"):
        return given.masked_fill(given == float("-inf"), float("inf"))
    if hasattr(given, "dtype") and hasattr(given, "flags"):
        given[given == float("-inf")] = float("inf")
    return given


def _parts(name: str, given: Any, count: int) -> list[Any]:
    """Views of one tensor."""
    shape = tuple(getattr(given, "shape", ()))
    if len(shape) != 5 or shape[2] != count:
        raise InvalidArgument(
            f"{name} has the shape {shape}; it is [batch, rows, {count}, heads, head size]"
        )
    if not hasattr(given, "seen_as"):
        return [given[:, :, i] for i in range(count)]
    return [given.part(2, i) for i in range(count)]
