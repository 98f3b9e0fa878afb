# SPDX-License-Identifier: MIT
"""New keys are turned by their positions and put into a cache, q is turned too, and attends to all
of them, checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
from attentions import example, normal, rotations
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult | str]:
    """Three new rows see the 60 keys that there are, and those of the new ones that are not after
    them.
    """
    q = normal(1, 3, 4, 64, seed=1)
    k_cache, v_cache = normal(1, 128, 2, 64, seed=2), normal(1, 128, 2, 64, seed=3)
    k_new, v_new = normal(1, 3, 2, 64, seed=4), normal(1, 3, 2, 64, seed=5)
    cosines, sines = rotations(positions=128, size=64)
    yield dispatcher.attention_kvcache(
        q,
        k_cache,
        v_cache,
        k_new=k_new,
        v_new=v_new,
        cache_seqlens=60,
        rotary_cos=cosines,
        rotary_sin=sines,
        causal=True,
        validate=True,
    )
    yield f"the cache has {'' if (v_cache[:, 60:63] == v_new).all() else 'not '}the new rows"


if __name__ == "__main__":
    example(__doc__, attend)
