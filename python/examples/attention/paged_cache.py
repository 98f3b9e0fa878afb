# SPDX-License-Identifier: MIT
"""Attention over keys in pages, which a table lists for each sequence in their order, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
import numpy as np
from attentions import example, normal
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """Five pages of 128 keys; the second sequence has one of them, and what its row has behind that
    is not looked at.
    """
    q = normal(2, 1, 4, 64, seed=1)
    k_pages, v_pages = normal(5, 128, 2, 64, seed=2), normal(5, 128, 2, 64, seed=3)
    pages = np.array([[4, 1], [2, 0]], np.int32)
    yield dispatcher.attention_kvcache(
        q, k_pages, v_pages, block_table=pages, cache_seqlens=[190, 77], validate=True
    )


if __name__ == "__main__":
    example(__doc__, attend)
