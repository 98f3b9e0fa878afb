# SPDX-License-Identifier: MIT
"""How many compilers run at once, and when headers are precompiled for them."""

from __future__ import annotations

import threading

import pytest
from ckdispatch.jit import Cache
from ckdispatch.jit import workers as module
from ckdispatch.jit.compilation import in_good_order
from ckdispatch.jit.workers import MEMORY_PER_COMPILE, Pool, Task, available_memory, worker_count
from jit_support import FakeCompiler, build_in, content, kernels


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with 16 processors and room for 4 compilers."""
    monkeypatch.setattr(module, "processors", lambda: 16)
    monkeypatch.setattr(module, "available_memory", lambda: 4 * MEMORY_PER_COMPILE + 1)
    return monkeypatch


def test_by_default_memory_limits_the_workers(machine: pytest.MonkeyPatch) -> None:
    assert worker_count(None, 100) == 4


def test_by_default_processors_limit_the_workers(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(module, "processors", lambda: 2)
    assert worker_count(None, 100) == 2


def test_there_are_no_more_workers_than_tasks_and_always_one(machine: pytest.MonkeyPatch) -> None:
    assert worker_count(None, 3) == 3
    machine.setattr(module, "available_memory", lambda: 0)
    assert worker_count(None, 100) == 1


def test_what_the_caller_wants_is_done(machine: pytest.MonkeyPatch) -> None:
    assert worker_count(9, 100) == 9


def test_the_memory_of_this_machine_is_known() -> None:
    assert available_memory() > 0


def test_threads_that_were_never_started_are_not_waited_for() -> None:
    """As after Ctrl-C while they are started."""
    pool = Pool([Task(lambda: True)], 2)
    pool.stop()
    pool.join()


def test_a_task_that_must_wait_lets_others_pass() -> None:
    order: list[str] = []
    free = threading.Event()

    def waits() -> bool:
        if not free.is_set():
            return False
        order.append("waited")
        return True

    def goes() -> bool:
        order.append("went")
        free.set()
        return True

    pool = Pool([Task(waits), Task(goes)], 1)
    pool.start()
    pool.join()
    assert order == ["went", "waited"]


def test_nobody_waits_for_an_optional_task() -> None:
    pool = Pool([Task(lambda: False, optional=True), Task(lambda: True)], 1)
    pool.start()
    pool.join()


@pytest.mark.parametrize(
    ("count", "workers", "precompiled"),
    [(1, 1, 0), (2, 2, 0), (1, 2, 1), (2, 1, 1), (3, 2, 1), (4, 8, 1)],
)
def test_headers_are_precompiled_where_that_costs_no_time(
    compiler: FakeCompiler, cache: Cache, count: int, workers: int, precompiled: int
) -> None:
    # Kernels take longer than headers, so that a header that is begun gets finished.
    compiler.hook("[ $step != device ] || sleep 0.3\n")
    results = build_in(cache, *kernels()[:count], workers=workers)
    assert all(result.ok for result in results)
    assert len(compiler.calls("precompile")) == precompiled
    assert len(cache.list("precompiled")) == precompiled


@pytest.mark.parametrize(
    ("kernels_to_build", "workers", "order"),
    [(1, 1, "k"), (2, 2, "kk"), (1, 2, "kh"), (1, 3, "kh"), (2, 1, "hkk"), (3, 2, "hkkk")],
)
def test_headers_come_first_last_or_not_at_all(
    kernels_to_build: int, workers: int, order: str
) -> None:
    letters: dict[int, str] = {}

    def task(letter: str) -> Task:
        made = Task(lambda: True)
        letters[id(made)] = letter
        return made

    tasks, headers = [task("k") for _ in range(kernels_to_build)], [task("h")]
    assert "".join(letters[id(one)] for one in in_good_order(tasks, headers, workers)) == order


def test_a_precompiled_header_is_used_by_later_builds(compiler: FakeCompiler, cache: Cache) -> None:
    build_in(cache, *kernels()[:2], workers=1)
    (result,) = build_in(cache, kernels()[2], workers=1)
    assert result.log is not None and "-include-pch" in result.log.read_text()
    assert len(compiler.calls("precompile")) == 1


def test_without_a_precompiled_header_the_library_is_the_same(
    compiler: FakeCompiler, cache: Cache
) -> None:
    compiler.hook("[ $step != precompile ] || exit 1\n")
    results = build_in(cache, *kernels()[:3], workers=1)
    assert all(content(result) for result in results)
    assert cache.list("precompiled") == []


def test_a_precompiled_header_that_does_not_work_is_removed_and_done_without(
    compiler: FakeCompiler, cache: Cache
) -> None:
    build_in(cache, *kernels()[:2], workers=1)
    assert len(cache.list("precompiled")) == 1
    compiler.hook('case "$*" in *-include-pch*) echo "error: bad header" >&2; exit 1;; esac\n')
    (result,) = build_in(cache, kernels()[2], workers=1)
    assert result.ok and cache.list("precompiled") == []


def test_a_kernel_that_fails_with_and_without_the_header_does_not_cost_the_header(
    compiler: FakeCompiler, cache: Cache
) -> None:
    build_in(cache, *kernels()[:2], workers=1)
    compiler.hook("[ $step != device ] || exit 1\n")
    (result,) = build_in(cache, kernels()[2], workers=1)
    assert not result.ok and len(cache.list("precompiled")) == 1
