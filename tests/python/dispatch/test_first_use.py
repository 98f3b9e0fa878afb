# SPDX-License-Identifier: MIT
"""What is made at its first use is made once and right, however many threads come first."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest
from at_once import THREADS, at_once
from ckdispatch import Dispatcher, DuplicatePolicy, GemmProblem, Registry
from ckdispatch.selection import Selection
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.threads import Guard, made_once
from dispatch_support import (
    EACH_VARIANT,
    ESSENTIAL,
    VARIANTS,
    dispatcher,
    each_variant,
    everything,
    random,
)

ROUNDS = 5
PROBLEM = GemmProblem(64, 64, 64)


def is_product(result: Any, a: Any, b: Any) -> bool:
    return bool(np.allclose(result, a.astype(np.float32) @ b.astype(np.float32), atol=0.05))


def gemm(on: Dispatcher, number: int) -> bool:
    a, b = random((64, 64), number), random((64, 64), number + 100)
    return is_product(on.gemm(a, b, stream=on.device.stream()).out, a, b)


def run(on: Dispatcher, number: int) -> bool:
    a, b = random((64, 64), number), random((64, 64), number + 100)
    c = on.empty((64, 64))
    stream = on.device.stream()
    on.run(PROBLEM, on.to_device(a), on.to_device(b, column_major=True), c, stream=stream)
    stream.synchronize()
    return is_product(c.numpy(), a, b)


def grouped(on: Dispatcher, number: int) -> bool:
    a, b = random((64, 64), number), random((64, 64), number + 100)
    made = on.grouped_gemm([(a, b), (b, a)], stream=on.device.stream())
    return is_product(made.outs[0], a, b) and is_product(made.outs[1], b, a)


@pytest.mark.parametrize("use", [gemm, run, grouped], ids=lambda use: use.__name__)
def test_one_dispatcher(use: Any) -> None:
    for _ in range(ROUNDS):
        on = Dispatcher(everything())
        assert at_once(partial(use, on)) == [True] * THREADS


def _one_of(uses: list[Any], on: Dispatcher, number: int) -> Any:
    return uses[number % len(uses)](on, number)


def test_threads_that_begin_with_different_calls() -> None:
    for _ in range(ROUNDS):
        on = Dispatcher(each_variant())
        uses: list[Any] = [
            gemm,
            run,
            grouped,
            lambda on, _: on.plan(PROBLEM),
            lambda on, _: on.selection,
            lambda on, _: on.device,
        ]
        assert all(at_once(partial(_one_of, uses, on)))


def test_a_dispatcher_for_each_thread() -> None:
    for _ in range(ROUNDS):
        assert at_once(lambda number: gemm(Dispatcher(everything()), number)) == [True] * THREADS


def _selection(registry: Registry, _number: int) -> Selection:
    return registry.selection()


def _best(registry: Registry, _number: int) -> str:
    return registry.select(PROBLEM).kernel


def test_one_registry() -> None:
    expected = everything().select(PROBLEM).kernel
    for _ in range(ROUNDS):
        registry = Registry.load(ESSENTIAL, VARIANTS)
        selections = at_once(partial(_selection, registry))
        assert len(set(map(id, selections))) == 1
        registry = Registry.load(ESSENTIAL, VARIANTS)
        assert at_once(partial(_best, registry)) == [expected] * THREADS


def test_every_change_of_a_registry_counts() -> None:
    registry = Registry.load(ESSENTIAL)
    names = [kernel.name for kernel in registry]
    before = registry.generation

    def change(number: int) -> None:
        for _ in range(20):
            registry.merge(everything(), duplicates=DuplicatePolicy.KEEP)

    at_once(change)
    assert registry.generation == before + 20 * THREADS
    assert {kernel.name for kernel in registry} >= set(names)


def _add_and_run(
    on: Dispatcher,
    registry: Registry,
    path: str,
    left: DeviceTensor,
    right: DeviceTensor,
    outs: list[DeviceTensor],
    number: int,
) -> None:
    if number == 0:
        registry.add_library(path)
    for _ in range(20):
        on.run(PROBLEM, left, right, outs[number])


def test_a_kernel_that_was_added_is_chosen_however_busy_the_dispatcher_is() -> None:
    """Nobody keeps a plan of before the change as one of after it."""
    best = everything().select(PROBLEM).kernel
    for _ in range(ROUNDS):
        registry = Registry.load(ESSENTIAL, VARIANTS)
        spec = registry[best]
        registry.remove(best)
        on = Dispatcher(registry)
        left, right = (
            on.to_device(random((64, 64), 1)),
            on.to_device(random((64, 64), 2), column_major=True),
        )
        outs = [on.empty((64, 64)) for _ in range(THREADS)]

        at_once(partial(_add_and_run, on, registry, spec.library, left, right, outs))
        on.synchronize()
        assert on.run(PROBLEM, left, right, outs[0]).kernel == best
        on.synchronize()


FRESH = textwrap.dedent("""
    from at_once import at_once
    import ckdispatch, sys

    def work(number):
        registry = ckdispatch.Registry.load(sys.argv[1 + number % 2])
        from ckdispatch.native.library import native
        return id(native()), len(registry)

    made = at_once(work)
    assert len({library for library, _ in made}) == 1, made
    assert min(size for _, size in made) > 0, made
    print("right")
""")


def test_the_runtime_library_in_a_new_process() -> None:
    """Importing, loading the library and reading a manifest, all for the first time."""
    for _ in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-c", FRESH, ESSENTIAL, EACH_VARIANT],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == "right\n", done.stderr


def test_made_once_makes_one_and_tries_again_after_a_failure() -> None:
    made: list[object] = []

    @made_once
    def thing() -> object:
        made.append(object())
        if len(made) == 1:
            raise ValueError("not yet")
        return made[-1]

    with pytest.raises(ValueError, match="not yet"):
        thing()
    assert set(at_once(lambda _: thing())) == {made[1]} and len(made) == 2


def test_a_forked_child_finds_no_guard_taken() -> None:
    guard = Guard()
    taken, free = threading.Event(), threading.Event()

    def hold() -> None:
        with guard.held():
            taken.set()
            free.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    child = os.fork()
    if child == 0:
        # A lock that nobody in here will give back would be waited for forever; the alarm ends
        # that.
        import signal

        signal.alarm(20)
        with guard.held():
            os._exit(0)
    free.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert dispatcher().device is not None
