# SPDX-License-Identifier: MIT
"""Attention with heads of several sizes, of which kernels have few: the others are served by larger
ones, checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, normal, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """Those of v may be of another size than those of q and k."""
    for size in (64, 40, 128, 80):
        q, k, v = qkv(batch=1, rows=40, keys=70, heads=2, head_size=size)
        yield dispatcher.attention(q, k, v, validate=True)
    q, k, _ = qkv(batch=1, rows=40, keys=70, heads=2, head_size=52)
    yield dispatcher.attention(q, k, normal(1, 70, 2, 24, seed=3), validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
