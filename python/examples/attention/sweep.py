# SPDX-License-Identifier: MIT
"""Causal attention of several lengths, each checked, with a plot of the times: measured on a GPU,
predicted for a simulated one.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, qkv

LENGTHS = (1, 17, 64, 100, 128, 190)


def sweep(dispatcher: ckdispatch.Dispatcher) -> Iterator[str]:
    """A bar for each length."""
    times = []
    for length in LENGTHS:
        q, k, v = (
            dispatcher.to_device(one)
            for one in qkv(batch=1, rows=length, keys=length, heads=2, head_size=64)
        )
        result = dispatcher.attention(q, k, v, causal=True, timing=True, validate=True)
        assert result.milliseconds is not None
        times.append(
            result.plan.predicted_microseconds if result.simulated else 1000 * result.milliseconds
        )
    for length, time in zip(LENGTHS, times, strict=True):
        yield f"{length:3} rows {'#' * round(1 + 60 * time / max(times))} {time:.3g} us"


if __name__ == "__main__":
    example(__doc__, sweep)
