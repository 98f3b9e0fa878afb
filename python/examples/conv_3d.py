# SPDX-License-Identifier: MIT
"""Convolves volumes, such as scans or short films, with the best kernel of a set, and checks the
result.
"""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def convolve(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Extents are those of two dimensions with the depth before height and width."""
    x = whole_numbers(1, 6, 8, 8, 16)
    w = whole_numbers(24, 3, 3, 3, 16)
    # A number counts for every axis; a step for each is as good.
    yield dispatcher.conv(x, w, padding=1, validate=True)
    yield dispatcher.conv(x, w, stride=(1, 2, 2), padding=1, validate=True)


if __name__ == "__main__":
    example(__doc__, convolve)
