# SPDX-License-Identifier: MIT
"""Times the Python path in a process of its own: ``python -m ckbench.dispatch.python_path MANIFEST DEVICE SCALE``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable


def sample(count: int, at_a_time: int, call: Callable[[], object]) -> list[float]:
    """Nanoseconds of a call, timed a few at a time because the clock costs some itself."""
    clock = time.perf_counter_ns
    samples = []
    for _ in range(count // 10 * at_a_time):
        call()
    for _ in range(count):
        begin = clock()
        for _ in range(at_a_time):
            call()
        samples.append((clock() - begin) / at_a_time)
    return samples


def main() -> int:
    manifest, device, scale = sys.argv[1], sys.argv[2], float(sys.argv[3])
    from ckdispatch import Dispatcher, GemmProblem, Registry

    dispatcher = Dispatcher(Registry.load(manifest), device)
    problem = GemmProblem(256, 256, 256)
    tensors = [dispatcher.empty((256, 256)) for _ in range(3)]

    def run() -> None:
        dispatcher.run(problem, *tensors)

    run()
    count = max(50, int(5000 * scale))
    figures = {
        # One at a time: a percentile of single calls is what a caller meets.
        "python_run": sample(count, 1, run),
        "python_select": sample(count, 1, lambda: dispatcher.plan(problem)),
        "python_nothing": sample(count, 1, lambda: None),
    }
    dispatcher.synchronize()
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
