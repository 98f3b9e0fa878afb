# SPDX-License-Identifier: MIT
"""Masks in the words of callers."""

from __future__ import annotations

from typing import Any

import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.masks import NO_MASK, mask_of


@pytest.mark.parametrize(
    ("causal", "window", "mask", "means"),
    [
        (False, None, None, NO_MASK),
        (True, None, None, ("bottom_right", (-1, 0))),
        ("top_left", None, None, ("top_left", (-1, 0))),
        (False, (5, 3), None, ("bottom_right", (5, 3))),
        (False, (5, None), None, ("bottom_right", (5, -1))),
        (True, (5, -1), None, ("bottom_right", (5, 0))),
        (True, (5, 9), None, ("bottom_right", (5, 0))),
        ("top_left", (5, -1), None, ("top_left", (5, 0))),
        (False, (-1, -1), None, NO_MASK),
        (False, None, "0", NO_MASK),
        (False, None, "t", ("top_left", (-1, 0))),
        (False, None, "2", ("bottom_right", (-1, 0))),
        (False, None, "b:4,35", ("bottom_right", (4, 35))),
        (False, None, "t:128,-1", ("top_left", (128, -1))),
        (False, None, "xt:7", ("top_left", (3, 3))),
        (False, None, "xb:8", ("bottom_right", (4, 3))),
        (False, None, "g:3,2", ("top_left", (2, 1))),
    ],
)
def test_each_way_to_say_a_mask(causal: Any, window: Any, mask: Any, means: Any) -> None:
    assert mask_of(causal, window, mask) == means


@pytest.mark.parametrize(
    ("causal", "window", "mask"),
    [
        ("left", None, None),
        (1, None, None),
        (False, (1,), None),
        (False, 3, None),
        (False, ("a", 1), None),
        (False, None, "q:1,2"),
        (True, None, "t"),
        (False, (1, 2), "t"),
        (False, None, "g:0,1"),
        (False, (2**40, 0), None),
    ],
)
def test_what_is_no_mask_is_refused(causal: Any, window: Any, mask: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"was (asked for|given)"):
        mask_of(causal, window, mask)
