# SPDX-License-Identifier: MIT
"""Convolves images with the best kernel of a set, and checks the result: conv_forward KERNELS [DEVICE]"""

from __future__ import annotations

import convolutions


def main() -> None:
    """Two images of 14 x 14 with 2 groups of 16 channels, which become 24 each."""
    dispatcher = convolutions.dispatcher()
    x = convolutions.whole_numbers(2, 14, 14, 2 * 16)
    w = convolutions.whole_numbers(2 * 24, 3, 3, 16)
    convolutions.tell(dispatcher.conv(x, w, stride=2, padding=1, groups=2, validate=True))


if __name__ == "__main__":
    main()
