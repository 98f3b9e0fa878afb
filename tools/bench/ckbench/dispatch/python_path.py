# SPDX-License-Identifier: MIT
"""Times the Python path in a process of its own: ``python -m ckbench.dispatch.python_path DEVICE
SCALE MANIFEST…``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial


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
    device, scale, *manifests = sys.argv[1], float(sys.argv[2]), *sys.argv[3:]
    from ckdispatch import Dispatcher, GemmProblem, Registry

    size = (256, 256, 256)
    problem = GemmProblem(*size)
    dispatcher, of_more = (
        Dispatcher(Registry.load(*some), device) for some in (manifests[:1], manifests[1:])
    )
    runs = {
        3: (dispatcher, problem),
        4: (of_more, GemmProblem(*size, fused_op="MultiDAddRelu", d_count=1)),
        **{3 * groups: (of_more, GemmProblem.grouped([size] * groups)) for groups in (3, 4)},
    }
    count = max(50, int(5000 * scale))
    figures = {
        # One at a time: a percentile of single calls is what a caller meets.
        "python_select": sample(count, 1, lambda: dispatcher.plan(problem)),
        "python_nothing": sample(count, 1, lambda: None),
    }
    for number, (on, one) in runs.items():
        tensors = [on.empty(size[:2]) for _ in range(number)]
        plan = on.run(one, *tensors).plan
        if plan.launches != 1:
            sys.exit(f"no kernel computes {one.text} in one launch")
        figures[f"python_run_{number}"] = sample(count, 1, partial(on.run, one, *tensors))
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
