# SPDX-License-Identifier: MIT
"""The gradients of a causal attention where two heads of q share one of k and v, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, normal, qkv
from ckdispatch.fmha.result import AttentionGradients


def gradients(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionGradients]:
    """They need what the forward call left: its result and lse."""
    q, k, v = qkv(batch=1, rows=70, keys=150, heads=4, head_size=64, heads_k=2)
    forward = dispatcher.attention(q, k, v, causal=True, return_lse=True)
    dout = normal(*forward.out.shape, seed=4)
    yield dispatcher.attention_bwd(
        dout, q, k, v, forward.out, forward.lse, causal=True, validate=True
    )


if __name__ == "__main__":
    example(__doc__, gradients)
