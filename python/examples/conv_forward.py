# SPDX-License-Identifier: MIT
"""Convolves images with the best kernel of a set, and checks the result."""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def convolve(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Two images of 14 x 14 with 2 groups of 16 channels, which become 24 each."""
    x = whole_numbers(2, 14, 14, 2 * 16)
    w = whole_numbers(2 * 24, 3, 3, 16)
    yield dispatcher.conv(x, w, stride=2, padding=1, groups=2, validate=True)


if __name__ == "__main__":
    example(__doc__, convolve)
