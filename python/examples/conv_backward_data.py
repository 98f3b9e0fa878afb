# SPDX-License-Identifier: MIT
"""The gradient of images from that of what they were convolved to, checked: conv_backward_data KERNELS [DEVICE]"""

from __future__ import annotations

import convolutions


def main() -> None:
    """Images were 9 x 9: a stride of 2 alone does not tell whether they were 8 x 8."""
    dispatcher = convolutions.dispatcher()
    dy = convolutions.whole_numbers(2, 5, 5, 2 * 16)
    w = convolutions.whole_numbers(2 * 16, 3, 3, 8)
    result = dispatcher.conv_bwd_data(dy, w, (9, 9), stride=2, padding=1, groups=2, validate=True)
    convolutions.tell(result)


if __name__ == "__main__":
    main()
