# SPDX-License-Identifier: MIT
"""Attention of packed prompts over a cache where a list has the page of every key, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
import numpy as np
from attentions import example, normal
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """Two prompts of 40 and 25 rows, whose 60 and 25 keys are in pages of one key, anywhere in a
    cache of 200.
    """
    q = normal(65, 2, 128, seed=1)
    k_pages, v_pages = normal(200, 1, 2, 128, seed=2), normal(200, 1, 2, 128, seed=3)
    places = np.arange(85, dtype=np.int32) * 37 % 200
    yield dispatcher.attention_kvcache(
        q,
        k_pages,
        v_pages,
        cu_seqlens_q=[0, 40, 65],
        kv_indptr=[0, 60, 85],
        kv_page_indices=places,
        causal=True,
        validate=True,
    )


if __name__ == "__main__":
    example(__doc__, attend)
