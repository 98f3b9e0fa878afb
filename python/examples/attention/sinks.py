# SPDX-License-Identifier: MIT
"""Attention with a place for weight that no key deserves: a score for each head, or the first keys,
which no window leaves out, checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
import numpy as np
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """As gpt-oss has it, one more column of the softmax whose value is zero; and as StreamingLLM
    has it, 4 keys beside a window of 16.
    """
    q, k, v = qkv(batch=1, rows=60, keys=100, heads=2, head_size=64)
    yield dispatcher.attention(q, k, v, sinks=np.array([1.5, -0.5], np.float32), validate=True)
    yield dispatcher.attention(q, k, v, causal=True, window=(16, 0), sink_tokens=4, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
