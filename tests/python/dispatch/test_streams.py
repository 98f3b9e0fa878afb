# SPDX-License-Identifier: MIT
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from ckdispatch import GemmProblem
from dispatch_support import dispatcher, random


def test_work_on_a_stream_is_done_when_it_was_waited_for() -> None:
    on = dispatcher()
    stream = on.device.stream()
    a, b = random((64, 64), 1), random((64, 64), 2)
    c = on.empty((64, 64))
    on.run(
        GemmProblem(64, 64, 64),
        on.to_device(a),
        on.to_device(b, column_major=True),
        c,
        stream=stream,
    )
    stream.synchronize()
    assert np.allclose(c.numpy(), a.astype(np.float32) @ b.astype(np.float32), atol=0.05)


def test_an_address_of_a_stream_does_as_well() -> None:
    on = dispatcher()
    stream = on.device.stream()
    result = on.gemm(random((64, 64), 1), random((64, 64), 2), stream=stream.address, validate=True)
    assert result.comparison is not None
    assert result.comparison.ok


def test_threads_run_on_streams_of_their_own() -> None:
    on = dispatcher()
    problem = GemmProblem(64, 64, 64)

    def work(seed: int) -> bool:
        stream = on.device.stream()
        a, b = random((64, 64), seed), random((64, 64), seed + 100)
        left, right, c = on.to_device(a), on.to_device(b, column_major=True), on.empty((64, 64))
        for _ in range(5):
            on.run(problem, left, right, c, stream=stream)
        stream.synchronize()
        return bool(np.allclose(c.numpy(), a.astype(np.float32) @ b.astype(np.float32), atol=0.05))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))
