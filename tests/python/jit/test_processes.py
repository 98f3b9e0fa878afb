# SPDX-License-Identifier: MIT
"""Processes that use the same cache at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.jit import Cache, ProgressEvent, build, layout
from ckdispatch.jit.files import read_file
from jit_support import (
    GPU,
    FakeCompiler,
    build_in,
    content,
    kernels,
    leftovers,
    start_child,
    wait_until,
)

ANOTHER = textwrap.dedent("""
    import sys
    from jit_support import build_in, kernels
    from ckdispatch.jit import Cache
    for result in build_in(Cache(sys.argv[1]), *kernels()[: int(sys.argv[2])]):
        print(result.sha256)
""")


def another_process(cache: Cache, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ANOTHER, str(cache.folder), str(count)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_build_the_same_kernels_compile_each_once(
    compiler: FakeCompiler, cache: Cache
) -> None:
    compiler.hook("[ $step != device ] || sleep 0.2\n")
    processes = [another_process(cache, 4) for _ in range(4)]
    printed = {process.communicate(timeout=120)[0] for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    assert len(printed) == 1
    assert sorted(compiler.calls("device")) == sorted(f"{spec.name}.cpp" for spec in kernels()[:4])
    assert leftovers(cache) == []


def test_who_waits_for_another_process_says_so_and_gets_its_library(
    compiler: FakeCompiler, cache: Cache
) -> None:
    gate = compiler.home / "control" / "go"
    compiler.hook('[ $step != device ] || while [ ! -e "$home/control/go" ]; do sleep 0.02; done\n')
    child = start_child(lambda: build_in(cache, kernels()[0]))
    wait_until(lambda: len(compiler.calls("device")) == 1)
    details = []

    def listener(event: ProgressEvent) -> None:
        details.append(event.detail)
        if event.detail == "waiting for another process":
            gate.touch()

    (result,) = build([kernels()[0]], GPU, progress=listener, cache=cache)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert "waiting for another process" in details
    assert result.ok and result.cached and len(compiler.calls("device")) == 1


def test_who_finds_a_kernel_taken_goes_on_with_the_next(
    compiler: FakeCompiler, cache: Cache
) -> None:
    first, second = kernels()[:2]
    gate = compiler.home / "control" / "go"
    compiler.hook(
        f"case $step-$source in device-{first.name}.cpp) "
        'while [ ! -e "$home/control/go" ]; do sleep 0.02; done;; esac\n'
    )
    child = start_child(lambda: build_in(cache, first))
    wait_until(lambda: len(compiler.calls("device")) == 1)
    finished = []

    def listener(event: ProgressEvent) -> None:
        if event.result is not None:
            finished.append(event.name)
            gate.touch()

    build([first, second], GPU, max_workers=1, progress=listener, cache=cache)
    os.waitpid(child, 0)
    assert finished == [second.name, first.name]


def test_a_killed_process_hands_its_kernel_over(compiler: FakeCompiler, cache: Cache) -> None:
    compiler.hook(
        'if [ $step = device ] && mkdir "$home/control/once" 2>/dev/null; then kill -9 $PPID; fi\n'
    )
    process = another_process(cache, 2)
    waiting = another_process(cache, 2)
    assert {process.wait(timeout=60), waiting.wait(timeout=60)} == {0, -9}
    assert all(result.cached for result in build_in(cache, *kernels()[:2]))


def test_a_cache_that_another_makes_at_the_same_moment_is_no_stranger(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_just_before(path: Path, **options: Any) -> bytes:
        try:
            return read_file(path, **options)
        except FileNotFoundError:
            monkeypatch.setattr(layout, "read_file", read_file)
            Cache(cache.folder).layout.make()
            raise

    cache.folder.mkdir(mode=0o700)
    monkeypatch.setattr(layout, "read_file", read_just_before)
    assert cache.layout.is_there()
    assert layout.is_marked(cache.folder)


def test_while_kernels_are_built_damaged_and_evicted_everybody_gets_the_right_ones(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path
) -> None:
    count = 4
    right = [content(result) for result in build_in(Cache(tmp_path / "x"), *kernels()[:count])]
    stop = tmp_path / "stop"

    def builder() -> None:
        for _ in range(40):
            results = build_in(cache, *kernels()[:count])
            assert [content(result) for result in results] == right

    def evictor() -> None:
        while not stop.exists():
            cache.prune(0)
            cache.verify()

    builders = [start_child(builder) for _ in range(3)]
    other = start_child(evictor)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in builders]
    stop.touch()
    assert codes == [0, 0, 0]
    assert os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) == 0
    assert cache.verify() == []
