# SPDX-License-Identifier: MIT
"""The gradient of images, from that of what they were convolved to, checked."""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def gradient(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Images were 9 x 9: a stride of 2 alone does not tell whether they were 8 x 8."""
    dy = whole_numbers(2, 5, 5, 2 * 16)
    w = whole_numbers(2 * 16, 3, 3, 8)
    yield dispatcher.conv_bwd_data(dy, w, (9, 9), stride=2, padding=1, groups=2, validate=True)


if __name__ == "__main__":
    example(__doc__, gradient)
