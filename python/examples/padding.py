# SPDX-License-Identifier: MIT
"""What happens to a product that no kernel takes as it is: why not, and the same with padding,
checked.
"""

from __future__ import annotations

from ckdispatch.errors import NoKernel
from program import Results, command_line, opened, product_of, run, whole_numbers


def multiply() -> Results:
    """By default odd sizes, which no kernel can load in whole words."""
    options = command_line(__doc__, sizes="37x43x51").parse_args()
    sizes = product_of(options.sizes)
    dispatcher = opened(options)

    a, b = whole_numbers(sizes.m, sizes.k), whole_numbers(sizes.n, sizes.k).T
    try:
        yield dispatcher.gemm(a, b, pad=False, validate=True)
    except NoKernel as error:
        # The sentence names the kernel that comes nearest, and what it would need.
        yield f"without padding: {error}"
        # Without pad=False the tensors are copied on the device, with zeros around them.
        yield dispatcher.gemm(a, b, validate=True)


if __name__ == "__main__":
    run(multiply)
