# SPDX-License-Identifier: MIT
"""A small network with kernels of two families in one registry: a convolution, and a product that
makes ten numbers of each of its results; both checked.
"""

from __future__ import annotations

import ckdispatch
import numpy as np
from program import KERNELS, Results, command_line, loaded, run, whole_numbers


def compute() -> Results:
    """The dispatcher takes the kernels that a call is about."""
    parser = command_line(__doc__)
    parser.add_argument("--with", required=True, dest="others", metavar="KERNELS", help=KERNELS)
    options = parser.parse_args()
    registry = loaded(options.kernels)
    registry.merge(loaded(options.others))
    yield f"{len(registry)} kernels of {' and '.join(registry.families)}"
    dispatcher = ckdispatch.Dispatcher(registry, options.device)

    images, filters = whole_numbers(4, 6, 6, 16) / 4, whole_numbers(16, 3, 3, 16) / 4
    features = dispatcher.conv(images, filters, padding=1, validate=True)
    yield features
    rows = np.maximum(features.out, 0).reshape(len(images), -1)
    weights = whole_numbers(10, rows.shape[1]) / 64
    classes = dispatcher.gemm(rows, weights.T, validate=True)
    yield classes
    yield f"classes: {classes.out.argmax(axis=1)}"


if __name__ == "__main__":
    run(compute)
