# SPDX-License-Identifier: MIT
"""``validate="device"`` of attention, whose products a plain kernel computes."""

from __future__ import annotations

from typing import Any

import pytest
from attention_support import attender, random

Q, K, V = random(1, 33, 4, 64), random(1, 40, 2, 64, seed=1), random(1, 40, 2, 64, seed=2)


@pytest.mark.parametrize(
    "said", [{}, {"causal": True}, {"dropout_p": 0.3, "seed": 5, "offset": 7}], ids=str
)
def test_forward(said: dict[str, Any]) -> None:
    once, again = (attender().attention(Q, K, V, **said, validate=how) for how in (True, "device"))
    assert once.comparison and again.comparison
    assert once.comparison.max_ulps == again.comparison.max_ulps


def test_gradients() -> None:
    made = attender().attention(Q, K, V, return_lse=True)
    given = random(1, 33, 4, 64, seed=3), Q, K, V, made.out, made.lse
    once, again = (attender().attention_bwd(*given, validate=how) for how in (True, "device"))
    for one, other in zip(once.comparisons, again.comparisons, strict=True):
        assert one.max_ulps == other.max_ulps
