# SPDX-License-Identifier: MIT
"""Attention with numbers that are added to scores, and with slopes that make keys count less the
farther away they are, checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
import numpy as np
from attentions import example, normal, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """A bias broadcasts to [batch, heads, rows, keys]; there is a slope for each head."""
    q, k, v = qkv(batch=2, rows=64, keys=96, heads=4, head_size=64)
    yield dispatcher.attention(q, k, v, bias=normal(4, 64, 96), validate=True)
    slopes = (2.0 ** -np.arange(2, 10, 2)).astype(np.float32)
    yield dispatcher.attention(q, k, v, alibi_slopes=slopes, causal=True, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
