# SPDX-License-Identifier: MIT
"""The gradient of filters, a sum over all images and positions, checked."""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def gradient(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Eight images of 14 x 14 make a long sum for few filters."""
    dy = whole_numbers(8, 14, 14, 32)
    x = whole_numbers(8, 14, 14, 16)
    yield dispatcher.conv_bwd_weight(dy, x, (3, 3), padding=1, validate=True)


if __name__ == "__main__":
    example(__doc__, gradient)
