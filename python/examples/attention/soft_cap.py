# SPDX-License-Identifier: MIT
"""Attention whose scores are kept between -5 and 5 by 5 * tanh(score / 5), checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """With a scale of 1 many scores would be larger."""
    q, k, v = qkv(batch=1, rows=64, keys=100, heads=2, head_size=64)
    yield dispatcher.attention(q, k, v, scale=1.0, soft_cap=5.0, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
