# SPDX-License-Identifier: MIT
"""What a dispatcher computes of attention."""

from __future__ import annotations

from typing import Any

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.fmha import backward, cache, forward
from ckdispatch.fmha.options import Options
from ckdispatch.fmha.result import AttentionGradients, AttentionResult


class Methods(BaseDispatcher):
    """``attention`` in its forms, and its gradients."""

    def attention(
        self,
        q: Any,
        k: Any,
        v: Any,
        *,
        layout: str = "bshd",
        causal: bool | str = False,
        window: tuple[int, int] | None = None,
        mask: str | None = None,
        scale: float | None = None,
        bias: Any = None,
        alibi_slopes: Any = None,
        dropout_p: float = 0.0,
        seed: Any = None,
        offset: Any = 0,
        soft_cap: float | None = None,
        sinks: Any = None,
        sink_tokens: int = 0,
        seqused_q: Any = None,
        seqused_k: Any = None,
        q_scale: float | None = None,
        k_scale: float | None = None,
        v_scale: float | None = None,
        o_scale: float | None = None,
        return_lse: bool = False,
        return_randval: bool = False,
        splits: int = 0,
        deterministic: bool = False,
        out: Any = None,
        dtype: str | None = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> AttentionResult:
        """``softmax(cap(scale * q k') + bias) v`` for a batch of sequences.

        q is [batch, rows, heads, head size] and k, v [batch, keys, heads of k, head size], or with
        ``layout="bhsd"`` heads come before rows. They are NumPy arrays, DeviceTensors, or anything
        with ``__dlpack__``; views with strides, such as parts of one packed tensor, are used where
        they are if the elements of a head are contiguous. A head of k serves as many of q as there
        are.

        ``causal`` rows keep the keys up to their own, where the last row is at the last key (True,
        "bottom_right") or the first at the first ("top_left"). A ``window`` is the keys to the left
        and right of that, -1 for all; ``mask`` says both in the words of Composable Kernel's
        examples. ``scale`` is by default 1 / sqrt(head size). A ``bias`` has q's dtype and
        broadcasts to [batch, heads, rows, keys]; ``alibi_slopes`` are float32, for each head, or
        each sequence and head. ``dropout_p`` is rounded to 1/256; ``seed`` and ``offset`` are
        numbers, or both on the device, and a new seed is in the result if none is given. ``sinks``
        are logits, float32 for each head, of one more key without a value; ``sink_tokens`` is how
        many first keys every row keeps in spite of its window. ``seqused_q`` and ``seqused_k`` are
        how many rows of each sequence count; others are left as they are. ``q_scale``, ``k_scale``,
        ``v_scale`` and ``o_scale`` are factors for tensors of fp8, whose result is bf16 unless
        ``dtype`` or ``out`` say otherwise. ``splits`` is in how many parts the keys are computed, 0
        lets the dispatcher choose.

        ``return_lse`` gives the logarithm of the sum of exponentials, float32 [batch, heads, rows],
        -inf where a row keeps no key. ``validate`` compares with the NumPy reference and raises
        ``Mismatch``.
        """
        options = Options(
            causal,
            window,
            mask,
            scale,
            soft_cap,
            dropout_p,
            seed,
            offset,
            return_lse,
            return_randval,
            sink_tokens,
            splits,
            0,
            deterministic,
            q_scale,
            k_scale,
            v_scale,
            o_scale,
            dtype,
            pad,
            stream,
            timing,
            validate,
        )
        given = {
            "bias": bias,
            "alibi_slopes": alibi_slopes,
            "sinks": sinks,
            "seqused_q": seqused_q,
            "seqused_k": seqused_k,
        }
        return forward.attention(self, q, k, v, options, layout=layout, out=out, **given)

    def attention_varlen(
        self,
        q: Any,
        k: Any,
        v: Any,
        cu_seqlens_q: Any,
        cu_seqlens_k: Any = None,
        *,
        max_seqlen_q: int | None = None,
        max_seqlen_k: int | None = None,
        seqused_q: Any = None,
        seqused_k: Any = None,
        block_table: Any = None,
        causal: bool | str = False,
        window: tuple[int, int] | None = None,
        mask: str | None = None,
        scale: float | None = None,
        bias: Any = None,
        alibi_slopes: Any = None,
        dropout_p: float = 0.0,
        seed: Any = None,
        offset: Any = 0,
        soft_cap: float | None = None,
        sinks: Any = None,
        q_scale: float | None = None,
        k_scale: float | None = None,
        v_scale: float | None = None,
        o_scale: float | None = None,
        return_lse: bool = False,
        return_randval: bool = False,
        splits: int = 0,
        decode_rows: int = 0,
        deterministic: bool = False,
        out: Any = None,
        dtype: str | None = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> AttentionResult:
        """As ``attention`` for sequences of their own lengths, one behind the other.

        q is [rows of all, heads, head size], k and v likewise. ``cu_seqlens_q`` and
        ``cu_seqlens_k`` have where each sequence begins and where the last ends; ``seqused_q`` and
        ``seqused_k`` how many rows of each count, if not all. What is on the host is checked. The
        longest lengths must be known: ``max_seqlen_q`` and ``max_seqlen_k``, or they are counted,
        for which tables on the device are copied to the host. With a ``block_table`` k and v are
        pages, as ``attention_kvcache`` has them, and ``seqused_k`` or ``cu_seqlens_k`` say how many
        keys there are. A ``bias`` broadcasts to [heads, rows of all, longest keys]; lse is [heads,
        rows of all]. Sequences of up to ``decode_rows`` rows, decodes among prefills, may be
        computed apart from the others, if that should take less time; ``splits`` are then parts of
        their keys.
        """
        options = Options(
            causal,
            window,
            mask,
            scale,
            soft_cap,
            dropout_p,
            seed,
            offset,
            return_lse,
            return_randval,
            0,
            splits,
            decode_rows,
            deterministic,
            q_scale,
            k_scale,
            v_scale,
            o_scale,
            dtype,
            pad,
            stream,
            timing,
            validate,
        )
        given = {"bias": bias, "alibi_slopes": alibi_slopes, "sinks": sinks, "out": out}
        if block_table is not None:
            return cache.packed_over_pages(
                self,
                q,
                k,
                v,
                cu_seqlens_q,
                cu_seqlens_k,
                options,
                seqused_k=seqused_k,
                block_table=block_table,
                max_seqlen_q=max_seqlen_q,
                max_seqlen_k=max_seqlen_k,
                **given,
            )
        lengths = {
            "max_seqlen_q": max_seqlen_q,
            "max_seqlen_k": max_seqlen_k,
            "seqused_q": seqused_q,
            "seqused_k": seqused_k,
        }
        return forward.attention_varlen(
            self, q, k, v, cu_seqlens_q, cu_seqlens_k, options, **given, **lengths
        )

    def attention_kvcache(
        self,
        q: Any,
        k_cache: Any,
        v_cache: Any,
        *,
        k_new: Any = None,
        v_new: Any = None,
        cache_seqlens: Any = None,
        rotary_cos: Any = None,
        rotary_sin: Any = None,
        rotary_interleaved: bool = True,
        block_table: Any = None,
        kv_indptr: Any = None,
        kv_page_indices: Any = None,
        cache_index: Any = None,
        cu_seqlens_q: Any = None,
        max_seqlen_q: int | None = None,
        layout: str = "bshd",
        causal: bool | str = False,
        window: tuple[int, int] | None = None,
        mask: str | None = None,
        scale: float | None = None,
        bias: Any = None,
        alibi_slopes: Any = None,
        soft_cap: float | None = None,
        sinks: Any = None,
        sink_tokens: int = 0,
        return_lse: bool = False,
        splits: int = 0,
        decode_rows: int = 0,
        out: Any = None,
        dtype: str | None = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> AttentionResult:
        """As ``attention`` over a cache of keys: appends, rotates, attends and combines in one
        plan.

        The caches are [sequences, room, heads of k, head size], of which ``cache_index`` says which
        are meant, or pages [pages, rows of a page, heads of k, head size]: a ``block_table``
        [batch, pages] has those of each sequence, or ``kv_page_indices`` those of all, from
        ``kv_indptr[i]`` to ``kv_indptr[i + 1]``. ``cache_seqlens`` is how many keys each sequence
        has, a number for all or one for each, before ``k_new`` and ``v_new`` [batch, new rows,
        heads of k, head size] are put behind them, in place. New keys and a copy of q are rotated
        by ``rotary_cos`` and ``rotary_sin`` [positions, half of the rotated size] of q's dtype: a
        row of q with causal or a window at its own position, else all at the first new one.

        Pages of any number of rows are taken: where no kernel reads them, their rows are listed on
        the host, which a table on the device is copied for, and where none appends to them, the
        host does. ``cu_seqlens_q`` and ``decode_rows`` are for packed q, as in
        ``attention_varlen``.
        """
        options = Options(
            causal,
            window,
            mask,
            scale,
            soft_cap,
            0.0,
            None,
            0,
            return_lse,
            False,
            sink_tokens,
            splits,
            decode_rows,
            False,
            None,
            None,
            None,
            None,
            dtype,
            pad,
            stream,
            timing,
            validate,
        )
        tables = {
            "block_table": block_table,
            "kv_indptr": kv_indptr,
            "kv_page_indices": kv_page_indices,
            "cache_index": cache_index,
        }
        new = {"k_new": k_new, "v_new": v_new, "rotary_cos": rotary_cos, "rotary_sin": rotary_sin}
        given = {"bias": bias, "alibi_slopes": alibi_slopes, "sinks": sinks, "out": out}
        return cache.attention_kvcache(
            self,
            q,
            k_cache,
            v_cache,
            options,
            cache_seqlens=cache_seqlens,
            interleaved=rotary_interleaved,
            layout=layout,
            cu_seqlens_q=cu_seqlens_q,
            max_seqlen_q=max_seqlen_q,
            **new,
            **tables,
            **given,
        )

    def attention_bwd(
        self,
        dout: Any,
        q: Any,
        k: Any,
        v: Any,
        out: Any,
        lse: Any,
        *,
        layout: str = "bshd",
        cu_seqlens_q: Any = None,
        cu_seqlens_k: Any = None,
        max_seqlen_q: int | None = None,
        max_seqlen_k: int | None = None,
        seqused_q: Any = None,
        seqused_k: Any = None,
        causal: bool | str = False,
        window: tuple[int, int] | None = None,
        mask: str | None = None,
        scale: float | None = None,
        bias: Any = None,
        alibi_slopes: Any = None,
        dropout_p: float = 0.0,
        seed: Any = None,
        offset: Any = 0,
        return_dbias: bool = False,
        deterministic: bool = False,
        dq: Any = None,
        dk: Any = None,
        dv: Any = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> AttentionGradients:
        """The gradients of q, k and v from that of ``attention``'s result, which is ``dout``.

        ``out`` and ``lse`` are what ``attention`` gave with the same arguments and ``return_lse``,
        ``seed`` and ``offset`` those of its result. With ``cu_seqlens_q`` and ``cu_seqlens_k`` they
        are those of ``attention_varlen``. Those of k and v are summed over the heads of q that
        share one, and ``return_dbias`` gives the bias's, summed over what it was broadcast to.
        ``dq``, ``dk`` and ``dv`` receive the gradients, else they are made like the operands.
        ``deterministic`` gives the same bits every time.
        """
        options = Options(
            causal,
            window,
            mask,
            scale,
            None,
            dropout_p,
            seed,
            offset,
            False,
            False,
            0,
            0,
            0,
            deterministic,
            None,
            None,
            None,
            None,
            None,
            pad,
            stream,
            timing,
            validate,
        )
        starts = {
            "cu_seqlens_q": cu_seqlens_q,
            "cu_seqlens_k": cu_seqlens_k,
            "max_seqlen_q": max_seqlen_q,
            "max_seqlen_k": max_seqlen_k,
        }
        lengths = {"seqused_q": seqused_q, "seqused_k": seqused_k}
        return backward.attention_bwd(
            self,
            dout,
            q,
            k,
            v,
            out,
            lse,
            options,
            layout=layout,
            bias=bias,
            alibi_slopes=alibi_slopes,
            dq=dq,
            dk=dk,
            dv=dv,
            return_dbias=return_dbias,
            **starts,
            **lengths,
        )
