# SPDX-License-Identifier: MIT
"""Attention of one row, whose keys are divided among workgroups that would be idle otherwise,
checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """Three parts are computed by one kernel, and put together by another; without ``splits`` the
    dispatcher chooses.
    """
    q, k, v = qkv(batch=2, rows=1, keys=190, heads=4, head_size=64, heads_k=2)
    yield dispatcher.attention(q, k, v, splits=3, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
