# SPDX-License-Identifier: MIT
"""Attention where a row sees some of the keys: those before it, or those in a window, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """70 rows and 100 keys: it matters whether the first row is at the first key, or the last at
    the last.
    """
    q, k, v = qkv(batch=1, rows=70, keys=100, heads=2, head_size=64)
    yield dispatcher.attention(
        q, k, v, causal=True, validate=True
    )  # as flash-attn: from the bottom right
    yield dispatcher.attention(q, k, v, causal="top_left", validate=True)  # as torch
    yield dispatcher.attention(
        q, k, v, causal=True, window=(32, 0), validate=True
    )  # its own key and 32 before it
    yield dispatcher.attention(
        q, k, v, mask="t:16,16", validate=True
    )  # in the words of Composable Kernel's examples


if __name__ == "__main__":
    example(__doc__, attend)
