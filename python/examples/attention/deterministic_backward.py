# SPDX-License-Identifier: MIT
"""Gradients that have the same bits every time, because sums over keys are made in one order, of an
attention with slopes, checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ckdispatch
import numpy as np
from attentions import example, normal, qkv
from ckdispatch.fmha.result import AttentionGradients


def gradients(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionGradients | str]:
    """All but ``deterministic`` is as in the forward call."""
    q, k, v = qkv(batch=1, rows=70, keys=150, heads=2, head_size=64)
    same: dict[str, Any] = {"causal": True, "alibi_slopes": np.array([0.25, 0.0625], np.float32)}
    forward = dispatcher.attention(q, k, v, return_lse=True, **same)
    given = normal(*forward.out.shape, seed=4), q, k, v, forward.out, forward.lse
    once, again = (
        dispatcher.attention_bwd(*given, deterministic=True, validate=True, **same)
        for _ in range(2)
    )
    yield once
    equal = all((getattr(once, name) == getattr(again, name)).all() for name in ("dq", "dk", "dv"))
    yield "both runs have the same bits" if equal else "the runs differ"


if __name__ == "__main__":
    example(__doc__, gradients)
