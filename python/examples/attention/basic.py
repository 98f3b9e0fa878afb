# SPDX-License-Identifier: MIT
"""Attention of two sequences with the best kernel of a set, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """100 rows of q and 130 keys, in 4 heads of 64; tensors are [batch, row, head, element]."""
    q, k, v = qkv(batch=2, rows=100, keys=130, heads=4, head_size=64)
    yield dispatcher.attention(q, k, v, validate=True)
    # The same with heads before rows, as torch has them.
    swapped = (one.transpose(0, 2, 1, 3) for one in (q, k, v))
    yield dispatcher.attention(*swapped, layout="bhsd", validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
