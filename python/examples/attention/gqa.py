# SPDX-License-Identifier: MIT
"""Attention where several heads of q share one of k and v, in groups and all of them, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """Heads 0 to 3 of q share head 0 of k, if there are two."""
    for heads_k in (2, 1):
        q, k, v = qkv(batch=1, rows=50, keys=70, heads=8, head_size=64, heads_k=heads_k)
        yield dispatcher.attention(q, k, v, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
