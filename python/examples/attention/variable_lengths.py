# SPDX-License-Identifier: MIT
"""Attention of sequences of different lengths that lie one behind the other, one of them empty,
checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, normal
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """30, 0, 75 and 7 rows with 40, 5, 75 and 90 keys."""
    starts_q, starts_k = [0, 30, 30, 105, 112], [0, 40, 45, 120, 210]
    q = normal(112, 2, 64, seed=1)
    k, v = normal(210, 2, 64, seed=2), normal(210, 2, 64, seed=3)
    yield dispatcher.attention_varlen(q, k, v, starts_q, starts_k, causal=True, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
