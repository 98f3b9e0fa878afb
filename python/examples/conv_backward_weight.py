# SPDX-License-Identifier: MIT
"""The gradient of filters, a sum over all images in several parts, checked: conv_backward_weight KERNELS [DEVICE]"""

from __future__ import annotations

import convolutions


def main() -> None:
    """Eight images of 14 x 14 make a long sum for few filters, which is worth splitting."""
    dispatcher = convolutions.dispatcher()
    dy = convolutions.whole_numbers(8, 14, 14, 32)
    x = convolutions.whole_numbers(8, 14, 14, 16)
    convolutions.tell(dispatcher.conv_bwd_weight(dy, x, (3, 3), padding=1, validate=True))


if __name__ == "__main__":
    main()
