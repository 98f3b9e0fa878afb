# SPDX-License-Identifier: MIT
"""Multiplies matrices of many shapes, each with the kernel that should be the fastest for it, and
checks them.
"""

from __future__ import annotations

from program import Results, command_line, opened, product_of, run, whole_numbers

SHAPES = ("1x256x64", "16x128x256", "64x64x64", "37x43x51", "200x136x72", "256x128x64")


def multiply() -> Results:
    """A line for each shape. The time is predicted: nothing is measured to choose a kernel."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--shapes", nargs="+", default=SHAPES, help="each as MxNxK, such as 200x136x72"
    )
    options = parser.parse_args()
    problems = [product_of(shape) for shape in options.shapes]
    dispatcher = opened(options)

    for one in problems:
        result = dispatcher.gemm(
            whole_numbers(one.m, one.k), whole_numbers(one.n, one.k).T, validate=True
        )
        tile = "x".join(map(str, dispatcher.registry[result.kernel].spec["tile"]))
        padded = f", padded to {'x'.join(map(str, result.padded))}" if result.padded else ""
        predicted = f"{result.plan.predicted_microseconds:.1f} us"
        yield f"{one.m}x{one.n}x{one.k}: tiles of {tile}, predicted {predicted}{padded}, right"


if __name__ == "__main__":
    run(multiply)
