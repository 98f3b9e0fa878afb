# SPDX-License-Identifier: MIT
"""Attention with dropout; its random numbers follow from a seed, so that what was dropped is known,
checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult | str]:
    """The next call takes an offset that is batch * heads * 64 more."""
    q, k, v = qkv(batch=2, rows=48, keys=80, heads=2, head_size=64)
    result = dispatcher.attention(
        q, k, v, dropout_p=0.2, seed=1234, offset=0, return_randval=True, validate=True
    )
    yield result
    kept = (result.randval <= int(255 * (1 - 0.2))).mean()
    yield f"{100 * kept:.1f} % were kept"


if __name__ == "__main__":
    example(__doc__, attend)
