# SPDX-License-Identifier: MIT
"""Checks and times every kernel of a set that computes a product, and lists them by what they
took. On the simulator the times say nothing about a GPU, unless GFXSIM_TIMING=1 asks for those of a
model of it.
"""

from __future__ import annotations

from ckdispatch.errors import NoKernel
from ckdispatch.gemm.reference import gemm_reference
from program import Results, command_line, opened, product_of, run, whole_numbers


def benchmark() -> Results:
    """Tensors are on the device, so that nothing but the kernels is timed."""
    parser = command_line(__doc__, sizes="256x128x64")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs (default: %(default)s)")
    options = parser.parse_args()
    problem = product_of(options.sizes)
    dispatcher = opened(options)

    a, b = whole_numbers(problem.m, problem.k), whole_numbers(problem.n, problem.k).T
    reference = gemm_reference(a, b)
    product = dispatcher.empty((problem.m, problem.n))
    tensors = dispatcher.to_device(a), dispatcher.to_device(b, column_major=True), product
    rows, times_of = [], ""
    # One that can split its sum fits in several ways.
    for kernel in dict.fromkeys(one.kernel for one in dispatcher.selection.rank(problem).fit):
        dispatcher.run(problem, *tensors, kernel=kernel)
        reference.compare(product.numpy()).raise_if_bad()
        plan = dispatcher.plan(problem, kernel=kernel)
        timed = dispatcher.benchmark(plan, tensors, warmup=1, repeat=options.repeat)
        rows.append((1000 * timed["median"], plan.predicted_microseconds, kernel))
        times_of = timed["times"]
    if not rows:
        raise NoKernel(f"no kernel computes {problem.text}; the example rank.py says why")

    times_are = {"simulator": "of the simulator itself"}.get(times_of, times_of)
    yield f"{problem.text} on {dispatcher.device_name}, times are {times_are}"
    for took, predicted, kernel in sorted(rows):
        yield f"{took:12.1f} us, predicted {predicted:6.1f} us: {kernel}"
    yield f"{len(rows)} kernels, all right"


if __name__ == "__main__":
    run(benchmark)
