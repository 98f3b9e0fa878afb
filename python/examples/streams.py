# SPDX-License-Identifier: MIT
"""Runs one problem from several threads, each on a stream of its own, and checks what each has."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import ckdispatch
from ckdispatch.gemm.reference import gemm_reference
from program import Results, example, whole_numbers

THREADS, RUNS = 3, 2


def multiply(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Threads share the dispatcher and the problem, from the first use on."""
    problem = ckdispatch.GemmProblem(96, 80, 72)
    weights = whole_numbers(problem.n, problem.k)
    b = dispatcher.to_device(weights.T, column_major=True)

    def one(thread: int) -> str:
        array = whole_numbers(thread + problem.m, problem.k)[thread:]
        a, product = dispatcher.to_device(array), dispatcher.empty((problem.m, problem.n))
        stream = dispatcher.device.stream()
        for _ in range(RUNS):
            # Returns as soon as the work is in the stream's queue.
            ran = dispatcher.run(problem, a, b, product, stream=stream)
        stream.synchronize()
        found = gemm_reference(array, weights.T).compare(product.numpy()).raise_if_bad()
        return f"stream {thread}: {RUNS} runs of {ran.kernel}, {found}"

    _ = dispatcher.device
    with ThreadPoolExecutor(THREADS) as threads:
        yield from threads.map(one, range(THREADS))


if __name__ == "__main__":
    example(__doc__, multiply)
