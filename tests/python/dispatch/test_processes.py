# SPDX-License-Identifier: MIT
"""Registries and dispatchers in other processes: pickled, forked, spawned."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ckdispatch import Dispatcher, GemmProblem, Registry
from dispatch_support import ESSENTIAL, dispatcher, random

PROBLEM = GemmProblem(128, 128, 64)


def product(on: Dispatcher) -> Any:
    return on.gemm(random((64, 64), 1), random((64, 64), 2)).out


def selected(registry: Registry) -> str:
    return registry.select(PROBLEM).kernel


def hip_is_loaded(_: int) -> bool:
    return "amdhip64" in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_dispatcher_that_has_not_run_works_in_another_process(method: str) -> None:
    registry = Registry.load(ESSENTIAL)
    registry.select(PROBLEM)
    fresh = Dispatcher(registry, "sim:gfx942")
    assert not hip_is_loaded(0)
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert [name == selected(registry) for name in pool.map(selected, [registry] * 4)] == [
            True
        ] * 4
        results = list(pool.map(product, [fresh] * 3))
    expected = random((64, 64), 1).astype(np.float32) @ random((64, 64), 2).astype(np.float32)
    assert all(np.allclose(result, expected, atol=0.05) for result in results)
    assert not hip_is_loaded(0)


def test_a_dispatcher_that_has_run_is_pickled_without_its_device() -> None:
    product(dispatcher())
    copy = pickle.loads(pickle.dumps(dispatcher()))
    assert copy.asked == dispatcher().asked
    assert np.array_equal(product(copy), product(dispatcher()))


def in_a_fork(work: Callable[[], object]) -> str:
    """What some work raises in a forked child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            message = "nothing was raised"
        except Exception as error:  # noqa: BLE001 - the parent judges it
            message = f"{type(error).__name__}: {error}"
        os.write(writer, message.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        message = pipe.read()
    os.waitpid(child, 0)
    return message


def test_a_device_opened_before_a_fork_is_refused_in_the_child() -> None:
    on = dispatcher()
    left, right, target = (on.empty((128, 128)) for _ in range(3))
    on.run(PROBLEM, left, right, target)
    on.run(PROBLEM, left, right, target)  # by now the plan is known
    for work in (lambda: product(on), lambda: on.run(PROBLEM, left, right, target)):
        message = in_a_fork(work)
        assert message.startswith("DeviceFailed: the device ")
        assert "was opened before this process was forked" in message
    on.run(PROBLEM, left, right, target)
