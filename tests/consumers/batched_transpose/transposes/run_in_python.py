# SPDX-License-Identifier: MIT
"""Transposes on the simulator from Python: a friendly call, a problem that is run, and one in
words.
"""

from __future__ import annotations

import ckdispatch
import numpy as np
from ckdispatch.errors import NoKernel


def main() -> None:
    registry = ckdispatch.Registry.load("transposes")
    dispatcher = ckdispatch.Dispatcher(registry, "sim:gfx942")
    for shape, dtype in (
        ((3, 128, 64), np.float16),
        ((2, 65, 7), np.float16),
        ((64, 192), np.float32),
    ):
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        result = dispatcher.batched_transpose(x, validate=True)
        assert (result.out == x.swapaxes(-1, -2)).all(), shape
        print(f"{shape} by {result.kernel} on {result.device}")

    problem = ckdispatch.BatchedTransposeProblem(2, 64, 128, "fp32")
    assert ckdispatch.BatchedTransposeProblem.parse(problem.text) == problem
    on_device = (
        dispatcher.to_device(np.ones((2, 64, 128), np.float32)),
        dispatcher.empty((2, 128, 64), "fp32"),
    )
    dispatcher.run(problem, *on_device)
    dispatcher.synchronize()
    assert (on_device[1].numpy() == 1).all()
    try:
        dispatcher.batched_transpose(np.ones((4, 4), np.int8))
    except NoKernel as error:
        print(error)
    else:
        raise AssertionError("a dtype that no kernel has was taken")


if __name__ == "__main__":
    main()
